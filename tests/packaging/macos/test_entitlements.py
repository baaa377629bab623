"""Entitlements: none that is not needed, and library validation off only where there is no team."""

from __future__ import annotations

import plistlib

from macos.entitlements import NEEDED, NOT_NEEDED, entitlements
from macos.signing import write_entitlements


def test_an_identity_s_signature_asks_for_what_is_needed_and_nothing_else(tmp_path):
    assert entitlements(ad_hoc=False) == dict.fromkeys(NEEDED, True)
    assert not NEEDED.keys() & NOT_NEEDED.keys()
    assert write_entitlements(tmp_path, ad_hoc=False) is None


def test_an_ad_hoc_signature_has_library_validation_off(tmp_path):
    path = write_entitlements(tmp_path, ad_hoc=True)
    assert plistlib.loads(path.read_bytes()) == {"com.apple.security.cs.disable-library-validation": True}


def test_each_absent_one_has_its_reason():
    assert {"com.apple.security.cs.allow-jit", "com.apple.security.get-task-allow"} <= NOT_NEEDED.keys()
    assert all(len(reason) > 5 for reason in NOT_NEEDED.values())
