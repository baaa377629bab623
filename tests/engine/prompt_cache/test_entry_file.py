"""An entry's file holds what was written, and nothing that was changed since is taken for it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from safetensors import safe_open

from engine.prompt_cache.disk import Disk
from engine.prompt_cache.entry_file import (
    Creator,
    DamagedFileError,
    EntryFileError,
    ForeignFileError,
    decode_header,
    encode_header,
    header_end,
)
from engine.prompt_cache.folder import Folder, GivenUpError
from tests.engine.prompt_cache.disk_harness import STREAM, checkpoint, file_of, page, tensors_of

CREATOR = Creator("a conversation \udc80", "headless")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path, Disk())


@pytest.mark.parametrize("entry", [page(3), page(0, 0), checkpoint(2)], ids=["page", "no tokens", "checkpoint"])
def test_what_was_written_is_read(folder, entry):
    num_bytes = folder.write(entry, STREAM, CREATOR, tensors_of())
    header, tensors = folder.read(entry.key)
    assert (header.entry, header.stream, header.creator) == (entry, STREAM, CREATOR)
    assert tensors == tensors_of()
    assert header.num_bytes == num_bytes == file_of(folder.root, entry).stat().st_size
    assert folder.read_header(entry.key) == header


def test_an_entry_may_have_no_tensors(folder):
    folder.write(page(1), STREAM, CREATOR, {})
    assert folder.read(page(1).key)[1] == {}


def test_other_programs_can_read_the_file(folder):
    folder.write(page(1), STREAM, Creator("c"), tensors_of())
    with safe_open(file_of(folder.root, page(1)), "np") as file:
        assert set(file.keys()) == set(tensors_of())
        assert file.metadata()["token_ids"] == "4,5,6,7"
        assert file.get_tensor("grown.2").tobytes() == bytes(tensors_of()["grown.2"].data)


def test_data_lie_aligned_in_the_file(folder):
    folder.write(page(1), STREAM, CREATOR, tensors_of(num_items=3))
    places = folder.read_header(page(1).key).places
    assert all(begin % {"BF16": 2, "F16": 2}.get(dtype, 4) == 0 for dtype, _, begin, _ in places.values())


def test_views_of_many_dimensions_are_written(folder):
    flat = tensors_of()["grown.2"]
    shaped = type(flat)("U32", (1, 6), flat.data.cast("I", (1, 6)))
    folder.write(page(1), STREAM, CREATOR, {"grown.2": shaped})
    assert folder.read(page(1).key)[1] == {"grown.2": flat}


@pytest.mark.parametrize("size", [0, 7, 8, "half", "all but one", "one more"])
def test_a_file_of_another_length_is_damaged(folder, size):
    folder.write(page(1), STREAM, CREATOR, tensors_of())
    path = file_of(folder.root, page(1))
    content = path.read_bytes()
    length = {"half": len(content) // 2, "all but one": len(content) - 1, "one more": len(content) + 1}.get(size, size)
    path.write_bytes((content + b"x")[:length])
    with pytest.raises(DamagedFileError):
        folder.read(page(1).key)
    with pytest.raises(DamagedFileError):
        folder.read_header(page(1).key)


def test_a_flipped_byte_is_noticed_anywhere(folder):
    folder.write(page(1), STREAM, CREATOR, tensors_of())
    path = file_of(folder.root, page(1))
    content = path.read_bytes()
    for place in range(len(content)):
        for flip in (0x01, 0x20, 0xFF):
            path.write_bytes(content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :])
            with pytest.raises(DamagedFileError):
                folder.read(page(1).key)


def test_a_flipped_byte_of_the_header_is_noticed_without_the_data(folder):
    folder.write(page(1), STREAM, CREATOR, tensors_of())
    path = file_of(folder.root, page(1))
    content = path.read_bytes()
    for place in range(header_end(content, len(content))):
        path.write_bytes(content[:place] + bytes([content[place] ^ 2]) + content[place + 1 :])
        with pytest.raises(DamagedFileError):
            folder.read_header(page(1).key)


def test_another_entrys_file_under_its_name_is_damaged(folder):
    folder.write(page(1), STREAM, CREATOR, tensors_of())
    file_of(folder.root, page(1)).rename(file_of(folder.root, page(2)))
    with pytest.raises(DamagedFileError, match="another entry's"):
        folder.read(page(2).key)


def test_a_newer_versions_file_is_not_ours():
    head = encode_header(page(1), STREAM, CREATOR, tensors_of(), version=2)
    with pytest.raises(ForeignFileError, match="newer"):
        decode_header(head, 10_000)


def test_a_safetensors_file_of_another_program_is_not_ours():
    text = json.dumps({"__metadata__": {"format": "mlx"}}).encode()
    with pytest.raises(ForeignFileError):
        decode_header(len(text).to_bytes(8, "little") + text, 8 + len(text))


@pytest.mark.parametrize("place", ["folder", "pipe", "link"])
def test_what_is_no_file_is_refused(folder, tmp_path_factory, place):
    path = file_of(folder.root, page(1))
    folder.write(page(1), STREAM, CREATOR, tensors_of())
    elsewhere = path.rename(tmp_path_factory.mktemp("elsewhere") / "file")
    {"folder": path.mkdir, "pipe": lambda: os.mkfifo(path), "link": lambda: path.symlink_to(elsewhere)}[place]()
    with pytest.raises((EntryFileError, OSError)):
        folder.read(page(1).key)


def test_a_link_in_place_of_a_streams_folder_is_not_followed(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder.root / STREAM.identity).symlink_to(elsewhere)
    with pytest.raises(OSError, match=r"directory|links"):
        folder.write(page(1), STREAM, CREATOR, tensors_of())
    assert list(elsewhere.iterdir()) == []
    assert folder.scan().num_bytes == {}


def test_a_write_that_is_given_up_leaves_nothing(folder):
    num_asked = iter([False, True])
    with pytest.raises(GivenUpError):
        folder.write(page(1), STREAM, CREATOR, tensors_of(), lambda: next(num_asked))
    assert [path for path in folder.root.rglob("*") if path.is_file()] == []
