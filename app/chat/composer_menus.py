"""The menu that a chip of the composer opens: how the model thinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from engine.messages import TemplateSwitch

ON, OFF = "on", "off"


def pop_up(menu: QMenu, chip: QWidget) -> None:
    """Open a menu above its chip, without waiting for it."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(chip.mapToGlobal(QPoint(0, -menu.sizeHint().height() - 4)))


def thinking_menu(
    parent: QWidget,
    switches: Sequence[TemplateSwitch],
    chosen: Mapping[str, str],
    choose: Callable[[str, str], object],
) -> QMenu:
    """`choose` is given a switch's name and value, "" for what the template does by itself."""
    menu = QMenu("Thinking", parent)
    for switch in switches:
        current = chosen.get(switch.name, switch.default)
        menu.addAction(title_of(switch)).setEnabled(False)
        if not switch.default:
            _add(menu, "As the model does", not current, partial(choose, switch.name, ""))
        for value in switch.values:
            _add(menu, value.replace("_", " ").capitalize(), value == current, partial(choose, switch.name, value))
    menu.addSeparator()
    menu.addAction("The choice is for this chat, from the next reply.").setEnabled(False)
    return menu


def title_of(switch: TemplateSwitch) -> str:
    """ "enable_thinking" -> Thinking, "reasoning_effort" -> Reasoning effort."""
    words = switch.name.removeprefix("enable_").replace("_", " ")
    return words.capitalize()


def thinking_words(switches: Sequence[TemplateSwitch], chosen: Mapping[str, str]) -> str:
    """What the chip says: "Thinking on", "Thinking off", "Thinking high"; how much, where it both thinks and says."""
    values = {switch.name: chosen.get(switch.name, switch.default) for switch in switches}
    booleans = [values[switch.name] for switch in switches if set(switch.values) == {ON, OFF}]
    efforts = [values[switch.name] for switch in switches if set(switch.values) != {ON, OFF}]
    if OFF in booleans:
        return "Thinking off"
    known = [value.replace("_", " ") for value in (*efforts, *booleans) if value]
    return f"Thinking {known[0]}" if known else "Thinking"


def _add(menu: QMenu, words: str, is_current: bool, do: Callable[[], object]) -> QAction:
    action = menu.addAction(words)
    action.setCheckable(True)
    action.setChecked(is_current)
    action.triggered.connect(lambda checked=False: do())
    return action
