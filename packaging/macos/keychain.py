"""A keychain of its own for a certificate that comes in the environment, as on a runner."""

from __future__ import annotations

import base64
import binascii
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from macos.commands import Commands, Say
from macos.identities import CERTIFICATE, Identities


@contextmanager
def signing_commands(identities: Identities, say: Say) -> Iterator[Commands]:
    """Tools that find the certificate; the keychain is deleted afterwards, whatever happens."""
    password = secrets.token_urlsafe(24)
    commands = Commands(say, [*identities.secrets, password])
    if not identities.certificate:
        yield commands
        return
    with tempfile.TemporaryDirectory() as folder:
        before = listed(commands.run("security", "list-keychains", "-d", "user"))
        keychain = str(Path(folder) / "slipstream.keychain-db")
        commands.run("security", "create-keychain", "-p", password, keychain)
        try:
            _fill(keychain, password, identities, commands)
            commands.run("security", "list-keychains", "-d", "user", "-s", keychain, *before)
            yield commands
        finally:
            commands.run("security", "list-keychains", "-d", "user", "-s", *before)
            commands.run("security", "delete-keychain", keychain)


def _fill(keychain: str, password: str, identities: Identities, commands: Commands) -> None:
    """The last call lets codesign use the key without a dialog."""
    commands.run("security", "set-keychain-settings", "-lut", "21600", keychain)
    commands.run("security", "unlock-keychain", "-p", password, keychain)
    with tempfile.NamedTemporaryFile(suffix=".p12") as file:
        file.write(decoded(identities.certificate))
        file.flush()
        allowed = ["-P", identities.certificate_password, "-T", "/usr/bin/codesign"]
        commands.run("security", "import", file.name, "-k", keychain, "-f", "pkcs12", *allowed)
    lists = ["-S", "apple-tool:,apple:,codesign:", "-s", "-k", password]
    commands.run("security", "set-key-partition-list", *lists, keychain)


def decoded(certificate: str) -> bytes:
    try:
        return base64.b64decode("".join(certificate.split()), validate=True)
    except binascii.Error:
        raise ValueError(f"{CERTIFICATE} is no Base64; make it with: base64 -i certificate.p12") from None


def listed(written: str) -> list[str]:
    """The paths that `security list-keychains` wrote, one a line, quoted."""
    return [line.strip().strip('"') for line in written.splitlines() if line.strip()]
