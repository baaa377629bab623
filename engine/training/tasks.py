"""Questions about a text: chat alone teaches little about long prompts. The target writes both text and answer."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine.training.prompts import TrainingPrompt

TASKS = "task"
ARTICLE, CODE, GERMAN = "article", "code", "german"
MOST_PASSAGES = 4  # that one question is asked about

_WRITE = {
    ARTICLE: (
        "Write an encyclopedia entry of four paragraphs on this subject: {topic}",
        "Write a news report of about 300 words with names, places and numbers. It begins with this event: {topic}",
        "Tell in detail, with dates and people, how this came about: {topic}",
    ),
    CODE: (
        "Write a complete Python function with a docstring and comments that has to do with this: {topic}",
        "Write a Python class with three methods for this purpose: {topic}",
    ),
    GERMAN: ("Schreibe einen Absatz auf Deutsch über dieses Thema: {topic}",),
}
_ASK = {
    ARTICLE: (
        "Summarize: {text}",
        "Summarize the text below in three sentences.\n\n{text}",
        "{text}\n\nWhat are the main points of this text?",
        "Read the following passage and list all names and numbers in it.\n\n{text}",
        "Rewrite this text so that a child understands it:\n\n{text}",
        "Correct the grammar of this text and repeat it in full.\n\n{text}",
        "Translate English to German: {text}",
    ),
    CODE: (
        "Rename the first parameter to `value` everywhere and give me the whole code:\n\n{text}",
        "Add type hints to this code and print all of it again.\n\n{text}",
        "Explain step by step what this code does:\n\n{text}",
        "Find a mistake in this code, mend it, and repeat the complete code.\n\n{text}",
        "Write tests for this code:\n\n{text}",
    ),
    GERMAN: (
        "Translate German to English: {text}",
        "Übersetze den folgenden Text ins Englische:\n\n{text}",
        "Fasse diesen Text zusammen:\n\n{text}",
    ),
}
_ABOUT_MANY = (
    "Answer the question with the help of these passages.\n\n{text}\n\nQuestion: {question}",
    "{text}\n\nBased on the documents above, answer: {question}",
)


def ask_for_passages(topics: Sequence[TrainingPrompt], count: int, seed: int) -> list[tuple[str, TrainingPrompt]]:
    """Prompts whose replies are texts to ask about, each with the kind of its text; topics are questions' own words."""
    mixer = random.Random(seed)
    chosen = mixer.sample(list(topics), min(count, len(topics)))
    kinds = mixer.choices((ARTICLE, CODE, GERMAN), weights=(6, 3, 1), k=len(chosen))
    return [
        (kind, TrainingPrompt((mixer.choice(_WRITE[kind]).format(topic=_topic(prompt)),), TASKS))
        for kind, prompt in zip(kinds, chosen, strict=True)
    ]


def ask_about(
    passages: Sequence[tuple[str, str]], questions: Sequence[TrainingPrompt], seed: int
) -> list[TrainingPrompt]:
    """Two questions about every passage, and some about several articles at once; passages are (kind, text)."""
    mixer = random.Random(seed)
    tasks = [
        TrainingPrompt((ask.format(text=text),), TASKS)
        for kind, text in passages
        for ask in mixer.sample(_ASK[kind], 2)
    ]
    articles = [text for kind, text in passages if kind == ARTICLE]
    for _ in range(len(articles) // 2):
        several = mixer.sample(articles, min(len(articles), mixer.randint(2, MOST_PASSAGES)))
        question = mixer.choice(questions).turns[-1] if mixer.random() < 0.3 else _question(several[0], mixer)
        tasks.append(
            TrainingPrompt((mixer.choice(_ABOUT_MANY).format(text="\n\n".join(several), question=question),), TASKS)
        )
    return tasks


def _question(article: str, mixer: random.Random) -> str:
    """A question whose answer stands in an article, as far as a sentence of it can make one."""
    sentences = [part.strip() for part in article.replace("\n", " ").split(". ") if len(part.split()) > 5]
    about = " ".join(mixer.choice(sentences).split()[:8]) if sentences else article[:60]
    return f"what is said about “{about} …”?"


def _topic(prompt: TrainingPrompt) -> str:
    return " ".join(prompt.turns[-1].split()[:40])
