"""Who signs and who asks Apple: taken from the environment, never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

IDENTITY = "SLIPSTREAM_SIGN_IDENTITY"
CERTIFICATE = "SLIPSTREAM_CERTIFICATE"
CERTIFICATE_PASSWORD = "SLIPSTREAM_CERTIFICATE_PASSWORD"
NOTARY_PROFILE = "SLIPSTREAM_NOTARY_PROFILE"
NOTARY_KEY = "SLIPSTREAM_NOTARY_KEY"
NOTARY_KEY_ID = "SLIPSTREAM_NOTARY_KEY_ID"
NOTARY_ISSUER = "SLIPSTREAM_NOTARY_ISSUER"
_KEY_NAMES = (NOTARY_KEY, NOTARY_KEY_ID, NOTARY_ISSUER)

UNSIGNED = (
    f"{IDENTITY} is not set: signed ad hoc, which only this Mac trusts. For a release set it to the name of a "
    '"Developer ID Application" certificate in the keychain (security find-identity -v -p codesigning lists them).'
)
NOT_NOTARISED = (
    f"Notarisation was skipped: set {NOTARY_PROFILE} to a profile that xcrun notarytool store-credentials made, or "
    f"{', '.join(_KEY_NAMES)} to an App Store Connect key (a .p8 file or its text), its id and its issuer."
)


@dataclass(frozen=True)
class NotaryKey:
    key: str = field(repr=False)  # a file, or its text
    key_id: str
    issuer: str

    @property
    def is_text(self) -> bool:
        return self.key.lstrip().startswith("-----BEGIN")


@dataclass(frozen=True)
class Identities:
    signer: str = ""  # "" signs ad hoc
    certificate: str = field(default="", repr=False)  # PKCS 12 in Base64
    certificate_password: str = field(default="", repr=False)
    notary: str | NotaryKey | None = None  # a profile's name, or a key

    @property
    def secrets(self) -> list[str]:
        """What may not be shown."""
        key = self.notary.key if isinstance(self.notary, NotaryKey) and self.notary.is_text else ""
        return [self.certificate, self.certificate_password, key]


def identities_in(environment: Mapping[str, str]) -> Identities:
    """Raises ValueError where half of a pair is set."""
    values = {name: value for name, value in environment.items() if value.strip()}
    if CERTIFICATE in values and CERTIFICATE_PASSWORD not in values:
        raise ValueError(f"{CERTIFICATE} is set without {CERTIFICATE_PASSWORD}: set both, or neither")
    return Identities(
        signer=values.get(IDENTITY, ""),
        certificate=values.get(CERTIFICATE, ""),
        certificate_password=values.get(CERTIFICATE_PASSWORD, ""),
        notary=values.get(NOTARY_PROFILE) or _key_in(values),
    )


def _key_in(values: Mapping[str, str]) -> NotaryKey | None:
    missing = [name for name in _KEY_NAMES if name not in values]
    if len(missing) == len(_KEY_NAMES):
        return None
    if missing:
        raise ValueError(f"{' and '.join(missing)} missing: {', '.join(_KEY_NAMES)} go together; set all, or none")
    return NotaryKey(*(values[name] for name in _KEY_NAMES))
