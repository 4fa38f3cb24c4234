"""Granted credentials are on the record without their secrets, never exceed those of the giver, and can be ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from tests.unit.access_control.holders import NOW, build_credential

from faristol.access_control.credential import Credential
from faristol.access_control.errors import Denied, Unauthenticated
from faristol.access_control.roles import ARBITER, DIRECTOR, FEDERATION, JUDGE, OPERATOR, PLAYER, SCORER
from faristol.access_control.state import MAX_PIN_PAUSE, PIN_ATTEMPTS, PIN_RESET_DELAY, Access, fold
from faristol.credentials import grants
from faristol.credentials.guessing import Counts
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import events_pb2 as events

TOKEN, LINK, PIN = events.FORM_TOKEN, events.FORM_LINK, events.FORM_PIN
AT = Timestamp(seconds=int(NOW.timestamp()) + 60)


def state(*past_events: Sequence[Message]) -> Access:
    return fold(Access(), [event for some in past_events for event in some])


def director(**more: Any) -> Credential:
    return build_credential(DIRECTOR, subject="eva", tournaments=["open"], **more)


def test_a_federation_appoints_for_longer_than_it_is_signed_in_and_a_director_does_not() -> None:
    long = build_credential(ARBITER, hours=72, tournaments=["open"])
    assert grants.grant(build_credential(FEDERATION), long, TOKEN)
    with pytest.raises(Denied, match="expire after its parent"):
        grants.grant(director(), long, TOKEN)


def test_who_is_signed_in_for_a_day_by_a_link_gives_for_as_long_as_the_link_lasts() -> None:
    link = build_credential(DIRECTOR, subject="eva", hours=72, tournaments=["open"])
    known = state(grants.grant(None, link, LINK))
    session = "00000000-0000-4000-8000-000000000001"
    known = fold(known, grants.by_link(known, link.credential_id, session, NOW))
    device = replace(
        link, credential_id=session, expires_at=NOW + grants.MAX_SESSION_LIFETIME, ancestors=(link.credential_id,)
    )
    assert grants.gives_until(known, device) == link.expires_at
    assert grants.grant(device, build_credential(SCORER, hours=72, tournaments=["open"]), TOKEN, known)
    with pytest.raises(Denied, match="expire after its parent"):
        grants.grant(device, build_credential(SCORER, hours=73, tournaments=["open"]), TOKEN, known)
    other = replace(device, credential_id="00000000-0000-4000-8000-000000000002")
    assert grants.gives_until(known, other) == device.expires_at
    assert grants.gives_until(known, build_credential(FEDERATION)) is None


def test_who_signs_out_on_a_device_is_signed_in_on_the_others() -> None:
    eva = director()
    given = [director() for _ in range(2)]
    known = state(*[grants.grant(None, credential, TOKEN) for credential in (eva, *given)])
    signed_out = fold(known, grants.sign_out(eva, AT, this_device_alone=True))
    assert [signed_out.has_ended(credential) for credential in (eva, *given)] == [True, False, False]
    everywhere = fold(known, grants.sign_out(eva, AT))
    assert [everywhere.has_ended(credential) for credential in (eva, *given)] == [True, True, True]


@pytest.mark.parametrize("giver", [PLAYER, JUDGE, SCORER, ARBITER, DIRECTOR])
def test_nobody_gives_a_role_above_their_own(giver: Any) -> None:
    with pytest.raises(Denied, match="may not grant the role federation"):
        grants.grant(build_credential(giver), build_credential(FEDERATION), TOKEN)


def test_an_operator_gives_no_role_that_enters_results_but_that_of_a_director() -> None:
    assert grants.grant(build_credential(OPERATOR), director(), TOKEN)
    with pytest.raises(Denied):
        grants.grant(build_credential(OPERATOR), build_credential(SCORER, tournaments=["open"]), TOKEN)


@pytest.mark.parametrize(
    ("credential", "form", "field"),
    [
        (build_credential(SCORER, hours=0, tournaments=["open"]), TOKEN, "lifetime_seconds"),
        (build_credential(SCORER, hours=-1, tournaments=["open"]), TOKEN, "lifetime_seconds"),
        (build_credential(SCORER, hours=24 * 401, tournaments=["open"]), TOKEN, "lifetime_seconds"),
        (build_credential(SCORER, tournaments=["open"]), events.FORM_UNSPECIFIED, "form"),
        (build_credential(PLAYER), TOKEN, "player_id"),
        (build_credential(PLAYER, tournaments=["open", "closed"]), TOKEN, "player_id"),
        (build_credential(SCORER, tables=[3]), TOKEN, "scope.tournament_ids"),
        (build_credential(SCORER, halls=["A"]), TOKEN, "scope.tournament_ids"),
        (build_credential(SCORER, tournaments=["open"], tables=[0]), TOKEN, "scope.tables"),
        (build_credential(FEDERATION, tournaments=["open"]), TOKEN, "scope.tournament_ids"),
        (build_credential(SCORER, tournaments=["open"]), PIN, "scope.tables"),
        (build_credential(SCORER, tournaments=["open", "closed"], tables=[1]), PIN, "scope.tables"),
    ],
)
def test_what_cannot_be_is_not_given(credential: Credential, form: events.Form.ValueType, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        grants.grant(None, credential, form)
    assert caught.value.field == field


def test_who_ends_a_credential_ends_all_that_were_handed_on_from_it() -> None:
    eva, aina = director(), build_credential(ARBITER, subject="aina", tournaments=["open"])
    ona = build_credential(SCORER, subject="ona", tournaments=["open"], tables=[3])
    known = state(
        grants.grant(build_credential(FEDERATION), eva, TOKEN),
        grants.grant(eva, aina, TOKEN),
        grants.grant(aina, ona, TOKEN),
    )
    ended = state(*[list(_grant_events(known))], grants.revoke(eva, known, aina.credential_id, AT))
    shown = {granted.credential.subject: ended.has_ended(granted.credential) for granted in ended.granted.values()}
    assert shown == {"eva": False, "aina": True, "ona": True}
    assert grants.revoke(eva, ended, aina.credential_id, AT) == []


def _grant_events(known: Access) -> list[Message]:
    from faristol.access_control.state import to_message

    return [
        events.CredentialGranted(
            credential=to_message(granted.credential), form=granted.form, ancestor_ids=granted.credential.ancestors
        )
        for granted in known.granted.values()
    ]


def test_what_one_may_not_end_is_not_there() -> None:
    eva, other = director(), build_credential(ARBITER, subject="aina", tournaments=["closed"])
    known = state(grants.grant(None, eva, TOKEN), grants.grant(None, other, TOKEN))
    with pytest.raises(NotFound):
        grants.revoke(eva, known, other.credential_id, AT)
    with pytest.raises(NotFound):
        grants.revoke(build_credential(SCORER, tournaments=["open"]), known, eva.credential_id, AT)
    assert [granted.credential.subject for granted in grants.visible(eva, known)] == ["eva"]


def test_a_director_does_not_end_the_last_one_and_the_federation_does() -> None:
    eva = director()
    known = state(grants.grant(build_credential(FEDERATION), eva, TOKEN))
    with pytest.raises(Refusal, match="open has no other director"):
        grants.revoke(eva, known, eva.credential_id, AT)
    assert grants.revoke(build_credential(FEDERATION), known, eva.credential_id, AT)
    nil = build_credential(DIRECTOR, subject="nil", tournaments=["open"])
    assert grants.revoke(eva, fold(known, grants.grant(None, nil, TOKEN)), eva.credential_id, AT)
    from_eva = fold(known, grants.grant(eva, replace(nil, expires_at=eva.expires_at), TOKEN))
    with pytest.raises(Refusal):  # a holder who got it from her is revoked too
        grants.revoke(eva, from_eva, eva.credential_id, AT)


def test_nobody_gets_a_credential_under_the_name_of_who_is_above_them() -> None:
    eva, ona = director(), build_credential(SCORER, subject="ona", tournaments=["open"], tables=[3])
    known = state(grants.grant(None, eva, TOKEN), grants.grant(None, ona, TOKEN))
    scorer = build_credential(SCORER, subject="pau", tournaments=["open"], tables=[3])
    assert [grants.may_name(scorer, known, subject) for subject in ("eva", "ona", "a-stranger")] == [False, True, False]
    assert [grants.may_name(eva, known, subject) for subject in ("eva", "ona")] == [True, True]
    assert not grants.may_name(build_credential(DIRECTOR, tournaments=["closed"]), known, "ona")
    assert grants.may_name(build_credential(FEDERATION), known, "eva")


def test_a_name_means_the_person_of_that_name_in_the_same_tournament() -> None:
    same, other = (
        build_credential(SCORER, subject="o-1", tournaments=["open"]),
        build_credential(ARBITER, subject="o-2", tournaments=["closed"]),
    )
    both = [build_credential(SCORER, subject="o-3", tournaments=[place]) for place in ("open", "third")]
    cell = build_credential(FEDERATION, subject="o-4")
    known = state(*[grants.grant(None, credential, TOKEN) for credential in (same, other, *both, cell)])
    eva, federation = director(), build_credential(FEDERATION)

    def find_official(giver: Credential | None, scope: list[str], *same_name: str) -> str:
        return grants.known_official(giver, known, build_credential(SCORER, tournaments=scope).scope, same_name)

    assert find_official(eva, ["open"], "o-1", "o-2") == "o-1"
    assert find_official(eva, ["open"], "o-2") == ""  # of another tournament: unknown to the giver
    assert find_official(eva, ["open"], "o-3") == ""  # also has rights outside the scope of the giver
    assert find_official(federation, ["open"], "o-2", "o-3") == "o-3"
    assert find_official(federation, ["fourth"], "o-1", "o-2", "o-3") == ""
    assert find_official(federation, [], "o-1", "o-4") == "o-4"
    assert find_official(eva, ["open"], "o-4") == ""
    assert find_official(None, ["open"], "o-9") == ""  # acted only under a name, without credentials


def pin(subject: str = "ona", **more: Any) -> Credential:
    return build_credential(SCORER, subject=subject, **{"tournaments": ["open"], "tables": [3], **more})


def test_a_pin_lets_in_at_its_table_and_nowhere_else() -> None:
    ona = pin()
    known = state(grants.grant(None, ona, PIN))
    (event,) = grants.by_pin(known, "open", 3, lambda credential: credential == ona.credential_id, "s", NOW)
    assert isinstance(event, events.SignedIn)
    for tournament, table in (("open", 4), ("closed", 3)):
        with pytest.raises(Unauthenticated, match="not valid for table"):  # and no event is written
            grants.by_pin(known, tournament, table, lambda credential: True, "s", NOW)


def test_pins_are_taken_so_often_and_no_more_until_a_new_one_is_given() -> None:
    known = state(grants.grant(None, pin(), PIN))
    for _ in range(PIN_ATTEMPTS):
        known = fold(known, grants.by_pin(known, "open", 3, lambda credential: False, "s", NOW))
    with pytest.raises(Unauthenticated, match=r"wrong PINs: retry in 1 minute, .* table 3"):
        grants.by_pin(known, "open", 3, lambda credential: True, "s", NOW)
    known = fold(known, grants.grant(None, pin("pau"), PIN))
    assert isinstance(grants.by_pin(known, "open", 3, lambda credential: True, "s", NOW)[0], events.SignedIn)


def test_the_pause_after_wrong_pins_grows_and_ends_by_itself_and_holds_for_no_device_that_was_there() -> None:
    ona = pin(hours=24)
    known = state(grants.grant(None, ona, PIN))

    def try_pin(now: datetime, right: bool, **more: Any) -> Message:  # right or wrong
        return grants.by_pin(known, "open", 3, lambda credential: right, "s", now, **more)[0]

    now, pauses = NOW, []
    for number in range(PIN_ATTEMPTS + 9):
        pauses.append(known.pause("open", 3, now))
        now += pauses[-1]
        known = fold(known, [try_pin(now, right=False)])
        if number == PIN_ATTEMPTS + 2:
            assert isinstance(try_pin(now, right=True, is_known=True), events.SignedIn)
            with pytest.raises(
                Unauthenticated, match="not valid for table"
            ):  # and no event: no other caller waits for it
                try_pin(now, right=False, is_known=True)
    assert pauses[:PIN_ATTEMPTS] == [timedelta(0)] * PIN_ATTEMPTS
    minutes = [pause // timedelta(minutes=1) for pause in pauses[PIN_ATTEMPTS:]]
    assert minutes == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    later = now + MAX_PIN_PAUSE
    assert isinstance(try_pin(later, right=True), events.SignedIn)
    assert known.pause("open", 3, later) == known.pause("open", 4, now) == timedelta(0)
    known = fold(
        known, [events.PinRefused(tournament_id="open", table=3, occurred_at=to_timestamp(now + 2 * PIN_RESET_DELAY))]
    )
    assert known.pause("open", 3, now + 2 * PIN_RESET_DELAY) == timedelta(0)  # the count restarted


def test_only_who_was_at_a_table_and_whose_credential_was_not_ended_is_known_there() -> None:
    ona, hall = pin(), build_credential(SCORER, subject="nil", tournaments=["open"])
    known = state(grants.grant(None, ona, PIN), grants.grant(None, hall, LINK))
    assert grants.was_at(known, ona.credential_id, "open", 3)
    for credential_id, place in (
        (ona.credential_id, ("open", 4)),
        (ona.credential_id, ("closed", 3)),
        ("", ("open", 3)),
    ):
        assert not grants.was_at(known, credential_id, *place)
    assert not grants.was_at(known, hall.credential_id, "open", 3)
    ended = fold(known, grants.revoke(None, known, ona.credential_id, AT))
    assert not grants.was_at(ended, ona.credential_id, "open", 3)


def test_wrong_pins_of_an_address_count_at_all_tables_and_right_ones_make_some_good() -> None:
    counts = Counts(30)
    for _ in range(30):
        assert not counts.pause("203.0.113.7", NOW)
        counts.add_wrong("203.0.113.7", NOW)
    assert counts.pause("203.0.113.7", NOW) == timedelta(minutes=1)
    assert not counts.pause("203.0.113.8", NOW)
    assert not counts.pause("203.0.113.7", NOW + timedelta(minutes=1))
    counts.add_right("203.0.113.7")
    assert not counts.pause("203.0.113.7", NOW)


def test_a_pin_that_was_ended_or_is_over_lets_nobody_in() -> None:
    ona = pin()
    known = state(grants.grant(None, ona, PIN))
    with pytest.raises(Unauthenticated, match="not valid for table"):
        grants.by_pin(known, "open", 3, lambda credential: True, "s", NOW + timedelta(hours=2))
    known = fold(known, grants.revoke(None, known, ona.credential_id, AT))
    with pytest.raises(Unauthenticated, match="not valid for table"):
        grants.by_pin(known, "open", 3, lambda credential: True, "s", NOW)


def test_a_link_lets_devices_in_until_it_ends() -> None:
    ona = pin()
    known = state(grants.grant(None, ona, LINK))
    (event,) = grants.by_link(known, ona.credential_id, "s", NOW)
    assert isinstance(event, events.SignedIn)
    assert event.expires_at.ToDatetime(NOW.tzinfo) == ona.expires_at, "no session outlives its link"
    with pytest.raises(Unauthenticated, match="expired at"):
        grants.by_link(known, ona.credential_id, "s", NOW + timedelta(hours=2))
    with pytest.raises(Unauthenticated, match="this link is not valid"):
        grants.by_link(known, "", "s", NOW)
    known = fold(known, grants.revoke(None, known, ona.credential_id, AT))
    with pytest.raises(Unauthenticated, match="was revoked"):
        grants.by_link(known, ona.credential_id, "s", NOW)


def test_who_signs_out_ends_every_device_and_not_the_link() -> None:
    ona, token = pin(), pin()
    known = state(grants.grant(None, ona, LINK), grants.grant(None, token, TOKEN))
    known = fold(known, grants.by_link(known, ona.credential_id, "a-session", NOW))
    session = replace(ona, credential_id="a-session", ancestors=(ona.credential_id,))
    known = fold(known, grants.sign_out(session, AT))
    assert known.has_ended(session)
    given = replace(pin("pau"), ancestors=("a-session", token.credential_id))
    assert not known.has_ended(given), "what they gave to others stays"
    assert known.has_ended(token)
    assert not known.has_ended(ona)
    known = fold(known, grants.by_link(known, ona.credential_id, "another", NOW))
    assert not known.has_ended(replace(session, credential_id="another"))
