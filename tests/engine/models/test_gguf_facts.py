"""What is told of a GGUF file before it is imported."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from engine.messages import Answer, EstimateMemory, Failed, Inspect
from engine.models.facts import read_facts
from engine.models.gguf import import_gguf
from engine.models.gguf_facts import read_gguf_facts
from engine.models.locate import find_starter, resolve_target
from engine.text.desk import TextDesk
from tests.engine.models.tiny_gguf import write_tiny_gguf


def test_a_file_is_known_before_its_import_as_it_is_after_it(data_dir):
    path = find_starter()
    before = read_gguf_facts("starter", path)
    list(import_gguf(path, data_dir))
    after = read_facts("starter", resolve_target(str(path), data_dir))
    assert before.weight_bytes == after.weight_bytes
    same = {"folder": "", "tokenizer_id": "", "switches": (), "reasoning": (), "sampling": before.sampling}
    assert replace(before, **same, licence="") == replace(after, **same, licence="")


def test_memory_is_estimated_before_the_import(tmp_path, data_dir):
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    desk, question = TextDesk(data_dir), EstimateMemory(1, str(path), "none", 128, 2)
    before = desk.answer(question)
    list(import_gguf(path, data_dir))
    after = desk.answer(question)
    assert isinstance(before, Answer)
    assert isinstance(after, Answer)
    same = {"available_bytes": 0, "limit_bytes": 0}
    assert replace(before.value, **same) == replace(after.value, **same)


def test_a_file_that_cannot_be_imported_says_why(tmp_path, data_dir):
    path = write_tiny_gguf(tmp_path / "tiny.gguf", tokenizer__ggml__pre="klingon")
    answer = TextDesk(data_dir).answer(Inspect(1, str(path)))
    assert isinstance(answer, Failed)
    assert "klingon" in answer.text


def test_asking_loads_no_arrays(tmp_path):
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    code = (
        "import sys; from pathlib import Path; from engine.messages import Inspect; "
        "from engine.text.desk import TextDesk; "
        f"print(TextDesk(Path({str(tmp_path)!r})).answer(Inspect(1, {str(path)!r})).value.name, "
        "'mlx.core' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["tiny", "False"]
