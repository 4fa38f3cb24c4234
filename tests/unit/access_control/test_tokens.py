"""A token contains its credential, for holders of the key of the cell, and all other tokens are refused."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from joserfc import jwt
from joserfc.jwk import OKPKey
from tests.unit.access_control.holders import NOW, build_credential, credentials

from faristol.access_control.credential import Credential
from faristol.access_control.errors import Denied, Unauthenticated
from faristol.access_control.roles import ARBITER, DIRECTOR, MAY_GIVE, PLAYER, SCORER
from faristol.access_control.tokens import (
    MAX_CHAIN_LENGTH,
    SKEW,
    decode_unverified,
    hand_on,
    issue,
    verify,
)
from faristol.event_store.integrity.keys import key_id

KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
CELL = "a-record"


def keys(*known: Ed25519PrivateKey) -> Callable[[str], Ed25519PublicKey | None]:
    return {key_id(key.public_key()): key.public_key() for key in known}.get


def read(token: str, **other: Any) -> Credential:
    return verify(token, **{"keys": keys(KEY), "audience": CELL, "now": NOW, **other}).credential


def read_refusal(token: str, **other: Any) -> str:
    with pytest.raises(Unauthenticated) as caught:
        read(token, **other)
    return caught.value.reason


def forge_token(token: str, header: dict[str, Any] | None = None, **claims: Any) -> str:
    """Return the token with other claims, below the same signature."""
    parts = [json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2]]
    said = [header if header is not None else parts[0], {**parts[1], **claims}]
    written = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in said]
    return ".".join([*written, token.split(".")[2]])


@given(credentials)
def test_a_token_says_what_the_credential_holds(credential: Credential) -> None:
    token = issue(credential, KEY, CELL)
    assert read(token) == credential
    assert decode_unverified(token) == credential


def test_only_a_key_of_the_cell_signs() -> None:
    token = issue(build_credential(DIRECTOR), OTHER, CELL)
    assert read_refusal(token) == "CREDENTIAL_INVALID"
    assert read(token, keys=keys(KEY, OTHER)).role == DIRECTOR


def test_a_token_of_another_key_under_the_name_of_ours_is_not_taken() -> None:
    ours, theirs = issue(build_credential(DIRECTOR), KEY, CELL), issue(build_credential(DIRECTOR), OTHER, CELL)
    assert read_refusal(".".join([ours.split(".")[0], *theirs.split(".")[1:]])) == "CREDENTIAL_INVALID"


@pytest.mark.parametrize(
    "header",
    [{"alg": "none"}, {"alg": "HS256"}, {"alg": "EdDSA"}, {}, {"alg": "none", "kid": key_id(KEY.public_key())}],
)
def test_another_algorithm_is_not_taken(header: dict[str, Any]) -> None:
    token = issue(build_credential(DIRECTOR), KEY, CELL)
    assert read_refusal(forge_token(token, header)) == "CREDENTIAL_INVALID"
    assert read_refusal(forge_token(token, header).rpartition(".")[0] + ".") == "CREDENTIAL_INVALID"


@pytest.mark.parametrize(
    "claims",
    [
        {"role": "federation"},
        {"role": "pope"},
        {"scope": {}},
        {"exp": 2**33},
        {"sub": "another"},
        {"player": "p2"},
        {"anc": []},
        {"par": "x"},
        {"cnf": {}},
    ],
)
def test_no_claim_can_be_changed(claims: dict[str, Any]) -> None:
    token = issue(build_credential(SCORER, tournaments=["open"], tables=[3]), KEY, CELL)
    assert read_refusal(forge_token(token, **claims)) == "CREDENTIAL_INVALID"


@pytest.mark.parametrize(
    "token", ["", "x", "a.b.c", "....", "{}", "é.é.é", "e30.e30.e30", "A" * 9_000, "bnVsbA.bnVsbA.x"]
)
def test_what_is_no_token_is_not_taken(token: str) -> None:
    assert read_refusal(token) == "CREDENTIAL_INVALID"


def test_a_token_is_for_one_cell() -> None:
    assert read_refusal(issue(build_credential(DIRECTOR), KEY, "another-record")) == "CREDENTIAL_ELSEWHERE"


def test_a_token_has_its_end_and_a_clock_that_is_behind_refuses_nobody() -> None:
    credential = build_credential(DIRECTOR)
    token = issue(credential, KEY, CELL)
    second = timedelta(seconds=1)
    assert read(token, now=credential.expires_at + SKEW) == credential
    assert read_refusal(token, now=credential.expires_at + SKEW + second) == "CREDENTIAL_EXPIRED"
    for behind in (SKEW, timedelta(minutes=5), timedelta(hours=2)):
        assert read(token, now=NOW - behind) == credential


def test_a_holder_hands_on_less_than_they_have() -> None:
    own, holder = (
        build_credential(ARBITER, subject="aina", tournaments=["open"], halls=["A"]),
        Ed25519PrivateKey.generate(),
    )
    token = issue(own, KEY, CELL, holder=holder.public_key())
    less = replace(build_credential(SCORER, subject="aina-ona"), scope=replace(own.scope, tables=frozenset({4})))
    found = read(hand_on(token, own, less, holder))
    assert (found.subject, found.role, found.scope) == ("aina-ona", SCORER, less.scope)
    assert found.ancestors == (own.credential_id,), "it ends with the credential that it comes from"


def test_nobody_chooses_the_id_of_what_they_hand_on() -> None:
    own, holder = build_credential(ARBITER, subject="aina", tournaments=["open"]), Ed25519PrivateKey.generate()
    victim = build_credential(DIRECTOR)
    less = replace(build_credential(SCORER, subject="aina-ona"), scope=own.scope, credential_id=victim.credential_id)
    other = replace(own, credential_id=str(uuid.uuid4()))
    made = [hand_on(issue(by, KEY, CELL, holder=holder.public_key()), by, less, holder) for by in (own, other)]
    ids = {read(token).credential_id for token in made}
    assert len({*ids, victim.credential_id, own.credential_id}) == 4
    assert {decode_unverified(token).credential_id for token in made} == ids  # as its holder sees it
    assert {read(token).credential_id for token in made} == ids


@given(credentials, credentials)
def test_nobody_hands_on_more_than_they_have(own: Credential, other: Credential) -> None:
    holder = Ed25519PrivateKey.generate()
    token = issue(own, KEY, CELL, holder=holder.public_key())
    try:
        made = hand_on(token, own, other, holder)
    except Denied:
        assert (
            other.role not in MAY_GIVE[own.role]
            or not other.scope.within(own.scope)
            or other.expires_at > own.expires_at
            or own.player != other.player
            or not other.subject.startswith(f"{own.subject}-")
        )
        made = sign_token(other, holder, token)  # as a program of an attacker would
        assert read_refusal(made) == "CREDENTIAL_INVALID"
    else:
        assert read(made).scope.within(own.scope)


def sign_token(credential: Credential, key: Ed25519PrivateKey, parent: str) -> str:
    """Return a token with claims that an honest program would not make."""
    header = {"alg": "Ed25519"}
    return jwt.encode(
        header, {"iss": "faristol", "par": parent, **credential.to_claims()}, OKPKey.import_key(key), ["Ed25519"]
    )


def test_who_got_no_key_with_a_token_hands_nothing_on() -> None:
    own, key = build_credential(ARBITER, tournaments=["open"]), Ed25519PrivateKey.generate()
    less = replace(build_credential(SCORER, subject="somebody-ona"), scope=own.scope)
    assert read_refusal(hand_on(issue(own, KEY, CELL), own, less, key)) == "CREDENTIAL_INVALID"


def test_a_key_that_came_with_another_token_hands_nothing_on() -> None:
    own, key = build_credential(ARBITER, tournaments=["open"]), Ed25519PrivateKey.generate()
    token = issue(own, KEY, CELL, holder=key.public_key())
    less = replace(build_credential(SCORER, subject="somebody-ona"), scope=own.scope)
    assert read_refusal(hand_on(token, own, less, Ed25519PrivateKey.generate())) == "CREDENTIAL_INVALID"


def test_a_chain_has_an_end() -> None:
    key = Ed25519PrivateKey.generate()
    own = build_credential(DIRECTOR, tournaments=["open"])
    token = issue(own, KEY, CELL, holder=key.public_key())
    for _ in range(MAX_CHAIN_LENGTH - 1):
        below = replace(own, credential_id=str(uuid.uuid4()), subject=f"{own.subject}-x")
        token, own = hand_on(token, own, below, key, holder=key.public_key()), below
        assert len(read(token).ancestors) <= MAX_CHAIN_LENGTH
    assert read_refusal(hand_on(token, own, replace(own, subject=f"{own.subject}-x"), key)) == "CREDENTIAL_INVALID"


def test_a_player_without_a_player_is_none() -> None:
    assert read_refusal(issue(replace(build_credential(PLAYER), player=""), KEY, CELL)) == "CREDENTIAL_INVALID"


def test_nobody_speaks_for_anybody_else_by_a_token_that_they_made_themselves() -> None:
    own, key = build_credential(SCORER, subject="ona", tournaments=["open"], tables=[3]), Ed25519PrivateKey.generate()
    token = issue(own, KEY, CELL, holder=key.public_key())
    for subject in ("the-director", "ona", "on"):
        other = replace(own, credential_id=str(uuid.uuid4()), subject=subject)
        with pytest.raises(Denied):
            hand_on(token, own, other, key)
        assert read_refusal(sign_token(other, key, token)) == "CREDENTIAL_INVALID"


def test_who_may_not_touch_a_game_gives_nobody_a_credential_that_may() -> None:
    own, key = build_credential(ARBITER, tournaments=["open"], player="p1"), Ed25519PrivateKey.generate()
    token = issue(own, KEY, CELL, holder=key.public_key())
    for role, player in ((SCORER, ""), (PLAYER, "p2"), (ARBITER, "p2")):
        other = replace(own, role=role, player=player, subject="somebody-x", credential_id=str(uuid.uuid4()))
        assert read_refusal(sign_token(other, key, token)) == "CREDENTIAL_INVALID"


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "Eva Soler, C/ Major 3"},
        {"sub": ""},
        {"sub": "x" * 65},
        {"jti": "0"},
        {"name": "a\nb"},
        {"name": "x" * 900},
        {"exp": 2**39},
        {"exp": 1.5},
        {"exp": True},
        {"iat": -1},
        {"anc": ["x"]},
        {"anc": "x"},
        {"player": "Eva"},
        {"scope": {"planets": ["earth"]}},
        {"scope": {"tables": ["3"]}},
        {"scope": {"tables": []}},
        {"scope": []},
    ],
)
def test_what_the_cell_would_never_sign_is_not_taken_though_it_is_signed(claims: dict[str, Any]) -> None:
    said = {"iss": "faristol", "aud": CELL, **build_credential(SCORER).to_claims(), **claims}
    header = {"alg": "Ed25519", "kid": key_id(KEY.public_key())}
    assert read_refusal(jwt.encode(header, said, OKPKey.import_key(KEY), ["Ed25519"])) == "CREDENTIAL_INVALID"


def test_a_token_that_is_nested_without_end_is_not_taken() -> None:
    deep = base64.urlsafe_b64encode(b"[" * 3_500).rstrip(b"=").decode()
    assert read_refusal(f"{deep}.{deep}.x") == "CREDENTIAL_INVALID"
    header = base64.urlsafe_b64encode(
        json.dumps({"alg": "Ed25519", "crit": 5, "kid": key_id(KEY.public_key())}).encode()
    )
    token = issue(build_credential(SCORER), KEY, CELL)
    assert read_refusal(".".join([header.rstrip(b"=").decode(), *token.split(".")[1:]])) == "CREDENTIAL_INVALID"


def test_the_sign_in_of_a_token_is_its_own_claim_or_else_its_issue() -> None:
    own = build_credential(DIRECTOR, tournaments=["open"])
    assert read(issue(own, KEY, CELL)).signed_in == own.issued_at
    earlier = own.issued_at - timedelta(hours=3)
    assert read(issue(replace(own, auth_time=earlier), KEY, CELL)).signed_in == earlier


def test_a_token_that_was_handed_on_has_the_sign_in_of_its_parent_whatever_it_claims() -> None:
    signed_in = NOW - timedelta(hours=3)
    own = replace(build_credential(DIRECTOR, subject="eva", tournaments=["open"]), auth_time=signed_in)
    holder = Ed25519PrivateKey.generate()
    token = issue(own, KEY, CELL, holder=holder.public_key())
    less = replace(build_credential(DIRECTOR, subject="eva-laptop"), scope=own.scope, auth_time=NOW)
    assert read(hand_on(token, own, less, holder)).signed_in == signed_in
