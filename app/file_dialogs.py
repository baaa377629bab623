"""FileDialog: asks for a file or a folder, beginning where the last one was; SaveDialog gives it its ending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget


class FileDialog(QFileDialog):
    """Opened with `open`, which does not wait; it goes when it is closed."""

    _last_folder: Path | None = None  # that a file was chosen in, since the start

    def __init__(self, parent: QWidget, words: str) -> None:
        super().__init__(parent, words)
        known = FileDialog._last_folder
        self.setDirectory(str(known if known is not None and known.is_dir() else Path.home()))
        self.filesSelected.connect(self._remember)
        self.finished.connect(self.deleteLater)

    def _remember(self, names: Iterable[str]) -> None:
        for name in names:
            FileDialog._last_folder = Path(name).parent


class SaveDialog(FileDialog):
    """`endings` has for each filter those that a name may have, the usual one first; none for a folder."""

    def __init__(self, parent: QWidget, words: str, name: str, endings: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(parent, words)
        self._endings = dict(endings)
        self._base = name  # without its ending, as it was written last
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.setNameFilters(tuple(endings))
        self.selectFile(self._named(name))
        self.filterSelected.connect(lambda name_filter: self._take_filter())
        if (field := self._field) is not None:
            field.textEdited.connect(self._take_name)

    @property
    def _field(self) -> QLineEdit | None:
        """Where the name is written, in Qt's own dialog."""
        field = self.findChild(QLineEdit, "fileNameEdit")
        return field if isinstance(field, QLineEdit) else None

    @property
    def _endings_now(self) -> tuple[str, ...]:
        return self._endings[self.selectedNameFilter()]

    def _take_name(self, name: str) -> None:
        self._base = without_ending(name, self._endings_now)

    def _take_filter(self) -> None:
        """Another ending; Qt cuts whatever stands behind the last dot of the name."""
        if (field := self._field) is not None:
            field.setText(self._named(self._base))

    def _named(self, name: str) -> str:
        return with_ending(name, self._endings_now)

    def accept(self) -> None:
        """Give the name its ending before it is asked whether a file of that name may go."""
        field = self._field
        if field is not None and field.text() and not Path(field.text()).is_dir():
            field.setText(self._named(field.text()))
        super().accept()

    def chosen_path(self, name: str) -> Path:
        """The place that was chosen, which another system's dialog may give without its ending."""
        return Path(self._named(name))


def with_ending(name: str, endings: tuple[str, ...]) -> str:
    """A name keeps an ending that it may have, and takes the usual one behind any other dot."""
    is_named = not endings or any(name.lower().endswith(f".{ending}") for ending in endings)
    return name if is_named else f"{name}.{endings[0]}"


def without_ending(name: str, endings: tuple[str, ...]) -> str:
    found = next((ending for ending in endings if name.lower().endswith(f".{ending}")), None)
    return name if found is None else name[: -len(found) - 1]
