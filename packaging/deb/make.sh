# shellcheck shell=sh disable=SC2154 # the caller sets build, source, out, version, tools and SOURCE_DATE_EPOCH
# The .deb, from dist/dayhand. Sourced by packaging/build.

maintainer='The Dayhand authors <dayhand@example.org>'

build_deb() {
    root=$build/deb
    rm -rf "$root"
    mkdir -p "$root/DEBIAN" "$root/usr/lib" "$root/usr/bin"
    cp -a "$build/dist/dayhand" "$root/usr/lib/dayhand"
    remove_system_libraries
    ln -s ../lib/dayhand/dayhand "$root/usr/bin/dayhand"
    put_shared_files "$root/usr/share"
    for script in prerm postinst; do
        install -m 755 "$source/packaging/deb/$script" "$root/DEBIAN/$script"
    done
    find_dependencies >"$build/dependencies"
    write_control >"$root/DEBIAN/control"
    normalize "$root"
    find "$root/usr/lib/dayhand" -type f -name '*.so*' -exec chmod 644 {} +
    (cd "$root" && find usr -type f | sort | xargs -d '\n' md5sum) >"$root/DEBIAN/md5sums"
    dpkg-deb --root-owner-group -Zxz -z6 --threads-max=2 --build "$root" "$out/dayhand_${version}_amd64.deb" >/dev/null
}

# Libraries from system packages are not bundled, so that they get security updates.
remove_system_libraries() {
    while IFS='	' read -r name _; do
        case $name in
        */* | libpython*) ;;
        lib*.so*) rm -f "$root/usr/lib/dayhand/_internal/$name" ;;
        esac
    done <"$build/work/dayhand/system-libraries"
}

put_shared_files() {
    share=$1
    desktop=$source/resources/desktop
    install -D -m 644 "$desktop/dayhand.desktop" "$share/applications/dayhand.desktop"
    install -D -m 644 "$desktop/io.github.dayhand.Dayhand.metainfo.xml" -t "$share/metainfo"
    install -D -m 644 "$source/resources/icons/app.svg" "$share/icons/hicolor/scalable/apps/dayhand.svg"
    for picture in "$build"/icons/*.png; do
        size=$(basename "$picture" .png)
        install -D -m 644 "$picture" "$share/icons/hicolor/${size}x$size/apps/dayhand.png"
    done
    completions=$source/resources/completions
    install -D -m 644 "$completions/dayhand.bash" "$share/bash-completion/completions/dayhand"
    install -D -m 644 "$completions/_dayhand" -t "$share/zsh/vendor-completions"
    install -D -m 644 "$completions/dayhand.fish" -t "$share/fish/vendor_completions.d"
    mkdir -p "$share/man/man1" "$share/doc/dayhand"
    gzip -9nc "$build/manual/dayhand.1" >"$share/man/man1/dayhand.1.gz"
    gzip -9nc "$source/CHANGELOG.md" >"$share/doc/dayhand/CHANGELOG.md.gz"
    write_changelog | gzip -9nc >"$share/doc/dayhand/changelog.gz"
    install -m 644 "$source/packaging/deb/copyright" "$share/doc/dayhand/copyright"
    install -D -m 644 "$source/packaging/deb/lintian-overrides" "$share/lintian/overrides/dayhand"
}

# The packages that the bundled programs and libraries need, in the versions they were linked with.
find_dependencies() {
    scratch=$build/shlibs
    rm -rf "$scratch"
    mkdir -p "$scratch/debian"
    printf 'Source: dayhand\n\nPackage: dayhand\nArchitecture: amd64\n' >"$scratch/debian/control"
    internal=$root/usr/lib/dayhand/_internal
    (
        cd "$scratch"
        find "$root/usr/lib/dayhand" -type f \( -name '*.so*' -o -name dayhand -o -name uv \) -print0 | sort -z |
            xargs -0 dpkg-shlibdeps -O --warnings=0 --ignore-missing-info \
                -l"$internal" -l"$internal/PySide6" -l"$internal/PySide6/Qt/lib" -l"$internal/shiboken6"
    ) >"$scratch/found" || fail 'A library that the application needs is not in any package.'
    sed -n 's/^shlibs:Depends=//p' "$scratch/found"
}

# In the format of Debian's tools.
write_changelog() {
    printf 'dayhand (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

# As Debian defines it, independent of the file system: whole kilobytes for files, one for everything else.
measure_installed() {
    find "$root/usr" -printf '%y %s\n' | awk '{ sum += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print sum }'
}

write_control() {
    cat <<CONTROL
Package: dayhand
Version: $version
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $(measure_installed)
Depends: $(cat "$build/dependencies"), ca-certificates
Recommends: dbus-user-session, gnome-keyring | keepassxc | kwalletmanager, notification-daemon, python3
Section: utils
Priority: optional
Description: run your recurring chores on schedule, and ask first
 Dayhand is a tray application that runs your recurring chores on your own
 computer. Each chore is one Python file: Dayhand runs it on schedule, survives
 sleep, crashes and network failures, never performs an outside action twice,
 and shows exactly what it will do before it does it.
 .
 Passwords are stored only in the system's keyring.
CONTROL
}
