"""What to do about the errors of a template that a user writes, in sentences."""

from __future__ import annotations

import jinja2
from jinja2.exceptions import SecurityError, TemplateAssertionError, UndefinedError

SHORTER = "Make its loops shorter."
WRITE_LESS = "Write less beside the messages."
WRITE_SOMETHING = "Write the messages, such as `{{ messages[0].content }}`."
_OTHER = "Change what this line does with its values."

# The first that an error is one of. A template calls raise_exception itself, which raises the most general of Jinja's.
_REMEDIES: tuple[tuple[type[Exception], str], ...] = (
    (TemplateAssertionError, "Use one that chat templates have, such as `trim`, `join`, `tojson` or `defined`."),
    (jinja2.TemplateSyntaxError, "Write values as `{{ … }}`, statements as `{% … %}` and comments as `{# … #}`."),
    (
        UndefinedError,
        "Use what a template is given (`messages` with `role` and `content`, `add_generation_prompt`, `bos_token`, "
        "`eos_token`), or set it before.",
    ),
    (SecurityError, "Leave it out, or make it smaller."),
    (
        jinja2.TemplateError,
        "The template refuses this chat itself, by `raise_exception`: change that line or the chat.",
    ),
    (RecursionError, "Let its blocks and macros hold fewer of each other."),
    (MemoryError, "Make less text and shorter lists."),
)


def find_remedy(error: Exception) -> str:
    """The sentence for what compiling or running a template raised."""
    return next((remedy for kind, remedy in _REMEDIES if isinstance(error, kind)), _OTHER)
