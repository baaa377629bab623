"""What a template may make: each way to too much text, long lists or long work ends soon, and real templates render."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from engine.messages import Turn
from engine.text.rendering import TemplateError
from engine.text.templates import render
from tests.engine.text.small_tokenizers import byte_tokenizer

BIG = "{% set s = 'ab' * 10000000 %}"
LISTS = "{% set l = range(10000) | list %}"
DOUBLED = (
    "{% set n = namespace(a=[1, 1], b=[1, 1]) %}"
    "{% for i in range(40) %}{% set n.a = [n.a, n.a] %}{% set n.b = [n.b, n.b] %}{% endfor %}"
)
PAIRED = "{% set n = namespace(a=(1, 1)) %}{% for i in range(40) %}{% set n.a = (n.a, n.a) %}{% endfor %}"
ATTACKS = {
    "sum of lists": LISTS + "{{ ([l] * 1000) | sum(start=[]) }}",
    "few sums of lists": LISTS + "{{ ([l] * 300) | sum(start=[]) | length }}",
    "join filter": BIG + "{{ ([s] * 100) | join }}",
    "join of a separator": BIG + "{{ range(100) | join(s) }}",
    "join method": BIG + "{{ ''.join([s] * 100) }}",
    "join of an attribute": BIG + "{{ ([{'a': s}] * 100) | join(attribute='a') }}",
    "format filter": "{{ ('%999999d' * 320) | format(*([1] * 320)) }}",
    "printf": "{{ ('%999999d' * 320) % ((1,) * 320) }}",
    "printf of one text": BIG + "{{ '%(a)s%(a)s%(a)s%(a)s%(a)s%(a)s' % {'a': s} }}",
    "format method": "{{ ('{0:999999}' * 320).format(1) }}",
    "format width from a value": "{{ ('{0:{1}}').format(1, '999999999') }}",
    "format map": "{{ '{a:999999999}'.format_map({'a': 1}) }}",
    "printf width from a value": "{{ '%*d' % (999999999, 1) }}",
    "json indent": "{{ (range(10000) | list) | tojson(indent=16000) }}",
    "json separators": "{{ (range(10000) | list) | tojson(separators=(',' * 16000, ':')) }}",
    "json of a text": "{{ ('\x01' * 60000000) | tojson }}",
    "json of doubled lists": DOUBLED + "{{ n.a | tojson }}",
    "indent": "{{ ('\n' * 100000) | indent(100000, blank=true) }}",
    "replace filter": "{{ ('a' * 1000000) | replace('a', 'b' * 1000) }}",
    "replace method": "{{ ('a' * 1000000).replace('a', 'b' * 1000) }}",
    "loop of texts": "{% set n = namespace(l=[]) %}{% for i in range(99) %}"
    "{% set n.l = n.l + [('a' * 30000000) ~ i] %}{% endfor %}",
    "loop of slices": BIG + "{% set n = namespace(l=[]) %}{% for i in range(99) %}"
    "{% set n.l = n.l + [s[i:]] %}{% endfor %}",
    "loop of blocks": "{% set n = namespace(l=[]) %}{% for i in range(99999) %}{% set x %}"
    + "x" * 9999
    + "{{ i }}{% endset %}{% set n.l = n.l + [x] %}{% endfor %}",
    "list of characters": BIG + "{{ s | list | length }}",
    "list times a number": LISTS + "{{ (l * 100000) | length }}",
    "list added to itself": "{% set n = namespace(l=[1]) %}"
    "{% for i in range(40) %}{% set n.l = n.l + n.l %}{% endfor %}",
    "split": "{{ ('a ' * 10000000).split() | length }}",
    "split at a text": "{{ ('a,' * 10000000).split(',') | length }}",
    "lines": "{{ ('\n' * 10000000).splitlines() | length }}",
    "pad": "{{ 'x'.ljust(10 ** 9) }}",
    "tabs": "{{ ('\t' * 1000000).expandtabs(1000) }}",
    "bytes": "{{ (5).to_bytes(10 ** 9) }}",
    "fold": "{{ [1] | batch(10 ** 9, 0) | list }}",
    "capitals": "{% set s = 'ΐ' * 9000000 %}{{ s.upper() ~ s.upper() ~ s.upper() }}",
    "search from the end": "{{ ('a' * 5000000).rfind('b' + 'a' * 2000000) }}",
    "strip": "{{ ('a' * 5000000).strip('b' * 1000000 + 'a') }}",
    "compare doubled lists": DOUBLED + "{{ n.a == n.b }}",
    "find a doubled list": DOUBLED + "{{ n.a in [n.b] }}",
    "select a doubled list": DOUBLED + "{{ [n.a] | select('equalto', n.b) | list | length }}",
    "write a doubled list": DOUBLED + "{{ n.a }}",
    "write a namespace": "{% set n = namespace() %}{% set n.a = n %}{{ n }}" + DOUBLED + "{{ n }}",
    "string of a doubled list": DOUBLED + "{{ (n.a | string) | length }}",
    "changed": DOUBLED + "{% for i in range(2) %}{{ loop.changed(n.a if i else n.b) }}{% endfor %}",
    "key of doubled pairs": PAIRED + "{{ {n.a: 1} | length }}",
    "look up doubled pairs": PAIRED + "{{ {}[n.a] }}{{ {}.get(n.a) }}",
    "name a missing key": DOUBLED + "{{ {}[n.a].x }}",
    "unique doubled pairs": PAIRED + "{{ [n.a] | unique | list }}",
    "find a long text": BIG + "{{ (s + 'a') in ([s + 'b'] * 100000) }}",
    "sort long texts": BIG + "{{ ([s + 'a', s + 'b'] * 10000) | sort | length }}",
    "starts with": BIG + "{{ s.startswith((s + 'b',) * 100000) }}",
    "round": "{{ 1 | round(-(10 ** 9)) }}",
    "round up": "{{ 1.5 | round(10 ** 9, 'ceil') }}",
    "long number": "{{ ('f' * 40000000) | int(base=16) }}",
    "remainder": "{{ 0x" + "f" * 40000 + " % 0x" + "e" * 20000 + " }}",
    "escape": BIG + "{% autoescape true %}{{ s | e | e | e | e }}{% endautoescape %}",
    "time": "{{ strftime_now('%c' * 1000000) }}",
    "macro": BIG + "{% macro m(x) %}{{ x }}{{ x }}{% endmacro %}{{ m(m(m(m(s)))) }}",
}
MAX_MEGABYTES = 250

MEASURE = """
import resource, sys
from tests.engine.text.test_sandbox import ATTACKS, attack
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for template in ATTACKS.values():
    attack(template, 0.2)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown // (1_000_000 if sys.platform == "darwin" else 1_000))
