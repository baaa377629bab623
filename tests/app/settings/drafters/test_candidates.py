"""What may draft for a target: found, asked about once, and grouped."""

from __future__ import annotations

from dataclasses import replace

from app.settings.drafters.candidate import HEADS, NO_HEADS, Group, in_short
from engine.messages import InspectDrafter
from tests.app.settings.drafters.conftest import look
from tests.app.settings.drafters.known_drafters import TARGET, VOCABULARY, OnDisk, head


def names(picker, group: Group) -> list[str]:
    return [one.name for one in picker.candidates.of(TARGET).candidates if one.group is group]


def test_candidates_stand_in_their_groups(picker):
    assert names(picker, Group.WEIGHTLESS) == ["None", "n-gram", "Suffix"]
    assert names(picker, Group.SECOND_MODEL) == ["Qwen3-0.6B"]
    assert names(picker, Group.LAYERS) == ["DFlash", "EAGLE-3"]
    assert names(picker, Group.BUILT_IN) == []


def test_misfits_keep_their_reason(picker):
    reasons = {one.name: one.refusal for one in picker.candidates.of(TARGET).misfits}
    assert reasons == {"Llama-3.2-1B": VOCABULARY, HEADS: NO_HEADS}


def test_heads_in_the_model_itself_are_a_drafter(picker, fake_engine, wait):
    other = "/models/GLM"
    fake_engine.known[other] = head("mtp", other, has_mtp=True)
    picker.candidates.refresh(other)
    wait(lambda: bool(picker.candidates.of(other).name))
    built_in = [one for one in picker.candidates.of(other).fitting if one.group is Group.BUILT_IN]
    assert [(one.name, one.drafter) for one in built_in] == [(HEADS, f"mtp:{other}")]


def test_nothing_is_asked_twice_while_no_file_changes(picker, fake_engine, wait):
    look(picker.candidates, wait)
    paths = [one.path for one in fake_engine.asked if isinstance(one, InspectDrafter)]
    assert len(paths) == len(set(paths))


def test_a_folder_that_the_user_adds_is_looked_at(picker, fake_engine, wait):
    fake_engine.known["/elsewhere/mine"] = head("dspark", "/elsewhere/mine")
    picker.add_folder("/elsewhere/mine")
    wait(lambda: "DSpark" in names(picker, Group.LAYERS))


def test_a_folder_that_cannot_be_read_says_why(picker, wait):
    picker.add_folder("/nowhere/there")
    wait(lambda: "there" in names(picker, Group.MISFIT))
    reason = next(one.refusal for one in picker.candidates.of(TARGET).misfits if one.name == "there")
    assert reason == "Nothing found at '/nowhere/there'."


def test_models_that_are_larger_than_the_target_are_no_candidates(picker, library, wait):
    library.models += [OnDisk("/m/huge", "Huge", 10**12)]
    look(picker.candidates, wait)
    assert all(one.path != "/m/huge" for one in picker.candidates.of(TARGET).candidates)


def test_drafters_that_look_the_same_are_told_apart_by_their_folders(picker, library, fake_engine, wait):
    fake_engine.known["/m/other-dflash"] = replace(fake_engine.known["/m/dflash"], drafter="dflash:/m/other-dflash")
    library.drafters += [OnDisk("/m/other-dflash", "other", 5)]
    library.changed.emit()
    wait(lambda: len(names(picker, Group.LAYERS)) == 3)
    notes = [one.note for one in picker.candidates.of(TARGET).candidates if one.name == "DFlash"]
    assert notes == ["dflash", "other-dflash"]


def test_a_refusal_stands_without_the_names_of_the_pair():
    words = "'Other' cannot draft for 'Qwen3': it was trained for 4 layers, and this model has 30; choose another."
    assert in_short(words) == "It was trained for 4 layers, and this model has 30; choose another."
    assert in_short(VOCABULARY) == VOCABULARY
