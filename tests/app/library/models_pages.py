"""What the page of models shows, as tests compare it."""

from __future__ import annotations

from app.figures import NO_BREAK
from app.library.models_page import ModelsPage


def words_of(page: ModelsPage) -> list[tuple[str, str]]:
    """Name and fit of each model."""
    return [(row.name, row.verdict.sentence.replace(NO_BREAK, " ")) for row in page.here.list.rows.rows if row.model]


def lines_of(page: ModelsPage) -> list[str]:
    return [row.line.replace(NO_BREAK, " ") for row in page.here.list.rows.rows if row.model]
