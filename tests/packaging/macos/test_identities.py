"""Identities from the environment: whole or not at all, and never shown."""

from __future__ import annotations

import pytest

from macos.commands import Commands
from macos.identities import Identities, NotaryKey, identities_in

KEY = {"SLIPSTREAM_NOTARY_KEY": "-----BEGIN PRIVATE KEY-----\nMIGT\n", "SLIPSTREAM_NOTARY_KEY_ID": "2X9R4HXF34"}
ISSUER = {"SLIPSTREAM_NOTARY_ISSUER": "57246542-96fe-1a63-e053-0824d011072a"}


def test_none_and_empty_ones_sign_ad_hoc():
    assert identities_in({}) == identities_in({"SLIPSTREAM_SIGN_IDENTITY": " ", "HOME": "/"}) == Identities()


def test_a_profile_goes_before_a_key():
    both = {**KEY, **ISSUER, "SLIPSTREAM_NOTARY_PROFILE": "release"}
    assert identities_in(both).notary == "release"
    assert identities_in({**KEY, **ISSUER}).notary == NotaryKey(*KEY.values(), *ISSUER.values())


def test_half_of_a_pair_is_named():
    with pytest.raises(ValueError, match=r"SLIPSTREAM_NOTARY_ISSUER missing: .* go together"):
        identities_in(KEY)
    with pytest.raises(ValueError, match="SLIPSTREAM_CERTIFICATE is set without SLIPSTREAM_CERTIFICATE_PASSWORD"):
        identities_in({"SLIPSTREAM_CERTIFICATE": "QUJD"})


def test_nothing_secret_is_shown():
    certificate = {"SLIPSTREAM_CERTIFICATE": "QUJD", "SLIPSTREAM_CERTIFICATE_PASSWORD": "open 'sesame"}
    identities = identities_in({**KEY, **ISSUER, **certificate})
    assert not [secret for secret in identities.secrets if secret in repr(identities)]
    said = []
    written = Commands(said.append, identities.secrets).run("echo", "-P", "open 'sesame")
    assert (said, written) == (["$ echo -P HIDDEN"], "-P HIDDEN")