"""


def attack(template: str, limit_seconds: float = 1.0) -> str:
    """The sentence that an attack ends with, "" where it was let through."""
    try:
        render(byte_tokenizer(), [Turn("user", "Hi")], template, limit_seconds)
    except TemplateError as error:
        return error.sentence("The template")
    return ""


@pytest.mark.parametrize("name", ATTACKS)
def test_no_single_operation_holds_the_thread(name: str) -> None:
    start = time.thread_time()
    sentence = attack(ATTACKS[name])
    assert time.thread_time() - start < 1.5
    assert sentence.startswith("The template failed")
    assert len(sentence) < 200


@pytest.mark.skipif(sys.platform == "win32", reason="the resource module is not there")
def test_no_template_takes_much_memory() -> None:
    ended = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    assert int(ended.stdout) < MAX_MEGABYTES


LLAMA3 = (
    "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + "
    "message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}"
    "{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{%- if messages[0]['role'] == 'system' -%}{%- set first = messages[0]['content'] + '\n\n' -%}"
    "{%- set loop_messages = messages[1:] -%}{%- else -%}{%- set first = '' -%}{%- set loop_messages = messages -%}"
    "{%- endif -%}{%- for message in loop_messages -%}"
    "{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}{{ raise_exception('roles must alternate') }}"
    "{%- endif -%}{%- set role = 'model' if message['role'] == 'assistant' else message['role'] -%}"
    "{{ '<start_of_turn>' + role + '\n' + (first if loop.first else '') }}"
    "{%- if message['content'] is string -%}{{ message['content'] | trim }}"
    "{%- elif message['content'] is iterable -%}{%- for item in message['content'] -%}{{ item.text | trim }}"
    "{%- endfor -%}{%- endif -%}{{ '<end_of_turn>\n' }}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<start_of_turn>model\n' }}{%- endif -%}"
)
QWEN3 = (
    "{%- if tools %}{%- for tool in tools %}{{ tool | tojson }}{%- endfor %}{%- else %}"
    "{%- if messages[0].role == 'system' %}{{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}"
    "{%- endif %}{%- endif %}{%- set ns = namespace(multi_step=true, last=messages|length - 1) %}"
    "{%- for message in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}"
    "{%- if ns.multi_step and message.role == 'user' and message.content is string and "
    "not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}"
    "{%- set ns.multi_step = false %}{%- set ns.last = index %}{%- endif %}{%- endfor %}"
    "{%- for message in messages %}{%- set content = message.content if message.content is string else '' %}"
    "{%- if (message.role == 'user') or (message.role == 'system' and not loop.first) %}"
    "{{- '<|im_start|>' + message.role + '\n' + content + '<|im_end|>' + '\n' }}"
    "{%- elif message.role == 'assistant' %}{%- set thought = '' %}{%- if '</think>' in content %}"
    "{%- set thought = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}"
    "{%- set content = content.split('</think>')[-1].lstrip('\n') %}{%- endif %}"
    "{{- '<|im_start|>' + message.role + '\n' + content }}{%- if message.tool_calls %}{{ 'tools' }}{%- endif %}"
    "{{- '<|im_end|>\n' }}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}"
    "{%- endif %}"
)
TALK = [Turn("system", "S"), Turn("user", " Hi "), Turn("assistant", "<think>\nhm\n</think>\n\nHo"), Turn("user", "So")]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            LLAMA3,
            "<|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHi"
            "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n<think>\nhm\n</think>\n\nHo<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nSo<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
        (
            GEMMA,
            "<start_of_turn>user\nS\n\nHi<end_of_turn>\n<start_of_turn>model\n<think>\nhm\n</think>\n\nHo"
            "<end_of_turn>\n<start_of_turn>user\nSo<end_of_turn>\n<start_of_turn>model\n",
        ),
        (
            QWEN3,
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\n Hi <|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n"
            "<|im_start|>user\nSo<|im_end|>\n<|im_start|>assistant\n",
        ),
    ],
)
def test_the_usual_templates_render(template: str, expected: str) -> None:
    assert render(byte_tokenizer(), TALK, "{% set bos_token = '' %}" + template) == expected


@pytest.mark.parametrize("template", [LLAMA3, GEMMA, QWEN3])
@pytest.mark.parametrize("character", ["x", "日"])
def test_a_very_long_conversation_fits(template: str, character: str) -> None:
    turns = [Turn(role, character * 4_000) for _ in range(250) for role in ("user", "assistant")]
    assert len(render(byte_tokenizer(), turns, "{% set bos_token = '' %}" + template)) > 2_000_000


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[3, 1, 2] | sort | join(', ')", "1, 2, 3"),
        ("[1, 2.5] | sum", "3.5"),
        ("[{'a': 1}, {'a': 2}] | sum(attribute='a')", "3"),
        ("'%s is %05.1f' | format('x', 2)", "x is 002.0"),
        ("'%s-%d' % ('a', 3)", "a-3"),
        ("'{} {b:>4}'.format('a', b=1)", "a    1"),
        ("{'b': 1, 'a': [1, 'é']} | tojson(indent=1)", '{\n "b": 1,\n "a": [\n  1,\n  "é"\n ]\n}'),
        ("'a\nb' | indent(2)", "a\n  b"),
        ("messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list", "['Hi']"),
        ("{'b': 2, 'a': 1} | dictsort | first | last", "1"),
        ("'role' in messages[0] and 'x' not in messages[0]", "True"),
        ("1 < 2 <= 2 and 3 in [1, 2, 3]", "True"),
        ("'abc'[::-1] ~ [1, 2, 3][1:]", "cba[2, 3]"),
        ("'a b'.split(' ', 1)[1] | upper", "B"),
        ("['a', 'b', 'a'] | unique | list | length", "2"),
        ("nothing | default('x') | capitalize", "X"),
        ("dict(a=1).items() | list", "[('a', 1)]"),
        ("'12' | int + 2.6 | round | int", "15"),
        ("'x' | e | safe | reverse", "x"),
    ],
)
def test_what_templates_use_works(expression: str, expected: str) -> None:
    assert render(byte_tokenizer(), [Turn("user", "Hi")], "{{ " + expression + " }}") == expected
