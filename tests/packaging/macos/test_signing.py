"""Signing: the innermost first, the application last, and what each signature asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from macos.bundle_files import code_files
from macos.commands import ReleaseError
from macos.identities import Identities
from macos.macho import EXECUTABLE, Slice
from macos.signing import sign_application, sign_command, signing_order
from tests.packaging.macos.mach_files import write

SIGNER = "Developer ID Application: Some One (ABCDE12345)"


def signed(tools) -> list[str]:
    return [call[-1] for call in tools.calls_of("codesign", "--force")]


def test_what_is_inside_is_signed_before_what_holds_it(application):
    write(application / "Contents/Frameworks/QtCore.framework/Versions/A/Libraries/inner.dylib", Slice("arm64"))
    order = signing_order(application, code_files(application))
    for place, path in enumerate(order):
        assert not set(path.parents) & set(order[:place]), f"{path} comes after what holds it"
    assert order[-1] == application


def test_each_piece_of_code_is_signed_once_and_no_link(application):
    order = signing_order(application, code_files(application))
    names = [str(path.relative_to(application.parent)) for path in order]
    inside = "Slipstream.app/Contents/Frameworks"
    assert len(names) == len(set(names)) == 8
    assert f"{inside}/QtCore.framework/Versions/A" in names
    assert f"{inside}/mlx/lib/libmlx.dylib" in names
    assert f"{inside}/libmlx.dylib" not in names
    assert "Slipstream.app/Contents/MacOS/Slipstream" not in names


def test_an_identity_signs_with_a_time_stamp_and_the_hardened_runtime(application, tools):
    sign_application(application, Identities(SIGNER), tools.commands)
    calls = tools.calls_of("codesign", "--force")
    assert all(call[2:7] == ["--sign", SIGNER, "--options", "runtime", "--timestamp"] for call in calls)
    assert not any("--deep" in call for call in calls)
    assert signed(tools)[-1] == str(application)
    assert tools.calls[-2][1:4] == ["--verify", "--deep", "--strict"]


def test_without_an_identity_it_is_signed_ad_hoc_and_said(application, tools):
    sign_application(application, Identities(), tools.commands)
    *libraries, whole = tools.calls_of("codesign", "--force")
    assert whole[2:7] == ["--sign", "-", "--options", "runtime", "--timestamp=none"]
    assert "--entitlements" in whole
    assert not any("--entitlements" in call for call in libraries)
    assert tools.said[0].startswith("SLIPSTREAM_SIGN_IDENTITY is not set: signed ad hoc, which only this Mac trusts.")


def test_another_program_inside_gets_the_entitlements_too(application, tools):
    helper = write(application / "Contents/MacOS/helper", Slice("arm64", EXECUTABLE))
    sign_application(application, Identities(), tools.commands)
    (call,) = [call for call in tools.calls if call[-1] == str(helper)]
    assert "--entitlements" in call


def test_entitlements_are_named_where_there_are_some():
    command = sign_command(Path("A.app"), "Me", Path("asked.plist"))
    assert command[-3:] == ["--entitlements", "asked.plist", "A.app"]


def test_a_refusal_stops_everything_with_codesign_s_words(application, tools):
    tools.when("codesign", "--force", "echo 'resource fork not allowed' >&2; exit 1\n")
    with pytest.raises(ReleaseError, match="codesign ended with status 1:\nresource fork not allowed"):
        sign_application(application, Identities(SIGNER), tools.commands)
    assert len(tools.calls) == 1


def test_without_apple_s_tools_it_says_how_to_get_them(application, tools, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ReleaseError, match=r"codesign was not found: .* xcode-select --install"):
        sign_application(application, Identities(SIGNER), tools.commands)
