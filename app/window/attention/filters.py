"""The filters of the Attention page: by what is asked, and by workflow."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from app.i18n.time_text import format_number
from app.overview import Overview
from app.requests.labels import sign_request
from app.theme.stylesheet import set_style
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import install_wheel_guard, name_combo_box, refill_combo_box
from app.widgets.visible_text import escape_invisible, truncate
from scheduler.engine.lookup import natural_sort_key
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.requests import RequestKind

_MAX_NAME_CHARS = 60
_KIND_PREFIX = "kind:"


def make_kind_subject(kind: RequestKind) -> str:
    """A subject for the Attention page: all requests of that kind."""
    return f"{_KIND_PREFIX}{kind.value}"


class AttentionFilters(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kind, self.workflow = QComboBox(), QComboBox()
        name_combo_box(self.kind, self.tr("What is asked"))
        self.kind.addItem(self.tr("Everything"), "")
        name_combo_box(self.workflow, self.tr("Workflow"))
        self.workflow.addItem(self.tr("All workflows"), "")
        self.workflow.setMaximumWidth(320)
        layout = FlowLayout()
        self.setLayout(layout)
        self.count = QLabel()
        set_style(self.count, "ink", "muted")
        for box in (self.kind, self.workflow):
            layout.addWidget(box)
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
        layout.addWidget(self.count)
        install_wheel_guard(self)

    @property
    def is_active(self) -> bool:
        return bool(self.kind.currentData() or self.workflow.currentData())

    def make_predicate(self) -> Callable[[RequestView], bool]:
        """Whether a request is wanted. Kinds with the same label are one choice."""
        kind, workflow = self.kind.currentData(), self.workflow.currentData()
        return lambda one: (
            (not kind or sign_request(one.kind).word == kind) and (not workflow or workflow in one.workflows)
        )

    def show_choices(self, overview: Overview) -> bool:
        """What there is to choose from; True if a choice is gone, and its filter with it."""
        before = self.kind.currentData(), self.workflow.currentData()
        kinds = sorted({sign_request(one.kind).word for one in overview.requests})
        refill_combo_box(self.kind, ((word, word) for word in kinds))
        slugs = {slug for one in overview.requests for slug in one.workflows}
        names = sorted(((overview.name_of(slug), slug) for slug in slugs), key=lambda one: natural_sort_key(one[0]))
        shown = ((escape_invisible(truncate(name, _MAX_NAME_CHARS)), slug) for name, slug in names)
        refill_combo_box(self.workflow, shown)
        return before != (self.kind.currentData(), self.workflow.currentData())

    def show_count(self, requests: Sequence[RequestView]) -> None:
        """`110 of 132`, if they are not all shown."""
        is_wanted = self.make_predicate()
        words = self.tr("{shown} of {number}").format(
            shown=format_number(sum(map(is_wanted, requests))), number=format_number(len(requests))
        )
        self.count.setText(words)
        self.count.setVisible(self.is_active)

    def is_subject(self, subject: str) -> bool:
        """Whether `make_kind_subject` made it."""
        return subject.startswith(_KIND_PREFIX)

    def apply_subject(self, subject: str) -> bool:
        """Show only what it says; False if there is nothing of that kind to choose."""
        place = self.kind.findData(sign_request(RequestKind(subject.removeprefix(_KIND_PREFIX))).word)
        if place >= 0:
            self.kind.setCurrentIndex(place)
        return place >= 0

    def clear(self) -> None:
        for box in (self.kind, self.workflow):
            box.setCurrentIndex(0)
