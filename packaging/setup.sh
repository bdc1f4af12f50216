# shellcheck shell=sh disable=SC2154 # the caller sets `clone`
# Shared by run, test, bench and lock: finds Python, installs system packages, creates an environment from a lock file.
# Sourced, with `clone` set to the absolute path of the clone. Writes nothing to stdout.

# What Qt needs on a bare Debian.
# shellcheck disable=SC2034 # used by the scripts that source this
qt_packages='libglib2.0-0 libegl1 libgl1 libdbus-1-3 libfontconfig1
    libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0'

say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

# Run a command silently; show its output only if it fails.
# A daemon it starts must not inherit the lock of set_up, hence 9<&-.
quietly() {
    output=$("$@" 2>&1 </dev/null 9<&-) || {
        status=$?
        say "$output"
        return "$status"
    }
}

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
        if [ -n "$candidate" ] &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    fail 'Dayhand needs Python 3.11 or later, but none was found. Set PYTHON=/path/to/python.'
}

python_version() {
    "$1" -I -S -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

can_make_environments() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

# Print which of the given packages are missing on a Debian-based system; print nothing elsewhere.
missing_packages() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
    # In a newer release another package may provide the name, as libglib2.0-0t64 does.
    # shellcheck disable=SC2016 # dpkg-query fills these in
    present=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Provides}\n' |
        sed -n 's/^installed//p' | tr '\n,' '  ')
    for package in "$@"; do
        case " $present " in
        *" $package "*) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

may_install_packages() {
    [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null
}

apt_get() {
    set -- env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 "$@"
    [ "$(id -u)" -eq 0 ] || set -- sudo -n "$@"
    quietly "$@"
}

# The Debian mirror that apt is configured with.
debian_mirror() {
    # shellcheck disable=SC2016 # apt-get fills these in
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -n 1
}

# Install the given packages, or print how to.
provide_packages() {
    if may_install_packages; then
        # A failed update is shown, but the old package lists may be good enough.
        apt_get update || :
        apt_get install --no-install-recommends "$@" && return 0
    fi
    say "System packages are missing; install them with: sudo apt-get install --no-install-recommends $*"
}

# Set `facts`, what the environment should be built from, starting with `place`: an environment cannot
# be moved or switched to another Python. `stamp` has the facts of the last completed setup.
read_facts() {
    place="$clone $(python_version "$environment/bin/python")"
    facts="$place
$(cd "$clone" && cksum pyproject.toml scheduler/__init__.py packaging/requirements*.txt)"
    stamp=$(cat "$environment/stamp" 2>/dev/null) || stamp=
}

is_ready() {
    read_facts
    case $stamp in
    # The lock file of the tests includes that of the program.
    "$facts
$lock" | "$facts
requirements-test.txt") [ -x "$environment/bin/dayhand" ] ;;
    *) return 1 ;;
    esac
}

fill_environment() {
    quietly "$environment/bin/python" -m pip install --disable-pip-version-check \
        --require-hashes -r "$clone/packaging/$lock" &&
        quietly "$environment/bin/python" -m pip install --disable-pip-version-check \
            --no-deps --no-build-isolation -e "$clone"
}

# Install packages and create or update the environment; the caller holds the lock.
prepare() {
    missing=$(missing_packages "$@")
    if is_ready; then
        # shellcheck disable=SC2086 # a list of words
        [ -z "$missing" ] || provide_packages $missing
        return 0
    fi

    python=
    case $stamp in
    "$place
"*)
        say 'Updating the Dayhand environment …'
        ;;
    *)
        python=$(find_python) || exit
        say 'Setting up Dayhand (first time, about a minute) …'
        can_make_environments "$python" ||
            missing="$missing$(missing_packages "python$(python_version "$python")-venv")"
        ;;
    esac
    # shellcheck disable=SC2086 # a list of words
    [ -z "$missing" ] || provide_packages $missing

    # If the setup is interrupted from here on, the next one starts from scratch.
    rm -f "$environment/stamp"
    if [ -n "$python" ]; then
        can_make_environments "$python" ||
            fail "Dayhand could not be set up: $python has no venv module."
        quietly "$python" -m venv --clear "$environment" ||
            fail "Dayhand could not be set up: $environment could not be created."
    fi
    fill_environment || fail 'Dayhand could not be set up: its Python packages could not be installed.'
    read_facts
    printf '%s\n%s\n' "$facts" "$lock" >"$environment/stamp"
}

# set_up ENVIRONMENT LOCK PACKAGE…: install whatever is missing.
set_up() {
    environment=$clone/$1
    lock=$2
    shift 2
    if is_ready && [ -z "$(missing_packages "$@")" ]; then
        return 0
    fi
    # If two run at once, the second waits here and then has nothing left to do.
    (
        ! command -v flock >/dev/null || flock 9
        prepare "$@"
    ) 9<"$clone/packaging" || exit
}
