"""Has Apple check an application or disk image, and staples the answer to it, so that it opens without network too."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from macos.commands import Commands, ReleaseError
from macos.identities import NOT_NOTARISED, UNSIGNED, Identities, NotaryKey

LONGEST_WAIT = "45m"


def notarise(path: Path, identities: Identities, commands: Commands) -> bool:
    """False where it was skipped, which is said; raises ReleaseError where Apple refuses."""
    if identities.notary is None or not identities.signer:
        commands.say(NOT_NOTARISED if identities.signer else f"Notarisation was skipped: {UNSIGNED}")
        return False
    with tempfile.TemporaryDirectory() as folder, credentials(identities.notary) as who:
        upload = path
        if path.suffix == ".app":  # a folder cannot be sent
            upload = Path(folder) / f"{path.stem}.zip"
            commands.run("ditto", "-c", "-k", "--keepParent", str(path), str(upload))
        _wait_for_acceptance(upload, who, commands)
    commands.run("xcrun", "stapler", "staple", str(path))
    commands.run("xcrun", "stapler", "validate", str(path))
    if path.suffix == ".app":
        commands.run("spctl", "--assess", "--type", "execute", "--verbose=4", str(path))
    return True


@contextmanager
def credentials(notary: str | NotaryKey) -> Iterator[list[str]]:
    """The arguments by which notarytool knows us; a key that came as text lies in a file of ours meanwhile."""
    if isinstance(notary, str):
        yield ["--keychain-profile", notary]
        return
    named = ["--key-id", notary.key_id, "--issuer", notary.issuer]
    if not notary.is_text:
        yield ["--key", notary.key, *named]
        return
    with tempfile.NamedTemporaryFile("w", suffix=".p8") as file:  # readable by this user alone
        file.write(notary.key.strip() + "\n")
        file.flush()
        yield ["--key", file.name, *named]


def _wait_for_acceptance(upload: Path, who: list[str], commands: Commands) -> None:
    wait = ["--wait", "--timeout", LONGEST_WAIT, "--output-format", "json"]
    submit = ["xcrun", "notarytool", "submit", str(upload), *who, *wait]
    answer = read_answer(commands.run(*submit, may_fail=True))  # by its status alone a refusal is no answer
    if answer.get("status") == "Accepted":
        return
    log = commands.run("xcrun", "notarytool", "log", answer["id"], *who, may_fail=True) if "id" in answer else ""
    raise ReleaseError(
        f"Apple did not notarise {upload.name}: {answer.get('status', 'no status in the answer')}\n{log}"
    )


def read_answer(written: str) -> dict[str, str]:
    """The JSON in what notarytool wrote: progress may stand before it."""
    start = written.rfind("{")
    try:
        answer = json.loads(written[start:]) if start >= 0 else {}
    except ValueError:
        answer = {}
    if not answer:
        raise ReleaseError(f"notarytool gave no JSON, so whether Apple accepted is not known: {written[-500:]}")
    return {str(name): str(value) for name, value in answer.items()}
