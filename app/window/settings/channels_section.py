"""The channels in the settings: whether each is used, what is wrong with it, and the way to its rules."""

from functools import partial
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.background import BackgroundTasks, run_command
from app.i18n.connector_labels import translate_connector_text
from app.session import Session
from app.theme.tokens import Space, Tone
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.connections.connect_dialog import ConnectDialog
from app.window.feedback import StatusLine, make_button
from app.window.settings.channel_dialog import ChannelDialog
from app.window.settings.channel_labels import describe_channel, describe_rules
from scheduler.engine.queries.channels import ChannelView

_PHONES = ("ntfy:me", "telegram:me")


class ChannelsSection(QWidget):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._background = session, BackgroundTasks(self)
        self._shown: list[ChannelView] = []
        self.rows: dict[str, ChannelRow] = {}
        self.status_line = StatusLine()
        self.note = make_label(
            self.tr("Dayhand can ask you on your phone: connect the ntfy app, or a Telegram bot."), "muted"
        )
        self._list = QVBoxLayout()
        self._list.setSpacing(Space.MEDIUM)
        self.connect_buttons = [
            make_button(words) for words in (self.tr("Connect ntfy…"), self.tr("Connect Telegram…"))
        ]
        buttons = FlowLayout()
        for button, name in zip(self.connect_buttons, _PHONES, strict=True):
            button.clicked.connect(partial(self._connect, name))
            buttons.addWidget(button)
        parts = QVBoxLayout(self)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(Space.SMALL)
        parts.addWidget(self.note)
        parts.addLayout(self._list)
        parts.addLayout(buttons)
        parts.addWidget(self.status_line)

    def refresh(self) -> None:
        self._background.run_latest("channels", self._session.queries.channels, self._show)

    def _show(self, channels: list[ChannelView]) -> None:
        """Rows are made again only if something changed: one of them may have the focus."""
        if channels == self._shown:
            return
        self._shown = channels
        for row in self.rows.values():
            self._list.removeWidget(row)
            row.deleteLater()
        self.rows = {one.channel: ChannelRow(one, self) for one in channels}
        for row in self.rows.values():
            self._list.addWidget(row)
        for button, name in zip(self.connect_buttons, _PHONES, strict=True):
            button.setVisible(name not in self.rows)

    def open_rules(self, channel: ChannelView, *, turns_on: bool = False) -> ChannelDialog:
        dialog = ChannelDialog(self._session, channel, self, turns_on=turns_on)
        dialog.changed.connect(self.refresh)
        dialog.open()
        return dialog

    def switch(self, channel: ChannelView, *, on: bool) -> None:
        """A channel that does not know its recipient is used once the user has entered one."""
        if on and channel.needs_recipient and not channel.rules["to"]:
            self.rows[channel.channel].box.setChecked(False)
            self.open_rules(channel, turns_on=True)
        else:
            self.command("channel_change", channel=channel.channel, changes={"is_on": on})

    def command(self, verb: str, done: str = "", **arguments: Any) -> None:
        session = self._session

        def finish(_: object) -> None:
            self.status_line.show_message(done)
            self.refresh()

        def refuse(error: Exception) -> None:
            self.status_line.show_error(error)
            self._shown = []
            self.refresh()

        self._background.run(lambda: run_command(session, verb, **arguments), finish, refuse)

    def _connect(self, name: str) -> None:
        dialog = ConnectDialog(self._session, name, None, self)
        dialog.connected.connect(lambda _, message: self.status_line.show_message(message))
        dialog.connected.connect(self.refresh)
        dialog.open()


class ChannelRow(QWidget):
    """One channel; what is pressed becomes commands of its section."""

    def __init__(self, channel: ChannelView, section: ChannelsSection) -> None:
        super().__init__()
        name = channel.channel
        self.box = WrappingCheckBox(f"{translate_connector_text(channel.title)} · {name}")
        self.box.setChecked(bool(channel.rules["is_on"]))
        self.change_button = make_button(self.tr("Settings…"))
        self.test_button = make_button(self.tr("Send a test message"))
        self.unlock_button = make_button(self.tr("Unlock"))
        for button in (self.change_button, self.test_button, self.unlock_button):
            button.setAccessibleName(f"{button.text()} {name}")
        text, tone = describe_channel(channel)
        self.state = make_label(text, tone.value if tone is not Tone.QUIET else "muted")
        buttons = FlowLayout()
        for button in (self.change_button, self.test_button, self.unlock_button):
            buttons.addWidget(button)
        parts = QVBoxLayout(self)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(Space.SMALL)
        parts.addWidget(self.box)
        parts.addWidget(make_label(describe_rules(channel.rules), "muted"))
        parts.addWidget(self.state)
        parts.addLayout(buttons)
        self.state.setVisible(bool(text))
        self.unlock_button.setVisible(bool(channel.locked))
        sent = self.tr("Test message sent.")
        self.box.clicked.connect(lambda on: section.switch(channel, on=on))
        self.change_button.clicked.connect(lambda: section.open_rules(channel))
        self.test_button.clicked.connect(lambda: section.command("channel_test", sent, channel=name))
        self.unlock_button.clicked.connect(lambda: section.command("channel_unlock", channel=name))
