"""Finds the variables of a chat template that steer thinking: by how its source uses them, and by what they change."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jinja2 import nodes

from engine.messages import TemplateSwitch
from engine.text.rendering import TemplateError, render_template
from engine.text.template_reading import parse

TOTAL_SECONDS = 1.5  # of all renderings; a long template takes a tenth of that to be compiled
MAX_VALUES = 8  # of one switch, so that a strange template costs little
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
    """Of several variables that do the same one is enough; some do something only where others are on."""
    tree = parse(source)
    if tree is None:
        return ()
    names = {node.name for node in tree.find_all(nodes.Name) if node.ctx == "load"}
    steering = sorted(name for name in names if _NAME.search(name) and not _HISTORY.search(name))
    probe = _Probe(source, dict(special_tokens))
    found: dict[frozenset[Prompts], _Found] = {}
    for name in steering:
        others = {other: True for other in steering if other != name}
        one = _find_switch(tree, name, probe, {}) or _find_switch(tree, name, probe, others)
        if one is not None:
            found.setdefault(one.prompts, one)
    return tuple(found.values())


def _find_switch(tree: nodes.Template, name: str, probe: _Probe, others: Mapping[str, Value]) -> _Found | None:
    """The switch of a variable's name, with `others` set; None where its values change nothing, or are numbers or any
    text."""
    use = _use_of(tree, name)
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


def _use_of(tree: nodes.Template, name: str) -> Use:
    use = Use()
    for node in _walk(tree):
        if isinstance(node, nodes.Compare):
            _note_comparison(node, name, use)
        elif isinstance(node, (nodes.Add, nodes.Concat, nodes.Output)):
            use.is_written |= any(_is(part, name) for part in node.iter_child_nodes())
        elif isinstance(node, nodes.BinExpr) and not isinstance(node, (nodes.And, nodes.Or)):
            use.is_number |= _is(node.left, name) or _is(node.right, name)
        elif isinstance(node, nodes.Getitem):
            use.is_number |= _is(node.arg, name)
    return use


def _walk(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    for child in node.iter_child_nodes():
        yield from _walk(child)


def _note_comparison(comparison: nodes.Compare, name: str, use: Use) -> None:
    sides = [comparison.expr, *(operand.expr for operand in comparison.ops)]
    if not any(_is(side, name) for side in sides):
        return
    for side in sides:
        items = side.items if isinstance(side, (nodes.Tuple, nodes.List)) else [side]
        values = [item.value for item in items if isinstance(item, nodes.Const)]
        use.texts += [value for value in values if isinstance(value, str) and value]
        use.is_number |= any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _is(node: nodes.Node | None, name: str) -> bool:
    """Whether this is the variable, perhaps through filters such as `lower` and `default`."""
    while isinstance(node, nodes.Filter):
        node = node.node
    return isinstance(node, nodes.Name) and node.name == name
