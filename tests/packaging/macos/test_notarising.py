"""Notarising: what is sent, what a refusal says, and the key that lies in a file only meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from macos.commands import ReleaseError
from macos.identities import Identities, NotaryKey
from macos.notarising import credentials, notarise, read_answer

SIGNER = "Developer ID Application: Some One (ABCDE12345)"
ACCEPTED = """[ "$2" = submit ] && echo 'Processing: 50%{"id": "f00", "status": "Accepted"}'\n"""
REFUSED = """
[ "$2" = submit ] && echo '{"id": "f00", "status": "Invalid"}'
[ "$2" = log ] && echo 'The signature of libmlx.dylib is invalid.'
"""


def test_an_application_is_sent_as_an_archive_and_gets_its_ticket(application, tools):
    tools.when("xcrun", "notarytool", ACCEPTED)
    assert notarise(application, Identities(SIGNER, notary="release"), tools.commands)
    zipped, submitted, stapled, validated, assessed = tools.calls
    assert zipped[:5] == ["ditto", "-c", "-k", "--keepParent", str(application)]
    assert submitted[1:6] == ["notarytool", "submit", zipped[-1], "--keychain-profile", "release"]
    assert "--wait" in submitted
    assert stapled[1:] == ["stapler", "staple", str(application)]
    assert validated[2] == "validate"
    assert assessed[:2] == ["spctl", "--assess"]


def test_a_disk_image_is_sent_as_it_is(tmp_path, tools):
    tools.when("xcrun", "notarytool", ACCEPTED)
    image = tmp_path / "Slipstream.dmg"
    notarise(image, Identities(SIGNER, notary="release"), tools.commands)
    assert tools.calls[0][3] == str(image)
    assert not tools.calls_of("ditto")


def test_a_refusal_brings_apple_s_log(application, tools):
    tools.when("xcrun", "notarytool", REFUSED)
    with pytest.raises(ReleaseError, match=r"did not notarise Slipstream\.zip: Invalid\nThe signature of libmlx"):
        notarise(application, Identities(SIGNER, notary="release"), tools.commands)
    assert not tools.calls_of("xcrun", "stapler")


@pytest.mark.parametrize(
    ("identities", "said"),
    [
        (Identities(SIGNER), "Notarisation was skipped: set SLIPSTREAM_NOTARY_PROFILE"),
        (Identities(notary="release"), "Notarisation was skipped: SLIPSTREAM_SIGN_IDENTITY is not set"),
    ],
)
def test_without_identities_it_is_skipped_and_said(application, tools, identities, said):
    assert not notarise(application, identities, tools.commands)
    assert tools.said[0].startswith(said)
    assert tools.calls == []


def test_a_key_s_text_lies_in_a_private_file_only_meanwhile():
    with credentials(NotaryKey("-----BEGIN PRIVATE KEY-----\nMIGT", "ID", "issuer")) as who:
        path = Path(who[1])
        assert path.read_text() == "-----BEGIN PRIVATE KEY-----\nMIGT\n"
        assert path.stat().st_mode & 0o077 == 0
    assert not path.exists()
    with credentials(NotaryKey("keys/one.p8", "ID", "issuer")) as who:
        assert who == ["--key", "keys/one.p8", "--key-id", "ID", "--issuer", "issuer"]


def test_an_answer_that_is_no_json_is_no_acceptance():
    for written in ("", "Error: HTTP status code: 401", "{broken"):
        with pytest.raises(ReleaseError, match="whether Apple accepted is not known"):
            read_answer(written)
