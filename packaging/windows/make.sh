# shellcheck shell=sh
build_windows() {
    give_up 'not yet'
}
