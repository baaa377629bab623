"""Choice: one of several, in a list that pops up."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QStandardItem,
    QStandardItemModel,
    QWheelEvent,
)
from PySide6.QtWidgets import QComboBox, QListView, QSizePolicy, QWidget

from app.statistics.chart import running_as_written
from app.statistics.sizes import scaled
from app.theme.buttons import KEYBOARD_REASONS
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.mirroring import mirrored
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

PAD, CHEVRON, MOST = 12, 14, 320  # px


class Choice(QComboBox):
    """Qt's own box, so that arrow keys and screen readers know it; only the closed box is painted here."""

    chosen = Signal(str)  # the key of an option, by the user

    def __init__(
        self, theme: Theme, options: Sequence[tuple[str, str]] = (), name: str = "", parent: QWidget | None = None
    ) -> None:
        """`options` are keys and words."""
        super().__init__(parent)
        self._theme = theme
        self._has_keyboard_focus = False
        view = QListView(self)
        view.setProperty("kind", "options")
        self.setView(view)
        self.setAccessibleName(name)
        self.setFont(font("interface"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.show_options(options)
        self.activated.connect(lambda place: self.chosen.emit(self.itemData(place)))
        theme.tokens_changed.connect(self._refit)

    @property
    def key(self) -> str:
        return self.currentData() or ""

    def choose(self, key: str) -> None:
        """Show an option without telling of a choice; one that is not offered changes nothing."""
        place = self.findData(key)
        if place >= 0:
            self.setCurrentIndex(place)

    def show_options(self, options: Sequence[tuple[str, str]], refusals: Sequence[str] = ()) -> None:
        """The one that was chosen stays chosen; `refusals` say, one by one, why an option cannot be, or ""."""
        key, model = self.key, QStandardItemModel(self)
        for place, (own, words) in enumerate(options):
            item = QStandardItem(words)
            item.setData(own, Qt.ItemDataRole.UserRole)
            if place < len(refusals) and refusals[place]:
                item.setEnabled(False)
                item.setToolTip(plain_tooltip(refusals[place]))
                item.setData(refusals[place], Qt.ItemDataRole.AccessibleDescriptionRole)
            model.appendRow(item)
        self.setModel(model)
        self.choose(key)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(font("interface"))
        widest = max((metrics.horizontalAdvance(self.itemText(place)) for place in range(self.count())), default=40)
        return QSize(min(scaled(MOST), round(widest) + 2 * PAD + CHEVRON + 8), scaled(30))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(scaled(90), self.sizeHint().width()), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens, rect = QPainter(self), self._theme.tokens, QRectF(self.rect())
        ground = tokens.hover if self.underMouse() and self.isEnabled() else tokens.raised
        draw_round(painter, rect, 7, ground, tokens.line)
        room = QRectF(PAD, 0, rect.width() - 2 * PAD - CHEVRON - 6, rect.height())
        metrics = QFontMetricsF(font("interface"))
        words = metrics.elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width())
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.ink if self.isEnabled() else tokens.ink3))
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
        with running_as_written(painter):
            place = mirrored(room, rect, self.layoutDirection())
            painter.drawText(place, side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter, words)
        chevron = QRectF(0, 0, CHEVRON, CHEVRON)
        chevron.moveCenter(QPointF(rect.width() - PAD - CHEVRON / 2, rect.height() / 2))
        draw_symbol(painter, "chevron-down", tokens.ink3, mirrored(chevron, rect, self.layoutDirection()))
        if self._has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # it scrolls the page

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._has_keyboard_focus = event.reason() in KEYBOARD_REASONS
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._has_keyboard_focus = False
        super().focusOutEvent(event)

    def _refit(self) -> None:
        self.updateGeometry()
        self.update()
