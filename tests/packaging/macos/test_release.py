"""From a built application to the download, with stand-ins for Apple's tools."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

import pytest

from macos.__main__ import main
from macos.checksums import write_checksum
from macos.identities import Identities
from macos.info import project_version
from macos.keychain import signing_commands

IMAGE = f"Slipstream-{project_version()}-macos-arm64.dmg"
SIGNER = "Developer ID Application: Some One (ABCDE12345)"
CREATES = """for last; do :; done
for one; do case "$before" in -srcfolder) ls "$one" > "$TOOLS/staged";; esac; before=$one; done
echo image > "$last"
"""


@pytest.fixture
def image(application, tools, monkeypatch) -> Path:
    """Where the download will be; no identity is set."""
    for name in [
        name for name in os.environ if name.startswith(("SLIPSTREAM_SIGN", "SLIPSTREAM_CERT", "SLIPSTREAM_NOTARY"))
    ]:
        monkeypatch.delenv(name)
    tools.when("hdiutil", "create", CREATES)
    tools.does("ditto", '[ "$1" = -c ] || cp -R "$1" "$2"\n')
    return application.parent / IMAGE


def test_without_identities_an_image_and_its_checksum_are_made(application, image, tools, capsys):
    assert main(["release", str(application)]) is None
    digest = hashlib.sha256(image.read_bytes()).hexdigest()
    assert image.with_name(f"{IMAGE}.sha256").read_text() == f"{digest}  {IMAGE}\n"
    assert (tools.folder / "staged").read_text().split() == ["Applications", "Slipstream.app"]
    written = capsys.readouterr().out
    assert "signed ad hoc" in written
    assert "Notarisation was skipped" in written
    assert not tools.calls_of("xcrun")


def test_with_identities_both_are_notarised_and_the_image_is_signed(application, image, tools, monkeypatch):
    monkeypatch.setenv("SLIPSTREAM_SIGN_IDENTITY", SIGNER)
    monkeypatch.setenv("SLIPSTREAM_NOTARY_PROFILE", "release")
    tools.when("xcrun", "notarytool", """echo '{"id": "f00", "status": "Accepted"}'\n""")
    assert main(["release", str(application)]) is None
    assert [call[3] for call in tools.calls_of("xcrun", "stapler", "staple")] == [str(application), str(image)]
    assert tools.calls_of("codesign", "--sign", SIGNER) == [["codesign", "--sign", SIGNER, "--timestamp", str(image)]]


def test_an_application_with_faults_is_not_signed(application, image, tools):
    (application / "Contents/Info.plist").unlink()
    ended = main(["release", str(application)])
    assert ended == "release: Slipstream.app has 1 faults:\nContents/Info.plist is not there"
    assert tools.calls == []


def test_one_that_was_not_built_is_told_how_to(tmp_path):
    assert main(["verify", str(tmp_path / "Slipstream.app")]).endswith("is not there; make it with: make app")


def test_a_certificate_gets_a_keychain_of_its_own_that_is_deleted(tools):
    tools.when("security", "list-keychains", """[ "$4" = -s ] || echo '    "/Users/me/login.keychain-db"'\n""")
    certificate = base64.b64encode(b"PKCS 12").decode()
    said = []
    with pytest.raises(RuntimeError), signing_commands(Identities(SIGNER, certificate, "open sesame"), said.append):
        raise RuntimeError
    done = [call[1] for call in tools.calls]
    assert done.index("import") < done.index("set-key-partition-list") < done.index("delete-keychain")
    assert tools.calls[-2][-1] == "/Users/me/login.keychain-db"
    assert "open sesame" not in "\n".join(said)


def test_without_a_certificate_no_keychain_is_touched(tools):
    with signing_commands(Identities(SIGNER), tools.said.append) as commands:
        commands.run("codesign", "--force")
    assert not tools.calls_of("security")


def test_a_checksum_names_the_file_alone(tmp_path):
    path = tmp_path / "Slipstream.tar.gz"
    path.write_bytes(b"abc")
    assert write_checksum(path).read_text() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  Slipstream.tar.gz\n"
    )
