"""An ID token is validated by OpenID Connect Core, and a role is granted to the persons that the operator named."""

from __future__ import annotations

import hmac
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey
from joserfc.util import urlsafe_b64encode

from faristol.access_control.errors import Denied, Unauthenticated
from faristol.access_control.roles import ARBITER, FEDERATION
from faristol.credentials.openid import OpenId, find_person, load_openid, verify_token
from faristol.host import StartError

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)
KEY = RSAKey.generate_key(2048, {"kid": "own"})
OTHER = RSAKey.generate_key(2048, {"kid": "own"})
KEYS = KeySet.import_key_set({"keys": [KEY.as_dict(private=False)]})
PROVIDER = OpenId.model_validate(
    {
        "name": "Federació",
        "issuer": "https://login.example",
        "client_id": "faristol",
        "appointments": [
            {"role": "federation", "emails": ["Eva@federation.example"], "subjects": ["0042"]},
            {"role": "arbiter", "tournaments": ["open"], "claims": {"groups": "arbiters", "club": "Valls"}},
        ],
    }
)
GOOD: dict[str, Any] = {
    "iss": "https://login.example",
    "aud": "faristol",
    "sub": "0042",
    "nonce": "the-nonce",
    "iat": int(NOW.timestamp()),
    "exp": int((NOW + timedelta(minutes=5)).timestamp()),
}


def token(key: Any = KEY, algorithm: str = "RS256", **changed: Any) -> str:
    claims = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    return jwt.encode({"alg": algorithm, "kid": "own"}, claims, key, algorithms=[algorithm])


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"aud": ["faristol"]},
        {"aud": ["faristol", "other"], "azp": "faristol"},
        {"iat": GOOD["iat"] + 50},
        {"exp": GOOD["iat"] - 50},
    ],
)
def test_a_token_for_this_client_and_browser_is_believed(changed: dict[str, Any]) -> None:
    assert verify_token(token(**changed), KEYS, PROVIDER, "the-nonce", NOW)["sub"] == "0042"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"iss": "https://evil.example"}, "iss"),
        ({"iss": "https://login.example/"}, "iss"),
        ({"iss": None}, "iss"),
        ({"aud": "other"}, "aud"),
        ({"aud": None}, "aud"),
        ({"aud": ["faristol", "other"]}, "azp"),
        ({"azp": "other"}, "azp"),
        ({"nonce": "another"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"exp": None}, "exp"),
        ({"iat": None}, "exp"),
        ({"exp": "soon"}, "exp"),
        ({"exp": GOOD["iat"] - 61}, "exp"),
        ({"iat": GOOD["iat"] + 61}, "exp"),
        ({"sub": ""}, "sub"),
        ({"sub": None}, "sub"),
        ({"sub": 42}, "sub"),
        ({"sub": "x" * 256}, "sub"),
    ],
)
def test_a_token_that_is_for_somebody_else_or_another_time_is_not(changed: dict[str, Any], what: str) -> None:
    with pytest.raises(Unauthenticated) as caught:
        verify_token(token(**changed), KEYS, PROVIDER, "the-nonce", NOW)
    assert (caught.value.reason, caught.value.params) == ("OPENID_REFUSED", {"what": what})


def _forge_token(algorithm: str) -> str:
    """Return a token without a signature, or signed with the public key as if it were a secret."""
    parts = [{"alg": algorithm, "kid": "own"}, GOOD]
    text = b".".join(urlsafe_b64encode(json.dumps(part).encode()) for part in parts)
    mac = hmac.new(KEY.as_pem(private=False), text, "sha256").digest() if algorithm == "HS256" else b""
    return b".".join((text, urlsafe_b64encode(mac))).decode()


@pytest.mark.parametrize(
    "forged",
    [
        token(OTHER),
        _forge_token("HS256"),
        token(ECKey.generate_key("P-256", {"kid": "own"}), "ES256"),
        token()[:-4] + "AAAA",
        token().replace(".", "", 1),
        "",
        "x.y.z",
        _forge_token("none"),
    ],
    ids=[
        "another key",
        "the public key as a secret",
        "another kind of key",
        "cut",
        "two parts",
        "",
        "none",
        "unsigned",
    ],
)
def test_a_token_that_the_provider_did_not_sign_is_not_believed(forged: str) -> None:
    with pytest.raises(Unauthenticated) as caught:
        verify_token(forged, KEYS, PROVIDER, "the-nonce", NOW)
    assert caught.value.params == {"what": "signature"}


def test_nobody_is_let_in_by_an_empty_nonce() -> None:
    with pytest.raises(Unauthenticated):
        verify_token(token(nonce=""), KEYS, PROVIDER, "", NOW)


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        ({"sub": "0042"}, FEDERATION),
        ({"sub": "1", "email": "eva@Federation.example", "email_verified": True}, FEDERATION),
        ({"sub": "1", "email": "eva@federation.example", "email_verified": False}, None),
        ({"sub": "1", "email": "eva@federation.example", "email_verified": "true"}, None),
        ({"sub": "1", "email": "eva@federation.example"}, None),
        ({"sub": "1", "email": "", "email_verified": True}, None),
        ({"sub": "42"}, None),
        ({"sub": "1", "groups": ["players", "arbiters"], "club": "Valls"}, ARBITER),
        ({"sub": "1", "groups": "arbiters", "club": "Valls"}, ARBITER),
        ({"sub": "1", "groups": ["arbiters"]}, None),
        ({"sub": "1", "groups": "arbiters-emeriti", "club": "Valls"}, None),
    ],
)
def test_a_role_is_for_whom_the_operator_named(claims: dict[str, Any], role: Any) -> None:
    if role is None:
        with pytest.raises(Denied, match="has no role here"):
            find_person(claims, PROVIDER)
    else:
        assert find_person(claims, PROVIDER).role == role


def test_a_name_of_the_provider_is_one_that_may_be_kept() -> None:
    assert find_person({"sub": "0042", "name": " Eva\n\u202eSoler "}, PROVIDER).name == "Eva Soler"
    assert find_person({"sub": "0042", "preferred_username": "eva"}, PROVIDER).name == "eva"
    assert len(find_person({"sub": "0042", "name": "x" * 1_000}, PROVIDER).name) == 200


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "name"),
        ("name = ", "cannot be read"),
        ('issuer = "http://login.example"', "expected an https address"),
        ('issuer = "ftp://localhost"', "expected an https address"),
        ('role = "player"', "there is no role 'player' for people"),
        ('role = "boss"', "there is no role 'boss' for people"),
        ('tournaments = ["open"]', "cover all tournaments"),
        ("subjects = []", "it has no user"),
        ('secret_file = "/nowhere"', "cannot be read"),
        ("unknown = 1", "unknown"),
    ],
)
def test_a_provider_that_is_not_described_as_it_should_be_stops_the_start(tmp_path: Path, text: str, told: str) -> None:
    good = {
        "name": '"Federació"',
        "issuer": '"https://login.example"',
        "client_id": '"faristol"',
        "role": '"federation"',
        "subjects": '["0042"]',
    }
    name, _, value = (part.strip() for part in text.partition("="))
    of_role = ("role", "subjects", "tournaments")
    wanted = {**good, **({name: value} if name else {})} if text else {}
    lines = [f"{key} = {given}" for key, given in wanted.items() if key not in of_role]
    lines += ["[[appointments]]", *(f"{key} = {given}" for key, given in wanted.items() if key in of_role)]
    file = tmp_path / "openid.toml"
    file.write_text("\n".join(lines))
    with pytest.raises(StartError, match=told):
        load_openid(file)
