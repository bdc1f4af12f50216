"""A report as HTML that mail programs show: tables, inline styles, no pictures, no scripts, light and dark."""

from collections.abc import Iterator
from html import escape

from PySide6.QtCore import QLocale

from app.report.content import ReportBarText, ReportContent, ReportRow, ReportSection
from app.theme.tokens import Tone

_TONES = {
    Tone.GOOD: "#3c9a5f",
    Tone.BAD: "#d0503f",
    Tone.ATTENTION: "#c98a1b",
    Tone.BUSY: "#3f7fd0",
    Tone.QUIET: "#8a8a8a",
}
"""Seen on white and on black; the text keeps the colour of the mail program."""
_MUTED = "#7a7a7a"
_FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'
_LABEL_PX, _BAR_PERCENT = 96, 60


def write_html(content: ReportContent) -> str:
    """A whole document."""
    title = f"{content.title}, {content.span}"
    body = "\n".join(_body(content))
    return (
        f'<!DOCTYPE html>\n<html lang="{QLocale().name()[:2]}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="supported-color-schemes" content="light dark">\n'
        f"<title>{escape(title)}</title>\n</head>\n"
        f'<body style="margin:0;padding:16px;{_FONT};font-size:15px;line-height:1.45">\n{body}\n</body>\n</html>\n'
    )


def _body(content: ReportContent) -> Iterator[str]:
    text = f"{_FONT};font-size:15px;line-height:1.45"
    yield f'<table {_TABLE} width="100%" style="max-width:680px"><tr><td style="{text}">'
    yield f'<p style="margin:0;color:{_MUTED}">{escape(content.title)} · {escape(content.span)}</p>'
    yield f'<h1 style="margin:2px 0 16px 0;font-size:22px;line-height:1.3">{escape(content.headline)}</h1>'
    yield from _chart(content.bars)
    for section in content.sections:
        yield from _section(section)
    yield f'<p style="margin:24px 0 0 0;font-size:13px;color:{_MUTED}">{escape(content.footer)}</p>'
    yield "</td></tr></table>"


def _chart(bars: tuple[ReportBarText, ...]) -> Iterator[str]:
    most = max((sum(number for _, number in bar.parts) for bar in bars), default=0)
    if not most:
        return
    yield f'<table {_TABLE} width="100%" style="margin:0 0 8px 0">'
    for bar in bars:
        cells = "".join(
            f'<td width="{max(round(100 * number / most * _BAR_PERCENT / 100), 1)}%" bgcolor="{_TONES[tone]}" '
            f'style="background-color:{_TONES[tone]};font-size:9px;line-height:14px;height:14px">&nbsp;</td>'
            for tone, number in bar.parts
            if number
        )
        words = f'<td style="padding:0 0 0 8px;font-size:13px;color:{_MUTED}">{escape(bar.words)}</td>'
        yield (
            f'<tr><td width="{_LABEL_PX}" style="padding:3px 8px 3px 0;font-size:13px;white-space:nowrap">'
            f'{escape(bar.label)}</td><td style="padding:3px 0"><table {_TABLE} width="100%"><tr>{cells}{words}'
            "</tr></table></td></tr>"
        )
    yield "</table>"


def _section(section: ReportSection) -> Iterator[str]:
    yield f'<h2 style="margin:24px 0 6px 0;font-size:17px;line-height:1.3">{escape(section.title)}</h2>'
    yield f'<table {_TABLE} width="100%">'
    yield from map(_row, section.rows)
    yield "</table>"
    if section.more:
        yield f'<p style="margin:6px 0 0 0;font-size:13px;color:{_MUTED}">{escape(section.more)}</p>'


def _row(row: ReportRow) -> str:
    detail = f'<br><span style="font-size:13px;color:{_MUTED}">{escape(row.detail)}</span>' if row.detail else ""
    colour = _TONES[row.tone]
    return (
        f'<tr><td width="4" bgcolor="{colour}" style="background-color:{colour};font-size:1px">&nbsp;</td>'
        f'<td style="padding:5px 0 5px 10px;border-bottom:1px solid #8a8a8a;font-size:15px;line-height:1.4">'
        f"<b>{escape(row.name)}</b><br>{escape(row.text)}{detail}</td></tr>"
    )
