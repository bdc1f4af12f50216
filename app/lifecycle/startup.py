"""Starting the process: its options, and a faster import of PySide6. Must not load Qt."""

import linecache
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions:
    """The options of `dayhand start`."""

    seconds: float | None = None
    until_idle: bool = False
    demo: bool = False
    greeting: str = ""
    folder_option: str = ""
    """The option that other commands need to find this data folder."""
    to_stderr: bool = False
    """Stdout is reserved for JSON."""
    background: bool = False
    """Do not show the window."""
    script: str = ""
    """Absolute path of a script to show in the window."""


def skip_source_scan() -> None:
    """Keep PySide6 from reading the source of every module imported after it. Call before most imports.

    It looks for its optional spellings of names, which are not used here.
    """
    import PySide6.QtCore  # noqa: F401, PLC0415  loads the module below

    with suppress(ImportError, AttributeError):  # a release that no longer reads sources
        from shibokensupport import feature  # type: ignore[import-not-found]  # noqa: PLC0415

        feature._mod_uses_pyside = lambda _: False  # noqa: SLF001  there is no public switch
    linecache.clearcache()  # drop the sources read so far
