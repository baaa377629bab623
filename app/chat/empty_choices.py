"""EmptyChoices: what an empty chat is answered with, and the presets that were used last."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.chat.session import ChatSession
from app.settings.presets import DEFAULT_ID, Preset
from app.statistics.sizes import scaled
from app.tasks import start
from app.theme.buttons import PaintedButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.labels import make_label
from app.theme.symbols import draw_symbol
from app.theme.theme import Theme

NUM_ROWS = 3
ROW_WIDTH, ROW_HEIGHT, PAD, CHECK = 280, 30, 12, 16


class EmptyChoices(QWidget):
    """Preset and model in one line, then up to three of the user's own presets, which a click chooses."""

    def __init__(self, theme: Theme, session: ChatSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._model = ""
        self.line = make_label("", "interface", "secondary", wraps=True)
        self.line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.rows = tuple(PresetRow(theme, self) for _ in range(NUM_ROWS))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.line)
        column.addSpacing(10)
        for row in self.rows:
            column.addWidget(row, 0, Qt.AlignmentFlag.AlignHCenter)
            row.clicked.connect(lambda checked=False, row=row: self._choose(row))
        session.choices_changed.connect(self.refresh)
        session.planner.presets.used.connect(self.refresh)
        self.refresh()

    def _choose(self, row: PresetRow) -> None:
        """The one that is chosen gives way to the default one."""
        start(self._session.choose_preset(DEFAULT_ID if row.isChecked() else row.preset_id), saves=True)

    def show_model(self, words: str) -> None:
        """The model by its name, or a sentence on what it is doing."""
        self._model = words
        self.refresh()

    def refresh(self) -> None:
        current = self._session.preset_in_use
        parts = [current.name if current.id != DEFAULT_ID else "", self._model]
        self.line.setText(" · ".join(part for part in parts if part))
        latest = self._session.planner.presets.latest[:NUM_ROWS]
        for place, row in enumerate(self.rows):
            row.setVisible(place < len(latest))
            if place < len(latest):
                row.show_preset(latest[place], is_chosen=latest[place].id == current.id)


class PresetRow(PaintedButton):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Answer with a preset", parent)
        self.preset_id = ""
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_preset(self, preset: Preset, *, is_chosen: bool) -> None:
        self.preset_id = preset.id
        self.setText(preset.name)
        self.setChecked(is_chosen)
        self.setAccessibleName(f"Answer with the preset {preset.name}")
        self.setToolTip("")
        self.update()

    def nextCheckState(self) -> None:
        """The chat says which one is chosen."""

    def sizeHint(self) -> QSize:
        return QSize(scaled(ROW_WIDTH), scaled(ROW_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens, rect = QPainter(self), self.theme.tokens, QRectF(self.rect())
        if self.is_hovered or self.isDown():
            draw_round(painter, rect, 7, tokens.hover)
        metrics = QFontMetricsF(font("interface-medium" if self.isChecked() else "interface"))
        room = rect.width() - 2 * (PAD + CHECK)
        words = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.setFont(font("interface-medium" if self.isChecked() else "interface"))
        painter.setPen(QColor(tokens.ink if self.isChecked() else tokens.ink2))
        left = (rect.width() - metrics.horizontalAdvance(words)) / 2
        painter.drawText(QPointF(left, rect.center().y() + metrics.capHeight() / 2), words)
        if self.isChecked():
            place = QRectF(left - CHECK - 4, rect.center().y() - CHECK / 2, CHECK, CHECK)
            draw_symbol(painter, "check", tokens.target, place)
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)
