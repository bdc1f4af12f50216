"""Entry point of the `dayhand` command, and of the worker processes of a frozen app, which is its own Python."""

import os
import sys
from collections.abc import MutableMapping, Sequence
from types import ModuleType

WORKER = "--worker"
FENCE = "--fence"
_LOADER = "LD_LIBRARY_PATH"
_OURS = ("_PYI_", "_MEIPASS")


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if getattr(sys, "frozen", False):
        clean(os.environ)
        if given[:1] == [WORKER]:
            return work()
        if given[:1] == [FENCE]:
            _load("_fence.py").main(given[1:])
    leave_no_dump()
    from app import cli  # noqa: PLC0415  a worker starts without it

    return cli.run(given)


def leave_no_dump() -> None:
    """After a crash the memory would lie on the disk, and in it passwords that only the keyring may keep."""
    try:
        import resource  # noqa: PLC0415  not everywhere
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def clean(environment: MutableMapping[str, str]) -> None:
    """Take back what the start of a frozen app adds: browsers, scripts and tools must find the system's libraries."""
    before = environment.pop(f"{_LOADER}_ORIG", None)
    if before:
        environment[_LOADER] = before
    else:
        environment.pop(_LOADER, None)
    for name in [name for name in environment if name.startswith(_OURS)]:
        del environment[name]


def work() -> int:
    """Be a worker."""
    module = _load("_start.py")
    del sys.argv[1]  # as if the file itself had been started
    code: int = module.start()
    return code


def _load(name: str) -> ModuleType:
    """A part of `dayhand` from its files, as any other Python would have it."""
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
