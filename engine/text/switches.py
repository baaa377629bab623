"""Finds the variables of a chat template that steer thinking: by how its source uses them, and by what they change."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jinja2 import nodes

from engine.messages import TemplateSwitch
from engine.text.deadline import TimeUp, deadline
from engine.text.rendering import RAISED, TemplateError, render_template
from engine.text.template_reading import parse, walk

TOTAL_SECONDS = 0.9  # of all that a template is looked at; a long one takes a good part of that to be compiled
MAX_VALUES = 8  # of one switch, so that a strange template costs little
MAX_NAMES = 32  # of variables that may steer thinking; published templates have three at most
ON, OFF = "on", "off"
EFFORTS = ("off", "none", "no_think", "minimal", "low", "medium", "high", "xhigh", "max")
USUAL_EFFORTS = ("low", "medium", "high")  # where a template writes whatever it is given
_OTHERS = {"on": "off", "off": "on", "enabled": "disabled", "disabled": "enabled"}
_NAME = re.compile("think|reason|effort", re.IGNORECASE)
_HISTORY = re.compile("preserve|keep|clear|history|last|past", re.IGNORECASE)  # of thinking that was written before
_SYSTEM, _USER = {"role": "system", "content": "s"}, {"role": "user", "content": "u"}
_CHATS = ([_USER], [_SYSTEM, _USER])

Value = bool | str
Prompts = tuple[str, ...]


@dataclass(slots=True)
class Use:
    """How a template uses one variable."""

    texts: list[str] = field(default_factory=list)  # that it is compared with, or looked for among
    is_number: bool = False  # compared with one, or calculated with
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    switch: TemplateSwitch
    is_text: bool  # its values are given as they are called, else "on" is true and "off" false
    prompts: frozenset[Prompts]  # that its values give


class _Probe:
    """Writes the prompts of some short chats with a template, in a limited time altogether."""

    def __init__(self, source: str, special_tokens: Mapping[str, str]) -> None:
        self._source, self._special_tokens = source, special_tokens
        self._end = time.thread_time() + TOTAL_SECONDS

    def prompts(self, values: Mapping[str, Value]) -> Prompts:
        """With these variables; none where the template refuses all chats or the time is up."""
        prompts = tuple(self._prompt(messages, values) for messages in _CHATS)
        return prompts if any(prompts) else ()

    def _prompt(self, messages: Sequence[Mapping[str, str]], values: Mapping[str, Value]) -> str:
        variables = {
            **self._special_tokens,
            **values,
            "messages": messages,
            "tools": None,
            "documents": None,
            "add_generation_prompt": True,
            "strftime_now": lambda pattern: "",
        }
        seconds = self._end - time.thread_time()
        try:
            return render_template(self._source, variables, seconds) if seconds > 0 else ""
        except TemplateError:
            return ""


def find_switches(source: str, special_tokens: tuple[tuple[str, str], ...] = ()) -> tuple[TemplateSwitch, ...]:
    """Every variable that changes whether or how long a model thinks, in the order of their names."""
    return tuple(found.switch for found in _find_all(source, special_tokens))


def switched(
    source: str, special_tokens: tuple[tuple[str, str], ...], chosen: Sequence[tuple[str, str]]
) -> dict[str, Value]:
    """What a template is given: chosen values of switches that it has, and none that it does not know.

    It is read for them only where something is chosen.
    """
    known = {found.switch.name: found for found in (_find_all(source, special_tokens) if chosen else ())}
    return {
        name: text if known[name].is_text else text == ON
        for name, text in chosen
        if name in known and text in known[name].switch.values
    }


@functools.lru_cache(maxsize=16)
def _find_all(source: str, special_tokens: tuple[tuple[str, str], ...]) -> tuple[_Found, ...]:
    """None of a template that takes too long or fails in whatever way."""
    tree = parse(source)
    if tree is None:
        return ()
    probe = _Probe(source, dict(special_tokens))
    try:
        with deadline(TOTAL_SECONDS):
            return _find_in(tree, probe)
    except (TimeUp, *RAISED):
        return ()


def _find_in(tree: nodes.Template, probe: _Probe) -> tuple[_Found, ...]:
    """Of several variables that do the same one is enough; some do something only where others are on."""
    uses = _uses_in(tree)
    found: dict[frozenset[Prompts], _Found] = {}
    for name, use in uses.items():
        others = {other: True for other in uses if other != name}
        one = _find_switch(name, use, probe, {}) or _find_switch(name, use, probe, others)
        if one is not None:
            found.setdefault(one.prompts, one)
    return tuple(found.values())


def _find_switch(name: str, use: Use, probe: _Probe, others: Mapping[str, Value]) -> _Found | None:
    """The switch of a variable's name, with `others` set; None where its values change nothing, or are numbers or any
    text."""
    if use.is_number:
        return None
    texts = _candidates(name, use)
    values: dict[str, Value] = {text: text for text in texts} if texts else {ON: True, OFF: False}
    prompts = {text: probe.prompts({**others, name: value}) for text, value in values.items()}
    telling = _telling(prompts)
    if len(telling) < 2:
        return None
    without = probe.prompts(others)
    default = next((text for text in telling if prompts[text] == without), "")
    return _Found(TemplateSwitch(name, telling, default), bool(texts), frozenset(prompts[text] for text in telling))


def _candidates(name: str, use: Use) -> tuple[str, ...]:
    """The texts that a variable may be; none of one that is true or false, "" of one that may be any text."""
    usual = USUAL_EFFORTS if "effort" in name.lower() else ()
    others = [_OTHERS[text] for text in use.texts if text in _OTHERS]
    texts = dict.fromkeys((*use.texts, *others, *usual, *([""] if use.is_written else ())))
    known = [effort for effort in EFFORTS if effort in texts]
    return (*known, *(text for text in texts if text not in EFFORTS))[:MAX_VALUES]


def _telling(prompts: Mapping[str, Prompts]) -> tuple[str, ...]:
    """The values that give prompts of their own; of those that give the same, the first."""
    firsts: dict[Prompts, str] = {}
    for text, prompt in prompts.items():
        if prompt and text:
            firsts.setdefault(prompt, text)
    return tuple(firsts.values())


def _uses_in(tree: nodes.Template) -> dict[str, Use]:
    """The variables that may steer thinking, in the order of their names, and how they are used; the first of many."""
    found = tuple(walk(tree))
    names = {node.name for node in found if isinstance(node, nodes.Name) and node.ctx == "load"}
    steering = sorted(name for name in names if _NAME.search(name) and not _HISTORY.search(name))
    uses = {name: Use() for name in steering[:MAX_NAMES]}
    for node in found:
        if isinstance(node, nodes.Compare):
            _note_comparison(node, uses)
        elif isinstance(node, (nodes.Add, nodes.Concat, nodes.Output)):
            for use in _of(node.iter_child_nodes(), uses):
                use.is_written = True
        elif isinstance(node, nodes.BinExpr) and not isinstance(node, (nodes.And, nodes.Or)):
            for use in _of((node.left, node.right), uses):
                use.is_number = True
        elif isinstance(node, nodes.Getitem):
            for use in _of((node.arg,), uses):
                use.is_number = True
    return uses


def _note_comparison(comparison: nodes.Compare, uses: Mapping[str, Use]) -> None:
    sides = [comparison.expr, *(operand.expr for operand in comparison.ops)]
    for use in _of(sides, uses):
        for side in sides:
            items = side.items if isinstance(side, (nodes.Tuple, nodes.List)) else [side]
            values = [item.value for item in items if isinstance(item, nodes.Const)]
            use.texts += [value for value in values if isinstance(value, str) and value]
            use.is_number |= any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _of(sides: Iterable[nodes.Node], uses: Mapping[str, Use]) -> list[Use]:
    """The uses of the variables among some expressions, each once, perhaps through filters such as `lower`."""
    found = {}
    for side in sides:
        while isinstance(side, nodes.Filter) and side.node is not None:
            side = side.node
        if isinstance(side, nodes.Name) and side.name in uses:
            found[side.name] = uses[side.name]
    return list(found.values())
