"""DraftersPage: which drafters a model can have, how fast they are here, and which one is used."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.figures import write_rate
from app.file_dialogs import FileDialog
from app.models.drafters import drafter_name
from app.models.names import model_name
from app.settings.drafters.automatic_card import AutomaticCard
from app.settings.drafters.candidates import Scan
from app.settings.drafters.legend import Legend
from app.settings.drafters.measurements import Measurement
from app.settings.drafters.picker import Picker, to_measure
from app.settings.drafters.row_list import DrafterList
from app.settings.drafters.rows import Act, rows_of, write_left
from app.settings.form import Choice, Ends, SettingsPage, make_button
from app.settings.preferences import AUTOMATIC
from app.theme.labels import StartLabel
from app.theme.theme import Theme

TITLE = "Drafters"
SENTENCE = "A drafter runs ahead of the model. The text stays the same; only the speed changes."
WHEN = "A change applies to the next reply in every tab that has no drafter of its own."
MEASURED_WITH = "Measured with six prompts of the program’s own, none of your chats; the median counts."


class DraftersPage(SettingsPage):
    def __init__(self, theme: Theme, picker: Picker, parent: QWidget | None = None) -> None:
        self.targets = Choice(theme, name="Model that drafts are for")
        super().__init__(theme, TITLE, SENTENCE, end=self.targets, can_restore=False, parent=parent)
        self._picker = picker
        self._target = picker.target
        self._options: list[tuple[str, str]] = []  # models to choose from
        self.measure_all = make_button("Measure all", self._measure_all)
        self.automatic = AutomaticCard(theme, self.measure_all)
        self.legend = Legend(theme)
        self.list = DrafterList(theme)
        self.problem = StartLabel("", "interface", "secondary")
        self.add_button = make_button("Add folder…", self._ask_for_folder, name="Add a folder with a drafter")
        self._lay_out_parts()
        self._connect()
        self.show_target(picker.target)

    def _lay_out_parts(self) -> None:
        head = QWidget()
        line = QHBoxLayout(head)
        line.setContentsMargins(16, 4, 8, 0)
        line.addWidget(Ends(StartLabel("Or choose one", "interface", "secondary", wraps=False), self.legend))
        holder, button = QWidget(), QWidget()
        words, beside = QVBoxLayout(holder), QHBoxLayout(button)
        words.setSpacing(2)
        words.setContentsMargins(16, 0, 0, 0)
        words.addWidget(StartLabel(WHEN, "small", "secondary"))
        words.addWidget(StartLabel(MEASURED_WITH, "small", "caption"))
        beside.setContentsMargins(16, 0, 0, 0)
        beside.addStretch(1)
        beside.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignTop)
        for part in (self.automatic, head, self.problem, self.list, Ends(holder, button)):
            self.add(part)
        for first, second in ((self.targets, self.automatic.choice), (self.automatic.choice, self.measure_all)):
            QWidget.setTabOrder(first, second)
        QWidget.setTabOrder(self.measure_all, self.list)
        QWidget.setTabOrder(self.list, self.add_button)

    def _connect(self) -> None:
        self.targets.chosen.connect(self.show_target)
        self.automatic.choice.clicked.connect(lambda: self._picker.choose(self._target, AUTOMATIC))
        self.list.chosen.connect(lambda drafter: self._picker.choose(self._target, drafter))
        self.list.pressed_act.connect(self._act)
        self._picker.changed.connect(self._refresh_if_seen)
        self._picker.library.changed.connect(self._refresh_if_seen)

    @property
    def target(self) -> str:
        """The model whose drafters are shown."""
        return self._target

    def show_target(self, target: str) -> None:
        self._target = target
        self._picker.candidates.refresh(target)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._picker.candidates.refresh(self._target)
        self.refresh()

    def _refresh_if_seen(self) -> None:
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        picker, target = self._picker, self._target
        scan = picker.candidates.of(target)
        self._show_targets()
        is_automatic = picker.choice(target) == AUTOMATIC
        self.automatic.show_choice(is_chosen=is_automatic, sentence=picker.automatic.explain(target).sentence)
        plain: Measurement | None = picker.measurements.plain(target)
        self.legend.show_plain(write_rate(plain.plain_rate) if plain else "")
        self.list.show_rows(rows_of(picker, target))
        problem = scan.error or self._lost(scan) or picker.measuring.ended.get(target, "")
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self._show_measure_all()

    def _lost(self, scan: Scan) -> str:
        """What is wrong with the drafter that was chosen."""
        choice = self._picker.choice(scan.target)
        if choice == AUTOMATIC or not scan.name or scan.candidate(choice):
            return ""
        name = drafter_name(choice)
        return f"{name} was chosen and is not here any more, or does not fit. Choose another drafter, or Automatic."

    def _show_targets(self) -> None:
        found = [(one.target, f"{one.name}  {one.quantisation}".rstrip()) for one in self._picker.library.models]
        known = {key for key, _ in found}
        shown = [
            (key, model_name(key)) for key in dict.fromkeys((self._target, self._picker.target)) if key not in known
        ]
        options = [*shown, *found]
        if options != self._options:
            self._options = options
            self.targets.show_options(options)
        self.targets.choose(self._target)

    def _show_measure_all(self) -> None:
        is_running = self._picker.measuring.is_any
        num_drafters = len(to_measure(self._picker.candidates.of(self._target)))
        seconds = self._picker.measurements.seconds_for(self._target, num_drafters)
        about = f", about {write_left(seconds)}" if seconds else ""
        self.measure_all.setText("Stop measuring" if is_running else f"Measure all{about}")
        self.measure_all.setAccessibleName("Stop measuring" if is_running else f"Measure all drafters{about}")
        self.automatic.refit()

    def _measure_all(self) -> None:
        if self._picker.measuring.is_any:
            self._picker.measuring.stop()
        else:
            self._picker.measure_all(self._target)

    def _act(self, act: Act, drafter: str) -> None:
        candidate = self._picker.candidates.of(self._target).candidate(drafter)
        if act is Act.STOP:
            self._picker.measuring.stop(self._target, drafter)
        elif candidate is not None:
            self._picker.measure(self._target, [candidate])

    def _ask_for_folder(self) -> None:
        dialog = FileDialog(self, "Add a folder with a drafter")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._picker.add_folder)
        dialog.open()
