# shellcheck shell=sh disable=SC2154 # the caller sets build, source, out, version, tools and clone
# The Windows installer: an embeddable Python, the locked wheels for Windows, and Dayhand's sources.
# Sourced by packaging/build, after python.sh. Needs makensis (nsis).

build_windows() {
    command -v makensis >/dev/null || provide_packages nsis
    payload=$build/windows
    rm -rf "$payload"
    mkdir -p "$payload/bin"
    unpack_windows_python "$payload" || fail 'The Python for Windows could not be fetched.'
    install_windows_wheels "$payload/lib" "$source/packaging/requirements.txt"
    trim_wheels
    cp -R "$source/app" "$source/scheduler" "$source/scheduler/sdk/dayhand" "$payload/lib"
    cp -R "$source/resources" "$payload/lib/app/shipped_resources"
    rm -r "$payload/lib/app/shipped_resources/pictures"
    [ -d "$build/icons" ] || "$tools/python" "$source/packaging/icons.py" "$source/resources/icons/app.svg" "$build/icons"
    cp "$build/icons/dayhand.ico" "$source/LICENSE" "$payload"
    cp "$build/icons/128.png" "$payload/lib/app/shipped_resources/icons/app.png" # for toasts
    printf '@"%%~dp0..\\python\\python.exe" -m app.main %%*\r\n' >"$payload/bin/dayhand.cmd"
    normalize "$payload"
    makensis -V2 -DVERSION="$version" -DPAYLOAD="$payload" -DSTEPS="$source/packaging/windows/steps.py" \
        -DOUT="$out/Dayhand-$version-setup.exe" "$source/packaging/windows/dayhand.nsi"
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
