"""Appeals as a director's program sees them, with countries from registration and from the command."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import grpc
import pytest
from tests.component.tournament.test_service import act, create, read_refusal, register
from tests.support.pairing_service import PairingService

from faristol.kernel.names import NAMED_PERSON
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.personal_data.erasure import erase

SEATS = (
    ("ona", events.TRIBUNAL_ROLE_ORGANISERS, "AND"),
    ("pau", events.TRIBUNAL_ROLE_FEDERATION, "POR"),
    ("p2", events.TRIBUNAL_ROLE_PLAYERS, ""),
    ("p3", events.TRIBUNAL_ROLE_SUBSTITUTE, ""),
    ("p4", events.TRIBUNAL_ROLE_SUBSTITUTE, ""),
)


def appointments(**told: str) -> list[pb.Appointment]:
    return [
        pb.Appointment(person_id=person, role=role, country=told.get(person, country))
        for person, role, country in SEATS
    ]


def countries(**told: str) -> list[pb.PersonCountry]:
    return [pb.PersonCountry(person_id=person, country=country) for person, country in told.items()]


async def warn_player(service: PairingService) -> int:
    """Return a tournament with a tribunal, in which p1 was warned: the version of that."""
    await create(service, ruleset="fise", rounds=3)
    for place, country in enumerate(("ESP", "ESP", "COL", "VEN"), start=1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", country=country)
    await act(service, "AppointTribunal", appointments=appointments())
    await act(service, "WarnPlayer", player_id="p1", arbiter_id="marta")
    return len(await service.record.read_stream("tournament-open"))


async def test_countries_of_players_are_those_they_entered_with_and_those_of_others_are_told(
    service: PairingService,
) -> None:
    version = await warn_player(service)
    lodged = await act(
        service, "LodgeAppeal", player_id="p1", version=version, countries=countries(ona="AND", pau="POR")
    )

    assert isinstance(lodged, pb.LodgeAppealResponse)
    assert (lodged.appeal, [member.person_id for member in lodged.members]) == (1, ["ona", "pau", "p3"])
    await act(service, "DecideAppeal", appeal=1, upheld=True)
    recorded = await service.record.read_stream("tournament-open")
    assert [event.name for event in recorded[-3:]] == ["AppealLodged", "AppealDecided", "WarningLifted"]
    for event in recorded:
        assert not any(code in event.payload for code in (b"AND", b"POR", b"ESP", b"COL", b"VEN"))


async def test_another_country_than_a_player_entered_with_and_what_is_no_country_are_refused(
    service: PairingService,
) -> None:
    version = await warn_player(service)
    before = await service.record.last_position()
    for told in ({"p1": "FRA"}, {"ona": "Andorra"}):
        lodging = act(service, "LodgeAppeal", player_id="p1", version=version, countries=countries(**told))
        code, message, _ = await read_refusal(lodging)
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert message.startswith("countries: ")
    code, message, _ = await read_refusal(act(service, "AppointTribunal", appointments=appointments(p2="FRA")))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert message.startswith("appointments: ")
    assert await service.record.last_position() == before


def affiliations(**told: str) -> list[pb.PersonAffiliation]:
    return [pb.PersonAffiliation(person_id=person, affiliation=name) for person, name in told.items()]


async def test_clubs_of_players_are_those_they_entered_with_and_affiliations_of_others_are_told_and_not_kept(
    service: PairingService,
) -> None:
    await create(service, ruleset="fise", rounds=3)
    for place, club in enumerate(("Valls", "Valls", "Reus", ""), start=1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", country="ESP", club=club)
    members, told = appointments(ona="ESP", pau="ESP"), affiliations(ona="Club Tarragona", pau="FISE")
    code, _, info = await read_refusal(act(service, "AppointTribunal", appointments=members))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TRIBUNAL_BARRED")
    for wrong, said in (
        (affiliations(p2="Reus"), "affiliations: p2 was registered with another club"),
        (affiliations(ona=""), "affiliations: has 0 characters"),
        ([*told, *affiliations(ona="FISE")], "affiliations: ona is named twice"),
        (affiliations(**dict.fromkeys([f"x{place}" for place in range(101)], "FISE")), "affiliations: names 101"),
    ):
        code, message, _ = await read_refusal(act(service, "AppointTribunal", appointments=members, affiliations=wrong))
        assert (code, message.startswith(said)) == (grpc.StatusCode.INVALID_ARGUMENT, True), message
    await act(service, "AppointTribunal", appointments=members, affiliations=[*told, *affiliations(p2="VALLS")])
    await act(service, "WarnPlayer", player_id="p1", arbiter_id="marta")
    version = len(await service.record.read_stream("tournament-open"))
    lodged = await act(service, "LodgeAppeal", player_id="p1", version=version, affiliations=told)

    assert isinstance(lodged, pb.LodgeAppealResponse)
    assert [member.person_id for member in lodged.members] == ["ona", "pau", "p3"]
    for event in await service.record.read_stream("tournament-open"):
        assert not any(name in event.payload for name in (b"Tarragona", b"Valls"))


async def test_a_country_that_is_told_once_of_a_player_is_not_asked_for_again(service: PairingService) -> None:
    await create(service, ruleset="fise", rounds=3)
    for place, country in enumerate(("", "", "COL", "VEN"), start=1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", country=country)
    code, message, _ = await read_refusal(act(service, "AppointTribunal", appointments=appointments()))
    assert (code, message) == (grpc.StatusCode.INVALID_ARGUMENT, "appointments: expected the country of p2")
    await act(service, "AppointTribunal", appointments=appointments(p2="ESP"))
    await act(service, "AppointTribunal", appointments=appointments())
    await act(service, "WarnPlayer", player_id="p1", arbiter_id="marta")
    version = len(await service.record.read_stream("tournament-open"))

    async def list_without_country() -> list[str]:
        found = await service.stub.ListSanctions(pb.ListSanctionsRequest(tournament_id="open", player_id="p1"))
        return [each.player_id for each in found.without_country]

    assert await list_without_country() == ["ona", "pau", "p1"]
    told = countries(ona="AND", pau="POR", p1="ESP")
    await act(service, "LodgeAppeal", player_id="p1", version=version, countries=told)
    await act(service, "WithdrawAppeal", appeal=1)
    known = await people.names(service.record, ["p1", "p2", "ona"])
    assert {who: (each.name, each.country) for who, each in known.items()} == {
        "p1": ("Player 1", "ESP"),
        "p2": ("Player 2", "ESP"),
    }, "what a player says of others is not stored"
    for event in await service.record.read_stream("tournament-open"):
        assert b"ESP" not in event.payload


async def test_names_of_members_are_kept_beside_the_events_with_their_countries_and_can_be_erased(
    service: PairingService,
) -> None:
    await create(service, ruleset="fise", rounds=3)
    for place, country in enumerate(("ESP", "ESP", "COL", "VEN"), start=1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", country=country)
    ona, pau = f"{NAMED_PERSON}{'a' * 12}", f"{NAMED_PERSON}{'b' * 12}"
    members = appointments()
    members[0] = pb.Appointment(person_id=ona, role=events.TRIBUNAL_ROLE_ORGANISERS, name="Núria Peñalver")
    members[1] = pb.Appointment(person_id=pau, role=events.TRIBUNAL_ROLE_FEDERATION, name="Ζωή Ρώτα", country="GRC")
    code, message, _ = await read_refusal(act(service, "AppointTribunal", appointments=members))
    assert (code, message) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "appointments: expected the country of Núria Peñalver",
    )
    for country in ("FRA", "AND"):  # the last data of a person of this tournament is valid
        members[0].country = country
        await act(service, "AppointTribunal", appointments=members)
    await act(service, "WarnPlayer", player_id="p1", arbiter_id="marta")
    version = len(await service.record.read_stream("tournament-open"))

    asked = pb.GetTournamentRequest(tournament_id="open")
    shown = {each.player_id: each.name for each in (await service.stub.GetTournament(asked)).persons}
    assert shown == {ona: "Núria Peñalver", pau: "Ζωή Ρώτα"}
    sanctions = await service.stub.ListSanctions(pb.ListSanctionsRequest(tournament_id="open", player_id="p1"))
    assert (sanctions.sanctions[0].appealable, list(sanctions.without_country)) == (True, [])
    lodged = await act(service, "LodgeAppeal", player_id="p1", version=version)
    assert isinstance(lodged, pb.LodgeAppealResponse)
    assert [member.person_id for member in lodged.members] == [ona, pau, "p3"]
    for event in await service.record.read_stream("tournament-open"):
        assert not any(name.encode() in event.payload for name in ("Peñalver", "Ζωή"))
    await erase(service.record, ona)
    assert [each.name for each in (await service.stub.GetTournament(asked)).persons] == ["Ζωή Ρώτα"]


async def test_the_name_of_a_person_who_is_known_otherwise_stays_when_they_are_appointed(
    service: PairingService,
) -> None:
    await create(service, ruleset="fise", rounds=3)
    await create(service, tournament_id="cup", ruleset="fise", rounds=3)
    await register(service, tournament_id="cup", player_id="ona", name="Ona Rius")
    for place, country in enumerate(("ESP", "ESP", "COL", "VEN"), start=1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", country=country)
    members = appointments()
    members[0].name = "Another Name"
    await act(service, "AppointTribunal", appointments=members)

    shown = (await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))).persons
    assert [(each.player_id, each.name) for each in shown] == [("ona", "Ona Rius")]


async def test_an_appeal_is_against_an_act_that_there_is(service: PairingService) -> None:
    version = await warn_player(service)
    code, _, _ = await read_refusal(act(service, "LodgeAppeal", player_id="p1", version=version + 1))
    assert code is grpc.StatusCode.NOT_FOUND
    code, _, info = await read_refusal(act(service, "LodgeAppeal", player_id="p1", version=1))
    assert info.reason == "NO_SANCTION"


async def test_what_the_tribunal_decided_has_to_be_said(service: PairingService) -> None:
    version = await warn_player(service)
    await act(service, "LodgeAppeal", player_id="p1", version=version, countries=countries(ona="AND", pau="POR"))
    for both in (False, True):
        code, message, _ = await read_refusal(act(service, "DecideAppeal", appeal=1, upheld=both, dismissed=both))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert message == "upheld: expected one of upheld=true and dismissed=true"
    await act(service, "DecideAppeal", appeal=1, dismissed=True)
    decided = (await service.record.read_stream("tournament-open"))[-1].message
    assert isinstance(decided, events.AppealDecided)
    assert not decided.upheld


async def test_the_history_says_what_each_sanction_and_appeal_was(service: PairingService) -> None:
    version = await warn_player(service)
    told = countries(ona="AND", pau="POR")
    await act(service, "LodgeAppeal", player_id="p1", version=version, countries=told, note="Player 1 was not there")
    await act(service, "DecideAppeal", appeal=1, upheld=True)
    asked = pb.ListActsRequest(tournament_id="open", after_version=version - 1)
    acts = (await service.stub.ListActs(asked)).acts

    assert [(told.type, list(told.details)) for told in acts] == [
        ("PlayerWarned", ["count: 1", "article: FISE 47", "arbiter-id: marta"]),
        ("AppealLodged", ["appeal: 1", f"version: {version}", "article: FISE 49"]),
        ("AppealDecided", ["appeal: 1", f"version: {version}", "upheld: yes", "article: FISE 49"]),
        ("WarningLifted", [f"version: {version}", "decided-by: ona, pau, p3"]),
    ]
    assert acts[1].note == "Player 1 was not there"
    first = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open", limit=1))).acts[0]
    assert not any("seed" in detail for detail in first.details)


@pytest.mark.parametrize("erased", ["p2", "p3"])
async def test_what_is_noted_of_an_appeal_goes_with_anybody_involved_in_it_and_with_a_player_who_sits(
    erased: str, service: PairingService
) -> None:
    version = await warn_player(service)
    told = countries(ona="AND", pau="POR")
    lodged = await act(
        service,
        "LodgeAppeal",
        player_id="p1",
        version=version,
        player_ids=["p2"],
        countries=told,
        note="he swore at me",
    )
    assert isinstance(lodged, pb.LodgeAppealResponse)
    assert [member.person_id for member in lodged.members] == ["ona", "pau", "p3"]
    await act(service, "DecideAppeal", appeal=1, dismissed=True, note="the one opposite did swear")
    assert len(await service.record.notes_of("tournament-open")) == 2

    await erase(service.record, erased)

    assert not await service.record.notes_of("tournament-open")


async def test_an_appeal_is_taken_back_by_its_number_and_the_note_on_it_goes_with_who_was_involved(
    service: PairingService,
) -> None:
    version = await warn_player(service)
    told = countries(ona="AND", pau="POR")
    await act(service, "LodgeAppeal", player_id="p1", version=version, player_ids=["p2"], countries=told)
    await act(service, "WithdrawAppeal", appeal=1, note="it was the one opposite who was warned")

    recorded = await service.record.read_stream("tournament-open")
    assert recorded[-1].name == "AppealWithdrawn"
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    assert (acts[-2].undone_by, acts[-1].undone_by) == ("WithdrawAppeal", "")
    code, _, info = await read_refusal(act(service, "DecideAppeal", appeal=1, upheld=True))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "APPEAL_WITHDRAWN")
    await erase(service.record, "p2")
    assert not await service.record.notes_of("tournament-open")


async def test_an_appeal_and_an_appointment_sent_again_are_answered_as_first_whatever_is_known_of_persons_since(
    service: PairingService,
) -> None:
    version = await warn_player(service)
    appointing = pb.AppointTribunalRequest(
        command_id=str(uuid4()), tournament_id="open", appointments=appointments(p2="ESP")
    )
    lodging = pb.LodgeAppealRequest(
        command_id=str(uuid4()),
        tournament_id="open",
        player_id="p1",
        version=version,
        countries=countries(ona="AND", pau="POR", p2="ESP"),
    )
    first = (await service.stub.AppointTribunal(appointing), await service.stub.LodgeAppeal(lodging))
    await erase(service.record, "p1")
    await create(service, tournament_id="cup")
    await register(service, tournament_id="cup", player_id="p2", name="Player 2", country="FRA")

    assert (await service.stub.AppointTribunal(appointing), await service.stub.LodgeAppeal(lodging)) == first


async def test_an_appeal_names_a_bounded_number_of_persons_each_in_due_form_and_once(service: PairingService) -> None:
    version = await warn_player(service)
    many = [f"x{place}" for place in range(101)]
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        (
            {"countries": countries(**dict.fromkeys(many, "AND"))},
            "countries: names 101 people; expected at most 100",
        ),
        ({"player_ids": many}, "player_ids: names 101 people; expected at most 100"),
        ({"countries": countries(**{"Ona!": "AND"})}, "countries: 'Ona!' is not an id"),
        ({"countries": [*countries(ona="AND"), *countries(ona="FRA")]}, "countries: ona is named twice"),
    )
    for fields, expected in wrong:
        code, message, _ = await read_refusal(act(service, "LodgeAppeal", player_id="p1", version=version, **fields))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert message.startswith(expected)
    code, message, _ = await read_refusal(act(service, "AppointTribunal", appointments=appointments() * 21))
    assert (code, message) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "appointments: names 105 people; expected at most 100",
    )


@pytest.mark.parametrize(
    ("said", "phase"), [("upheld", pb.APPEAL_PHASE_UPHELD), ("dismissed", pb.APPEAL_PHASE_DISMISSED)]
)
async def test_a_tournament_shows_its_tribunal_and_where_each_appeal_stands(
    service: PairingService, said: str, phase: pb.AppealPhase.ValueType
) -> None:
    version = await warn_player(service)
    told = countries(ona="AND", pau="POR")
    await act(service, "LodgeAppeal", player_id="p1", version=version, countries=told)
    await act(service, "WithdrawAppeal", appeal=1)
    await act(service, "LodgeAppeal", player_id="p1", version=version, player_ids=["p2"], countries=told, note="not me")
    which = pb.GetTournamentRequest(tournament_id="open")
    shown = await service.stub.GetTournament(which)

    assert [(member.person_id, member.role) for member in shown.tribunal] == [
        (person, role) for person, role, _ in SEATS
    ]
    first, second = shown.appeals
    assert (first.appeal, first.phase) == (1, pb.APPEAL_PHASE_WITHDRAWN)
    assert (second.appeal, second.player_id, second.version, list(second.player_ids)) == (
        2,
        "p1",
        version,
        ["p1", "p2"],
    )
    assert ([member.person_id for member in second.members], second.phase) == (
        ["ona", "pau", "p3"],
        pb.APPEAL_PHASE_OPEN,
    )
    assert "not me" not in str(shown)
    await act(service, "DecideAppeal", appeal=2, **{said: True})
    assert (await service.stub.GetTournament(which)).appeals[1].phase == phase


@pytest.mark.parametrize("by", ["DecideAppeal", "LiftExpulsion", "LiftSanction", "UndoAct"])
async def test_whoever_is_acquitted_while_a_round_is_paired_is_said_to_need_another_pairing(
    service: PairingService, by: str
) -> None:
    await create(service, ruleset="fise", rounds=3)
    for place, country in enumerate(("ESP", "ESP", "COL", "VEN"), start=1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", country=country)
    if by == "DecideAppeal":
        await act(service, "AppointTribunal", appointments=appointments())
    await act(service, "ExpelPlayer", player_id="p1", arbiter_id="marta", decided_by=["ona"])
    # An expulsion is followed by the withdrawal.
    version = len(await service.record.read_stream("tournament-open")) - 1
    await act(service, "PairRound", round=1)
    how: dict[str, dict[str, Any]] = {
        "DecideAppeal": {"appeal": 1, "upheld": True},
        "LiftExpulsion": {"player_id": "p1", "decided_by": ["ona"]},
        "LiftSanction": {"version": version, "decided_by": ["ona"]},
        "UndoAct": {"version": version},
    }
    if by == "DecideAppeal":
        lodged = countries(ona="AND", pau="POR")
        await act(service, "LodgeAppeal", player_id="p1", version=version, countries=lodged)
    answer: Any = await act(service, by, **how[by])
    assert answer.round_to_pair_again == 1
    code, _, info = await read_refusal(act(service, "StartRound", round=1))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ENTERED_AFTER_PAIRING")


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("WarnPlayer", {}),
        ("SanctionPlayer", {"kind": events.SANCTION_KIND_ROUNDS, "rounds": [2], "decided_by": ["ona"]}),
        ("ExpelPlayer", {"decided_by": ["ona"]}),
    ],
)
async def test_who_sends_a_sanction_is_the_arbiter_where_none_is_named_and_not_the_player_it_is_on(
    service: PairingService, method: str, fields: dict[str, Any]
) -> None:
    await create(service, ruleset="fise", rounds=3)
    await register(service, player_id="p1", name="Player 1")

    async def send(by: str) -> object:
        request = getattr(pb, f"{method}Request")(
            command_id=str(uuid4()), tournament_id="open", player_id="p1", **fields
        )
        return await getattr(service.stub, method)(request, metadata=(("faristol-actor-name-bin", by.encode()),))

    assert (await read_refusal(send("Player 1")))[2].reason == "OWN_GAME"
    await send("Eva Soler")
    imposed = [
        event
        for event in await service.record.read_stream("tournament-open")
        if getattr(event.message, "arbiter_id", "")
    ]
    assert imposed[0].message.arbiter_id == imposed[0].metadata.actor  # type: ignore[attr-defined]


async def test_the_history_lists_only_events_of_the_wanted_types(service: PairingService) -> None:
    await warn_player(service)
    every = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    some = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open", types=["PlayerWarned"]))
    assert list(some.acts) == [each for each in every if each.type == "PlayerWarned"]
    assert some.acts
    assert not some.more
    asked = service.stub.ListActs(pb.ListActsRequest(tournament_id="open", types=["Warned"]))
    code, message, _ = await read_refusal(asked)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert message == "types: has Warned; expected names of events, such as PairKept"
