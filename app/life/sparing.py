"""A start that reads less: PySide6 looks into the source of every module that is imported after it."""

import linecache
from contextlib import suppress


def spare_sources() -> None:
    """Before most imports. What PySide6 looks for, its optional ways of spelling names, is used nowhere here."""
    import PySide6.QtCore  # noqa: F401, PLC0415  it brings the module below

    with suppress(ImportError, AttributeError):  # a release that looks no more
        from shibokensupport import feature  # type: ignore[import-not-found]  # noqa: PLC0415

        feature._mod_uses_pyside = lambda _: False  # noqa: SLF001  the only way in
    linecache.clearcache()  # what it has read until now
