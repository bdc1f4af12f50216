"""Entry point of the `dayhand` command, and of the worker processes of a frozen app."""

import os
import sys
from collections.abc import MutableMapping, Sequence
from types import ModuleType

WORKER = "--worker"
SANDBOX = "--sandbox"
_LIBRARY_PATH = "LD_LIBRARY_PATH"
_PYINSTALLER_PREFIXES = ("_PYI_", "_MEIPASS")


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if getattr(sys, "frozen", False):
        restore_environment(os.environ)
        if given[:1] == [WORKER]:
            return run_worker()
        if given[:1] == [SANDBOX]:
            _load("_sandbox.py").main(given[1:])
    disable_core_dumps()
    from app.cli import command_line  # noqa: PLC0415  a worker does not need it

    return command_line.run(given)


def disable_core_dumps() -> None:
    """A core dump would write passwords from memory to the disk."""
    try:
        import resource  # noqa: PLC0415  Unix only
    except ImportError:
        return
    _, maximum = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, maximum))


def restore_environment(environment: MutableMapping[str, str]) -> None:
    """Undo PyInstaller's changes: browsers, scripts and tools must find the system's libraries."""
    before = environment.pop(f"{_LIBRARY_PATH}_ORIG", None)
    if before:
        environment[_LIBRARY_PATH] = before
    else:
        environment.pop(_LIBRARY_PATH, None)
    for name in [name for name in environment if name.startswith(_PYINSTALLER_PREFIXES)]:
        del environment[name]


def run_worker() -> int:
    module = _load("_start.py")
    del sys.argv[1]  # as if the file itself had been run
    code: int = module.start()
    return code


def _load(name: str) -> ModuleType:
    """Load a module of the `dayhand` package from its source file, like any other Python does."""
    import importlib.util  # noqa: PLC0415  as above
    from pathlib import Path  # noqa: PLC0415

    file = Path(sys._MEIPASS) / "dayhand" / name  # type: ignore[attr-defined]  # noqa: SLF001  its public name
    spec = importlib.util.spec_from_file_location(f"dayhand{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
