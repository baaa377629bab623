"""TourEngine: the scripted engine, which knows the models of the tour, renders templates and can be kept measuring."""

from __future__ import annotations

from engine.messages import (
    Answer,
    Cancel,
    ChatTemplate,
    Command,
    Delta,
    Failed,
    Finished,
    Inspect,
    InspectDrafter,
    PreviewTemplate,
    PromptSpan,
    ReadTemplate,
    RenderedPrompt,
    Statistics,
    Submit,
)
from tests.app.fake_engine import FakeEngine
from tests.app.tour import shelf

TEMPLATE = """{%- for message in messages %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{%- endfor %}
{%- if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""
NUM_TRIALS = 6  # two that warm up, and both of two prompts
FAULT = "The template failed at line 3: 'content' is undefined."


class TourEngine(FakeEngine):
    """Of the replies that measure something the first ones end, and the others run until they are cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.make_facts, self.estimate = shelf.facts, shelf.estimate
        self.num_trials = NUM_TRIALS  # that end

    def send(self, *commands: Command) -> None:
        for command in commands:
            match command:
                case Submit(is_trial=True):
                    self.commands.append(command)
                    self._answer_trial(command)
                case Cancel(request_id=request_id) if request_id in self._trials():
                    self.emit(Finished(request_id, "cancelled"))
                case Inspect(request_id=request_id, target=target) if reason := shelf.refusal_of(target):
                    self.emit(Failed(request_id, "model", reason))
                case InspectDrafter():
                    self.emit(Answer(command.request_id, shelf.drafter(command)))
                case ReadTemplate(request_id=request_id):
                    self.emit(Answer(request_id, ChatTemplate(TEMPLATE)))
                case PreviewTemplate():
                    self.emit(preview(command))
                case _:
                    super().send(command)

    def _answer_trial(self, submit: Submit) -> None:
        if not self.num_trials:
            return
        self.num_trials -= 1
        for num_tokens in (2, submit.sampling.max_tokens):
            statistics = Statistics(num_tokens=num_tokens, tokens_per_second=41.0, num_rows=1)
            self.emit(Delta(submit.request_id, "x", (1,), 0, statistics))
        self.emit(Finished(submit.request_id, "length"))

    def _trials(self) -> set[int]:
        return {one.request_id for one in self.submits if one.is_trial}


def preview(question: PreviewTemplate) -> Answer | Failed:
    if question.template and "message.content }}" not in question.template:
        return Failed(question.request_id, "template", FAULT)
    text, spans = "", []
    for turn in question.turns:
        for kind, part in (
            ("control", f"<|im_start|>{turn.role}"),
            ("", "\n"),
            (turn.role, turn.text),
            ("control", "<|im_end|>"),
            ("", "\n"),
        ):
            if kind:
                spans.append(PromptSpan(len(text), len(text) + len(part), kind))
            text += part
    spans.append(PromptSpan(len(text), len(text) + 21, "control"))
    prompt = RenderedPrompt(f"{text}<|im_start|>assistant\n", 118, 0.0021, tuple(spans))
    return Answer(question.request_id, prompt)
