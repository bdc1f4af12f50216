"""Words for the rules of a channel, and for its state."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.i18n.translate import translate_text
from app.theme.tokens import Tone
from app.window.settings.labels import label_text
from scheduler.engine.queries.channels import ChannelView
from scheduler.rules.channels import ChannelTiming, ChannelTopic, CodeUse

translate = QCoreApplication.translate

TOPICS: Mapping[ChannelTopic, object] = {
    ChannelTopic.QUESTIONS: QT_TRANSLATE_NOOP("settings", "Questions"),
    ChannelTopic.PROBLEMS: QT_TRANSLATE_NOOP("settings", "Problems"),
    ChannelTopic.MESSAGES: QT_TRANSLATE_NOOP("settings", "Messages of scripts"),
}
TIMINGS: Mapping[ChannelTiming, object] = {
    ChannelTiming.AWAY: QT_TRANSLATE_NOOP("settings", "When I am away"),
    ChannelTiming.ALWAYS: QT_TRANSLATE_NOOP("settings", "Always, at once"),
}
CODES: Mapping[CodeUse, object] = {
    CodeUse.NEVER: QT_TRANSLATE_NOOP("settings", "Never"),
    CodeUse.LASTING: QT_TRANSLATE_NOOP("settings", "Before what cannot be undone"),
    CodeUse.ALWAYS: QT_TRANSLATE_NOOP("settings", "Before every approval"),
}


def describe_rules(rules: Mapping[str, Any]) -> str:
    """`Questions, Problems · when you are away`."""
    chosen = [label_text(words) for topic, words in TOPICS.items() if topic in rules["topics"]]
    what = ", ".join(chosen) or translate("settings", "Nothing")
    when = translate("settings", "at once")
    if rules["timing"] == ChannelTiming.AWAY:
        when = translate("settings", "when you are away")
    return f"{what} · {when}"


def describe_channel(one: ChannelView) -> tuple[str, Tone]:
    """What the user should know about it: trouble first."""
    if one.trouble:
        return translate_text(one.trouble), Tone.BAD
    if one.locked:
        return translate_text(one.locked), Tone.BAD
    if not one.takes_answers:
        return translate("settings", "Carries news; answer at your computer."), Tone.QUIET
    if not one.proves_sender and not one.has_code:
        text = translate("settings", "You can reject from the phone. To approve, set up your authenticator app.")
        return text, Tone.ATTENTION
    return "", Tone.QUIET
