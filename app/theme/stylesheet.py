"""Applies the palette and the stylesheet, and follows the desktop from light to dark."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSpinBox, QApplication, QWidget

from app.resources import find_resource
from app.theme.tokens import DARK, LIGHT, RADIUS, Appearance, Colours, Space, Tone, blend, colours_of, make_palette

_RULES = """
QLabel[ink="muted"] {{ color: {muted}; }}
{inks}
QFrame[surface="card"] {{ background: {surface}; border: 1px solid {line}; border-radius: {radius}px; }}
QFrame[surface="card"]:focus {{ border-color: {accent}; }}
QAbstractScrollArea[surface="card"] {{ padding: 2px; }}
QFrame[surface="quote"] {{ background: {hover}; border: none; border-left: 3px solid {edge}; }}
QFrame[surface="toast"] {{ background: {surface}; border: 1px solid {edge}; border-radius: {radius}px; }}
QFrame[surface="popup"] {{ background: {surface}; border: 1px solid {edge}; }}
QFrame[surface="banner"] {{ background: {warned}; border: none; border-bottom: 1px solid {line}; }}
QHeaderView {{ background: {surface}; }}
QHeaderView::section {{
  background: {surface}; color: {muted}; border: none; border-bottom: 1px solid {line}; padding: {tight}px {small}px;
}}
QTableView {{ outline: none; }}
QTableView::item {{ padding: 0 {tight}px; }}
QPushButton {{
  background: {surface}; color: {text}; border: 1px solid {edge}; border-radius: {corner}px;
  padding: {tight}px {medium}px; min-height: 1.4em;
}}
QPushButton, QTabBar {{ outline: none; }}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed {{ background: {pressed}; }}
QPushButton:checked {{
  background: {chosen}; color: {accent}; border: 2px solid {accent}; padding: {tight_focus}px {medium_focus}px;
}}
QPushButton:focus {{ border: 2px solid {accent}; padding: {tight_focus}px {medium_focus}px; }}
QPushButton:checked:focus {{ border-color: {text}; }}
QPushButton:disabled {{ color: {faint}; border-color: {line}; }}
QPushButton[importance="primary"] {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton[importance="primary"]:hover {{ background: {accent_hover}; }}
QPushButton[importance="primary"]:focus {{ border-color: {text}; }}
QPushButton[importance="primary"]:disabled {{ background: {line}; color: {faint}; border-color: {line}; }}
QPushButton[importance="quiet"] {{
  background: transparent; border-color: transparent; color: {muted}; padding: 0 {small}px;
}}
QPushButton[importance="quiet"]:hover {{ color: {text}; }}
QPushButton[importance="quiet"]:focus {{ border-color: {accent}; }}
QPushButton[importance="link"] {{
  background: transparent; border: 2px solid transparent; color: {muted}; padding: 0 {hair}px;
}}
QPushButton[importance="link"]:hover {{ color: {accent}; }}
QPushButton[importance="link"]:focus {{ border-color: {accent}; }}
QPushButton[importance="risky"] {{ color: {bad}; border-color: {bad}; }}
QPushButton[importance="risky"]:disabled {{ color: {faint}; border-color: {line}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; button-layout: 3; }}
QMessageBox QLabel#qt_msgbox_label {{ font-weight: 600; }}
QMessageBox QLabel#qt_msgbox_informativelabel {{ color: {muted}; }}
QPushButton[menu="true"] {{ padding-left: {small}px; padding-right: {menu}px; }}
QPushButton[menu="true"]:focus {{ padding-left: {small_focus}px; padding-right: {menu_focus}px; }}
QPushButton::menu-indicator {{
  image: url({controls}/down-{scheme}.svg); width: 10px; height: 10px; right: {small}px;
  subcontrol-origin: padding; subcontrol-position: right center;
}}
QTabBar {{ qproperty-drawBase: 0; }}
QTabBar::tab {{
  background: transparent; color: {muted}; padding: {tight}px {small}px; min-height: 1.4em;
  border: 1px solid transparent; border-bottom: 2px solid transparent;
}}
QTabBar::tab:hover {{ color: {text}; background: {hover}; }}
QTabBar::tab:selected {{ color: {accent}; border-bottom-color: {accent}; }}
QTabBar::tab:selected:focus {{ border-color: {accent}; }}
QLineEdit {{ min-height: 1.4em; }}
QComboBox, QAbstractSpinBox {{
  background: {surface}; border: 1px solid {edge}; border-radius: {corner}px;
  padding: {tight}px 2px {tight}px {small}px; min-height: 1.4em;
  selection-background-color: {accent}; selection-color: {on_accent};
}}
QComboBox:focus, QAbstractSpinBox:focus {{ border: 2px solid {accent}; padding: 3px 1px 3px 7px; }}
/* With less padding above, Qt makes the list of a focused box too short for its last row. */
QComboBox:focus {{ padding-top: {tight}px; }}
QComboBox:disabled, QAbstractSpinBox:disabled {{ color: {faint}; border-color: {line}; }}
QComboBox QLineEdit, QAbstractSpinBox QLineEdit {{ min-height: 0; border: none; padding: 0; background: transparent; }}
QAbstractSpinBox {{ padding-top: 2px; padding-bottom: 2px; }}
QComboBox::drop-down, QDateEdit::drop-down {{ border: none; width: 22px; }}
QComboBox::down-arrow, QDateEdit::down-arrow {{ image: url({controls}/down-{scheme}.svg); width: 12px; height: 12px; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; width: 20px; }}
QAbstractSpinBox::up-arrow {{ image: url({controls}/up-{scheme}.svg); width: 10px; height: 10px; }}
QAbstractSpinBox::down-arrow {{ image: url({controls}/down-{scheme}.svg); width: 10px; height: 10px; }}
QCheckBox::indicator, QTableView::indicator, QRadioButton::indicator {{
  width: 14px; height: 14px; background: {surface}; border: 1px solid {edge}; border-radius: 4px;
}}
QRadioButton::indicator {{ border-radius: 8px; }}
QCheckBox::indicator:focus, QRadioButton::indicator:focus {{ border-color: {accent}; }}
QCheckBox::indicator:checked, QTableView::indicator:checked, QRadioButton::indicator:checked {{
  background: {accent}; border-color: {accent};
}}
QCheckBox::indicator:checked, QTableView::indicator:checked {{ image: url({controls}/check-{scheme}.svg); }}
QRadioButton::indicator:checked {{ image: url({controls}/dot-{scheme}.svg); }}
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled {{ background: {line}; border-color: {line}; }}
QLineEdit, QPlainTextEdit[field="true"] {{
  background: {surface}; border: 1px solid {edge}; border-radius: {corner}px; padding: {tight}px {small}px;
  selection-background-color: {accent}; selection-color: {on_accent};
}}
QLineEdit:focus, QPlainTextEdit[field="true"]:focus {{ border: 2px solid {accent}; padding: 3px 7px; }}
QProgressBar {{ background: {line}; border: none; border-radius: 3px; max-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QScrollBar {{ background: transparent; }}
QScrollBar:vertical {{ width: 12px; }}
QScrollBar:horizontal {{ height: 12px; }}
QScrollBar::handle {{ background: {edge}; border-radius: 3px; margin: 3px; min-height: 28px; min-width: 28px; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
  background: transparent; width: 0; height: 0;
}}
QMenu {{ background: {surface}; color: {text}; border: 1px solid {edge}; padding: {tight}px; }}
QMenu::item {{ padding: {tight}px {wide}px {tight}px {medium}px; border-radius: {corner}px; }}
QMenu::item:selected {{ background: {chosen}; }}
QMenu::item:disabled {{ color: {muted}; background: transparent; }}
QMenu::separator {{ height: 1px; background: {line}; margin: {tight}px {small}px; }}
QMenu::right-arrow {{ image: url({controls}/right-{scheme}.svg); width: 10px; height: 10px; right: {small}px; }}
QComboBox QAbstractItemView {{ background: {surface}; }}
QToolTip {{ background: {surface}; color: {text}; border: 1px solid {edge}; padding: {tight}px; }}
"""


def make_stylesheet(colours: Colours) -> str:
    inks = "\n".join(f'QLabel[ink="{tone}"] {{ color: {ink.text}; }}' for tone, ink in colours.tones.items())
    return _RULES.format(
        inks=inks,
        controls=find_resource("icons/controls/check-light.svg").parent.as_posix(),
        scheme="dark" if colours.is_dark else "light",
        surface=colours.surface,
        text=colours.text,
        muted=colours.muted,
        line=colours.line,
        edge=colours.edge,
        accent=colours.accent,
        on_accent=colours.on_accent,
        bad=colours.tones[Tone.BAD].text,
        hover=blend(colours.text, colours.surface, 0.06).name(),
        pressed=blend(colours.text, colours.surface, 0.14).name(),
        faint=blend(colours.text, colours.surface, 0.45).name(),
        chosen=colours.tones[Tone.BUSY].soft,
        warned=colours.tones[Tone.ATTENTION].soft,
        accent_hover=blend(colours.accent, colours.text, 0.88).name(),
        radius=RADIUS,
        corner=RADIUS - Space.HAIR,
        hair=int(Space.HAIR),
        tight=int(Space.TIGHT),
        tight_focus=Space.TIGHT - 1,
        small=int(Space.SMALL),
        medium=int(Space.MEDIUM),
        wide=int(Space.WIDE),
        small_focus=Space.SMALL - 1,
        menu=int(Space.WIDE),
        menu_focus=Space.WIDE - 1,
        medium_focus=Space.MEDIUM - 1,
    )


def set_style(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the stylesheet selects by: ink, surface, importance."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def fill_viewport(view: QAbstractScrollArea) -> None:
    """Fill the viewport's background: a transparent one is repainted entirely at every scroll step."""
    viewport = view.viewport()
    # Deferred, because the stylesheet resets it on the first show and after every change.
    QTimer.singleShot(0, viewport, lambda: viewport.setAutoFillBackground(True))


class _ViewportFilter(QObject):
    def eventFilter(self, view: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        if event.type() in (QEvent.Type.Polish, QEvent.Type.StyleChange):
            assert isinstance(view, QAbstractScrollArea)
            fill_viewport(view)
        return False


def style_as_card(view: QAbstractScrollArea) -> None:
    """Make a list, table or text look like a card."""
    set_style(view, "surface", "card")
    view.installEventFilter(_ViewportFilter(view))


def indent_spin_box(box: QAbstractSpinBox) -> None:
    """Indent the text of a spin box: the stylesheet's padding does not apply to it."""
    if (line := box.lineEdit()) is not None:
        line.setTextMargins(Space.SMALL - Space.HAIR, 0, 0, 0)


def choose_colours(appearance: Appearance, scheme: Qt.ColorScheme, desktop: QPalette) -> Colours:
    """The user's choice; else the desktop's scheme; else a guess by its palette."""
    if appearance is not Appearance.SYSTEM:
        return DARK if appearance is Appearance.DARK else LIGHT
    if scheme is Qt.ColorScheme.Unknown:
        return colours_of(desktop)
    return DARK if scheme is Qt.ColorScheme.Dark else LIGHT


class Theme(QObject):
    """Styles the application and follows the desktop from light to dark and back."""

    changed = Signal()

    def __init__(self, app: QApplication, appearance: Appearance = Appearance.SYSTEM) -> None:
        super().__init__(app)
        self._app = app
        self._appearance = appearance
        self._colours = LIGHT
        app.styleHints().colorSchemeChanged.connect(self._follow)
        self.set_appearance(appearance)

    @property
    def appearance(self) -> Appearance:
        return self._appearance

    @property
    def colours(self) -> Colours:
        return self._colours

    def set_appearance(self, appearance: Appearance) -> None:
        self._appearance = appearance
        # So that the platform draws its parts, such as the title bar, to match.
        schemes = {Appearance.LIGHT: Qt.ColorScheme.Light, Appearance.DARK: Qt.ColorScheme.Dark}
        self._app.styleHints().setColorScheme(schemes.get(appearance, Qt.ColorScheme.Unknown))
        self._follow(self._app.styleHints().colorScheme())

    @Slot(Qt.ColorScheme)
    def _follow(self, scheme: Qt.ColorScheme) -> None:
        # Setting an empty palette restores the desktop's.
        self._app.setPalette(QPalette())
        self._colours = choose_colours(self._appearance, scheme, self._app.palette())
        self._app.setPalette(make_palette(self._colours))
        self._app.setStyleSheet(make_stylesheet(self._colours))
        self.changed.emit()
