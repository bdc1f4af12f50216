# shellcheck shell=sh disable=SC2154 # the caller sets `clone`
# A Windows to test on, made once: Wine 10 of Debian 13 in a folder of its own, and a Python for Windows with the locked
# packages of the tests. Sourced by packaging/test --windows; tests/packaging/windows_machine.py runs programs in it.

# Together about 2 GB; several clones share them.
wine_folder=${DAYHAND_WINE:-/var/cache/dayhand-wine}
wine_packages='wine wine64 fonts-wine fonts-liberation xvfb openbox xfce4-panel dbus-x11 xdotool maim x11-utils iproute2'

# Sets `wine_root`.
set_up_wine() {
    [ "$(id -u)" -eq 0 ] || fail 'Windows is tested in a chroot, which only root can make.'
    wine_root=$wine_folder/root-$(cat "$clone/packaging/windows/wine.sh" "$clone/packaging/windows/icuuc.c" | cksum | cut -d ' ' -f 1)
    mkdir -p "$wine_folder"
    (
        flock 9
        find "$wine_folder" -mindepth 1 -maxdepth 1 -type d -mtime +14 -exec rm -rf {} + # of other versions
        [ -e "$wine_root/ready" ] || make_wine_root || fail 'Wine could not be set up.'
        touch "$wine_root"
    ) 9>"$wine_folder/lock" || exit
}

make_wine_root() {
    say 'Setting up Wine (first time, a few minutes) …'
    missing=$(missing_packages debootstrap gcc-mingw-w64-x86-64)
    # shellcheck disable=SC2086 # a list of words
    [ -z "$missing" ] || provide_packages $missing || return
    rm -rf "$wine_root"
    quietly debootstrap --variant=minbase --include=ca-certificates trixie "$wine_root" "$(debian_mirror)" || return
    ! [ -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$wine_root/etc/resolv.conf"
    # shellcheck disable=SC2086 # a list of words
    quietly in_wine_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $wine_packages || return
    quietly in_wine_root env HOME=/root WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' LC_ALL=C.UTF-8 \
        sh -c 'wineboot --init && wineserver --wait' || return
    quietly x86_64-w64-mingw32-gcc -O1 -shared -nostdlib \
        -o "$wine_root/root/.wine/drive_c/windows/system32/icuuc.dll" "$clone/packaging/windows/icuuc.c" || return
    rm -rf "$wine_root/var/cache/apt" "$wine_root/var/lib/apt/lists"
    : >"$wine_root/ready"
}

# Its mounts and processes end with the command.
in_wine_root() {
    unshare --mount --pid --fork --kill-child sh -c '
        set -e
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        exec chroot "$root" "$@"' - "$wine_root" "$@"
}

# Sets `windows_python`: a folder with python/ and lib/ like an installed Dayhand, with the packages of the tests.
set_up_windows_python() {
    windows_python=$wine_folder/python-$(
        { find_newer_python && cat "$clone/packaging/windows/python.sh" "$clone/packaging/requirements-test.txt"; } |
            cksum | cut -d ' ' -f 1
    )
    (
        flock 9
        [ -e "$windows_python/ready" ] || make_windows_python || fail 'The Python for Windows could not be set up.'
        touch "$windows_python"
    ) 9>"$wine_folder/lock" || exit
}

make_windows_python() {
    say 'Setting up a Python for Windows …'
    rm -rf "$windows_python"
    mkdir -p "$windows_python"
    unpack_windows_python "$windows_python" || return
    install_windows_wheels "$windows_python/lib" "$clone/packaging/requirements-test.txt" || return
    cp "$windows_python/lib/bin/uv.exe" "$windows_python/python/uv.exe"
    # Dayhand itself is not installed but mounted there.
    printf 'Z:\\dayhand\r\nZ:\\dayhand\\scheduler\\sdk\r\n' | tee -a "$windows_python"/python/python3*._pth >/dev/null
    : >"$windows_python/ready"
}
