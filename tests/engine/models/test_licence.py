"""Which licence a model's folder names."""

from __future__ import annotations

import os

import pytest

from engine.models.facts import read_facts
from engine.models.gguf import import_gguf
from engine.models.licence import read_licence
from engine.models.locate import resolve_target
from tests.engine.models.tiny_gguf import write_tiny_gguf


@pytest.mark.parametrize(
    ("front_matter", "expected"),
    [
        ("license: apache-2.0\ntags:\n- mlx\n", "apache-2.0"),
        ("language: en\nlicense: 'mit'  # as upstream\n", "mit"),
        ("license: other\nlicense_name: qwen-research\nlicense_link: x\n", "qwen-research"),
        ("license_name: gemma\n", "gemma"),
        ("license: llama3.1\nlicense_name: other-name\n", "llama3.1"),
        ("license: other\n", "other"),
        ("license: [mit, apache-2.0]\n", "mit, apache-2.0"),
        ("license:\n- mit\n- apache-2.0\ntags: []\n", "mit, apache-2.0"),
        ("license:\ntags:\n- mlx\n", ""),
        ("tags:\n  license: mit\n", ""),
        ("", ""),
        ("license: a\x00b\u202ec\n", "a b c"),
        ("license: " + "x" * 999 + "\n", "x" * 80 + "…"),
    ],
)
def test_the_front_matter_names_it(tmp_path, front_matter, expected):
    (tmp_path / "README.md").write_text(f"---\n{front_matter}---\n# A model\nlicense: none\n", encoding="utf-8")
    assert read_licence(tmp_path, {}) == expected


@pytest.mark.parametrize(
    "text", ["", "# A model\nlicense: mit\n", "---\nlicense: mit\n", "---", "\n---\nlicense: mit\n---\n"]
)
def test_what_is_no_front_matter_names_none(tmp_path, text):
    (tmp_path / "README.md").write_text(text)
    assert read_licence(tmp_path, {}) == ""


def test_the_config_names_it_where_the_readme_does_not(tmp_path):
    assert read_licence(tmp_path, {"license": "mit"}) == "mit"
    assert read_licence(tmp_path, {"license": ["mit"]}) == ""
    (tmp_path / "README.md").write_text("---\nlicense: gemma\n---\n")
    assert read_licence(tmp_path, {"license": "mit"}) == "gemma"


def test_line_ends_of_another_system_and_letters_that_are_none_do_no_harm(tmp_path):
    (tmp_path / "README.md").write_bytes(b"\xef\xbb\xbf---\r\nlicense: mit\r\nx: \xff\xfe\r\n---\r\n\xff")
    assert read_licence(tmp_path, {}) == "mit"


def test_an_enormous_file_and_one_that_a_read_would_wait_for_name_none(tmp_path):
    with (tmp_path / "README.md").open("wb") as file:
        file.truncate(10**11)
    assert read_licence(tmp_path, {}) == ""
    (tmp_path / "README.md").unlink()
    os.mkfifo(tmp_path / "README.md")
    assert read_licence(tmp_path, {}) == ""


def test_facts_carry_it(folder):
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
    assert read_facts("", folder).licence == "apache-2.0"


def test_an_import_keeps_what_its_gguf_file_names(tmp_path, data_dir):
    path = write_tiny_gguf(tmp_path / "tiny.gguf", **{"general.license": "mit"})
    list(import_gguf(path, data_dir))
    assert read_facts("", resolve_target(str(path), data_dir)).licence == "mit"
