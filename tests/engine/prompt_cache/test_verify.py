"""Verifying reads every byte and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.prompt_cache.entry_file import Creator, encode_header
from engine.prompt_cache.verify import Verification, sentences, verify
from tests.engine.prompt_cache.disk_harness import STREAM, Inline, checkpoint, file_of, page, tensors_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "cache"
    inline = Inline(root)
    for number in range(3):
        inline.write(page(number), number)
    inline.storage.close(1)
    return root


def test_a_good_folder_is_clean(root):
    num_bytes = sum(file_of(root, page(number)).stat().st_size for number in range(3))
    before = sorted(root.rglob("*"))
    heard = []
    assert verify(root, lambda done, total: heard.append((done, total))) == Verification(3, num_bytes)
    assert heard[-1] == (num_bytes, num_bytes)
    assert sorted(root.rglob("*")) == before


def test_a_flipped_byte_of_the_data_is_found_and_left(root):
    path = file_of(root, page(1))
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    found = verify(root)
    assert not found.is_clean
    assert found.faults == ((str(path.relative_to(root)), "Its data are not those that were written."),)
    assert path.exists()


def test_newer_files_are_no_fault(root):
    file_of(root, page(1)).write_bytes(encode_header(page(1), STREAM, Creator(), tensors_of(), 9))
    found = verify(root)
    assert found.is_clean
    assert [text for _, text in found.left_alone] == ["It was written by a newer program."]


def test_a_damaged_index_is_a_fault_and_a_missing_one_is_not(root):
    (root / "index.sqlite").write_bytes(b"garbage" * 999)
    assert [name for name, _ in verify(root).faults] == ["index.sqlite"]
    (root / "index.sqlite").unlink()
    assert verify(root).is_clean
    assert verify(root).num_unlisted == 3


def test_a_folder_in_use_can_be_verified(root):
    inline = Inline(root)
    inline.write(page(3))
    assert verify(root).num_entries == 4
    assert verify(root).is_clean


def test_a_folder_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "nowhere")


def test_a_file_that_is_gone_and_what_it_led_to_are_faults(root):
    path = file_of(root, page(1))
    path.unlink()
    found = verify(root)
    assert found.faults == ((str(path.relative_to(root)), "Its file is gone, and the index lists it."),)
    assert (found.num_entries, found.num_unreachable, found.is_clean) == (2, 1, False)
    assert "Nothing leads to 1 entry any more: what stood before is damaged or gone." in sentences(found)


def test_a_folder_in_a_file_s_place_is_a_fault(root):
    path = file_of(root, page(1))
    path.unlink()
    path.mkdir()
    found = verify(root)
    assert found.faults == ((str(path.relative_to(root)), "A folder stands in its place."),)
    assert found.num_unreachable == 1


def test_pages_behind_one_that_is_gone_are_a_fault_without_an_index_too(root):
    file_of(root, page(0)).unlink()
    (root / "index.sqlite").unlink()
    found = verify(root)
    assert (found.faults, found.num_unreachable, found.is_clean) == ((), 2, False)


def test_a_checkpoint_is_reached_by_the_page_that_ends_there(root):
    inline = Inline(root)
    inline.write(checkpoint(2))
    inline.write(checkpoint(9))
    assert verify(root).num_unreachable == 1


def test_entries_that_the_index_does_not_know_are_told(root):
    (root / "index.sqlite").unlink()
    told = sentences(verify(root))
    assert told[0].startswith("The index does not know 3 entries yet")
    assert told[1:] == ["3 whole entries, 0 faults."]
