"""PresetList: the presets by name, and what can be done with the one that is chosen."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSizePolicy, QWidget

from app.settings.presets import Preset, Presets
from app.statistics.sizes import scaled
from app.theme.fonts import font

ID_ROLE = Qt.ItemDataRole.UserRole
WIDTH, ROW_HEIGHT = 200, 30
DELETE_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class PresetList(QListWidget):
    chosen = Signal(str)  # id
    delete_asked = Signal(str)  # id

    def __init__(self, presets: Presets, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presets = presets
        self.setProperty("kind", "card")
        self.setAccessibleName("Presets")
        self.setFont(font("interface"))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.currentItemChanged.connect(self._tell)
        self.refresh()

    @property
    def preset(self) -> Preset:
        """The one that is chosen."""
        item = self.currentItem()
        return self._presets.get(item.data(ID_ROLE) if item is not None else "")

    def choose(self, preset_id: str) -> None:
        """One that is gone is the default one."""
        wanted = self._presets.get(preset_id).id
        ids = [self.item(place).data(ID_ROLE) for place in range(self.count())]
        if wanted in ids:
            self.setCurrentRow(ids.index(wanted))

    def refresh(self) -> None:
        """Show what presets there are; the one that was chosen stays chosen, or the one beside it."""
        presets, current = self._presets.all, self.preset.id
        place = self.currentRow()
        self.blockSignals(True)
        while self.count() > len(presets):
            self.takeItem(self.count() - 1)
        while self.count() < len(presets):
            self.addItem(QListWidgetItem())
        for row, preset in enumerate(presets):
            self.item(row).setText(preset.name)
            self.item(row).setData(ID_ROLE, preset.id)
            self.item(row).setSizeHint(QSize(0, scaled(ROW_HEIGHT)))
        ids = [preset.id for preset in presets]
        self.setCurrentRow(ids.index(current) if current in ids else max(0, min(place, len(ids) - 1)))
        self.blockSignals(False)
        if self.preset.id != current:
            self.chosen.emit(self.preset.id)

    def _tell(self) -> None:
        self.chosen.emit(self.preset.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in DELETE_KEYS:
            self.delete_asked.emit(self.preset.id)
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(scaled(WIDTH), scaled(120))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()
