"""Reads the screen and presses buttons, as a screen reader does. A separate program, since its library belongs to the
system's Python: `tree APP` prints [role, name, text] of all visible elements, `press APP NAME` presses a button,
`where APP NAME` prints the centre of one; both exit with 1 if there is none. The caller does the waiting."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402  after the version is set

_PRESSES = ("click", "press", "Press", "activate")


def children(node: Any) -> Iterator[Any]:
    for number in range(min(node.get_child_count(), 300)):
        child = node.get_child_at_index(number)
        if child is not None:
            yield child


def below(node: Any) -> Iterator[Any]:
    yield node
    for child in children(node):
        yield from below(child)


def shown(name: str) -> Iterator[Any]:
    for app in children(Atspi.get_desktop(0)):
        if app.get_name() == name:
            for node in below(app):
                if node.get_state_set().contains(Atspi.StateType.SHOWING):
                    yield node


def text_of(node: Any) -> str:
    text = node.get_text_iface()
    return Atspi.Text.get_text(text, 0, -1) if text else ""


def press(app: str, name: str) -> bool:
    for node in shown(app):
        action = node.get_action_iface()
        if action is None or node.get_name() != name:
            continue
        for number in range(action.get_n_actions()):
            if Atspi.Action.get_action_name(action, number) in _PRESSES:
                return bool(Atspi.Action.do_action(action, number))
    return False


def where(app: str, name: str) -> list[int] | None:
    for node in shown(app):
        if node.get_name() == name and node.get_action_iface() is not None:
            place = node.get_component_iface().get_extents(Atspi.CoordType.SCREEN)
            return [place.x + place.width // 2, place.y + place.height // 2]
    return None


def main(verb: str, app: str, *names: str) -> int:
    Atspi.init()
    try:
        if verb == "press":
            return 0 if press(app, *names) else 1
        if verb == "where":
            place = where(app, *names)
            sys.stdout.write(json.dumps(place))
            return 0 if place else 1
        sys.stdout.write(json.dumps([[node.get_role_name(), node.get_name(), text_of(node)] for node in shown(app)]))
    except GLib.Error:  # the element disappeared
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
