"""A prompter for a real keyring that counts the dialogs and closes each one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from jeepney import HeaderFields, MessageType, message_bus, new_error
from jeepney.io.blocking import open_dbus_connection

_NAME = "org.gnome.keyring.SystemPrompter"


class Prompter:
    def __init__(self) -> None:
        self.dialogs = 0
        self.hold: threading.Event | None = None
        """Dialogs stay open until this is set."""


@contextmanager
def running_prompter(address: str) -> Iterator[Prompter]:
    """Let the keyring on that bus show dialogs."""
    prompter, has_ended = Prompter(), threading.Event()
    with open_dbus_connection(address) as bus:
        bus.send_and_get_reply(message_bus.RequestName(_NAME), timeout=60)

        def serve() -> None:
            while not has_ended.is_set():
                try:
                    message = bus.receive(timeout=0.05)
                except TimeoutError:
                    continue
                if message.header.message_type is not MessageType.method_call:
                    continue
                if message.header.fields.get(HeaderFields.member) == "BeginPrompting":
                    prompter.dialogs += 1
                    if prompter.hold is not None:
                        assert prompter.hold.wait(60)
                bus.send_message(new_error(message, "org.freedesktop.DBus.Error.Failed"))

        serving = threading.Thread(target=serve, name="prompter")
        serving.start()
        try:
            yield prompter
        finally:
            has_ended.set()
            serving.join()
