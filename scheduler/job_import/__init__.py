"""Translates the files of other schedulers into jobs: text in, values out. Knows only timing of Dayhand."""
