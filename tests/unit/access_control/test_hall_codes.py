"""The code of a credential at a hall: it is valid for one key, and tells no code that is valid elsewhere."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Sequence
from datetime import timedelta

from google.protobuf.message import Message
from tests.unit.access_control.holders import NOW, build_credential

from faristol.access_control.credential import Credential
from faristol.access_control.hall_codes import HallCredential, credential_in, digest_of, follow, hall_code, is_known
from faristol.access_control.roles import ARBITER, DIRECTOR, SCORER
from faristol.access_control.state import Access, fold, to_message
from faristol.pb.access.v1 import events_pb2 as events

KEY, OTHER_KEY = b"k" * 32, b"o" * 32


def link_code(credential_id: str, proof: bytes = b"p" * 16) -> str:
    return base64.b32encode(uuid.UUID(credential_id).bytes + proof).decode().rstrip("=").lower()


def apply(access: Access, new_events: Sequence[Message]) -> Access:
    return fold(access, new_events)


def test_a_code_at_a_hall_names_the_credential_and_differs_for_each_code_and_each_hall() -> None:
    credential_id = str(uuid.uuid4())
    codes = {
        hall_code(link_code(credential_id, proof), key) for proof in (b"p" * 16, b"q" * 16) for key in (KEY, OTHER_KEY)
    }
    assert len(codes) == 4
    for code in codes:
        assert credential_in(code) == credential_id
        assert link_code(credential_id)[-20:] not in code
    for malformed in ("", "h.", "h.aa", "h.!!", "h." + "a" * 60):
        assert credential_in(malformed) == ""


def test_a_hall_knows_the_codes_of_the_credentials_that_it_follows_and_no_others() -> None:
    scorer = build_credential(SCORER, tournaments=["open"], tables=[2])
    code = hall_code(link_code(scorer.credential_id), KEY)
    known = [HallCredential(scorer, events.FORM_LINK, digest_of(code))]
    access = apply(Access(), follow(Access(), "open", known, [], NOW))
    assert is_known(access, code)
    assert not is_known(access, hall_code(link_code(scorer.credential_id), OTHER_KEY))
    assert not is_known(access, hall_code(link_code(scorer.credential_id, b"q" * 16), KEY))
    assert not is_known(access, hall_code(link_code(str(uuid.uuid4())), KEY))
    own = build_credential(DIRECTOR, tournaments=["open"])
    granted = apply(access, [events.CredentialGranted(credential=_message(own), form=events.FORM_LINK)])
    assert not is_known(granted, hall_code(link_code(own.credential_id), KEY))


def test_a_hall_grants_each_credential_once_within_its_tournament_and_revokes_it_when_it_has_ended() -> None:
    arbiter = build_credential(ARBITER, tournaments=["open", "closed"])
    own = build_credential(DIRECTOR, tournaments=["open"])
    known = [HallCredential(arbiter, events.FORM_LINK, b"d" * 32)]
    access = apply(Access(), [events.CredentialGranted(credential=_message(own), form=events.FORM_LINK)])
    access = apply(access, follow(access, "open", known, [], NOW))
    (granted,) = [each for each in access.granted.values() if each.hall_code_digest]
    assert granted.credential.scope.tournaments == {"open"}
    assert follow(access, "open", known, [], NOW) == []
    later = NOW + timedelta(minutes=1)
    ended = [arbiter.credential_id, own.credential_id, str(uuid.uuid4())]
    access = apply(access, follow(access, "open", [], ended, later))
    assert access.has_ended(granted.credential)
    assert not access.has_ended(own)
    assert follow(access, "open", known, ended, later) == []


def _message(credential: Credential) -> events.Credential:
    return to_message(credential)
