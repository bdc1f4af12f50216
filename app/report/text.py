"""A report as plain text."""

from collections.abc import Iterator

from app.report.content import ReportContent
from app.theme.tokens import Tone

_BAR_CHARS = 30
_SIGNS = {Tone.GOOD: "█", Tone.BAD: "✗", Tone.ATTENTION: "░"}


def write_text(content: ReportContent) -> str:
    return "\n".join(_lines(content)).rstrip() + "\n"


def _lines(content: ReportContent) -> Iterator[str]:
    yield f"{content.title}, {content.span}"
    yield content.headline
    yield ""
    most = max((sum(number for _, number in bar.parts) for bar in content.bars), default=0)
    width = max((len(bar.label) for bar in content.bars), default=0)
    for bar in content.bars if most else ():
        drawn = "".join(_SIGNS[tone] * -(-number * _BAR_CHARS // most) for tone, number in bar.parts)
        yield f"{bar.label:{width}}  {drawn} {bar.words}".rstrip()
    for section in content.sections:
        yield ""
        yield section.title
        yield "-" * len(section.title)
        for row in section.rows:
            yield f"{row.name}: {row.text}"
            if row.detail:
                yield f"    {row.detail}"
        if section.more:
            yield section.more
    yield ""
    yield content.footer
