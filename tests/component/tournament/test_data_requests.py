"""Requests about personal data over gRPC: text beside the events, corrections in the same command, erasures shown."""

from __future__ import annotations

import grpc
import pytest
from tests.component.tournament.test_service import act, command, create, read_refusal, register
from tests.support.pairing_service import PairingService

from faristol.event_store.backends import tables
from faristol.event_store.integrity.verification import verify
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data.erasure import erase
from faristol.presentation.history import describe_history
from faristol.presentation.names import Roster

CORRECTION, ERASURE = events.DATA_REQUEST_KIND_CORRECTION, events.DATA_REQUEST_KIND_ERASURE
WAITING, GRANTED = pb.DATA_REQUEST_STATE_WAITING, pb.DATA_REQUEST_STATE_GRANTED
REFUSED, ERASED = pb.DATA_REQUEST_STATE_REFUSED, pb.DATA_REQUEST_STATE_ERASED


async def list_requests(service: PairingService, tournament_id: str = "", player_id: str = "") -> list[pb.DataRequest]:
    asked = pb.ListDataRequestsRequest(tournament_id=tournament_id, player_id=player_id)
    return list((await service.stub.ListDataRequests(asked)).requests)


async def asked_for(service: PairingService) -> None:
    """Request a correction and an erasure for Anna, and a correction in another tournament for Biel."""
    for tournament_id in ("open", "other"):
        await create(service, tournament_id=tournament_id)
    await register(service, player_id="anna", name="Ana Puit", club="Valls")
    await register(service, tournament_id="other", player_id="biel", name="Biel Soler")
    await act(service, "LodgeDataRequest", player_id="anna", kind=CORRECTION, note="I am Anna Puig")
    await act(service, "LodgeDataRequest", player_id="anna", kind=ERASURE)
    other = pb.LodgeDataRequestRequest(tournament_id="other", player_id="biel", kind=CORRECTION, note="Solé")
    other.command_id = command()
    await service.stub.LodgeDataRequest(other)


async def test_a_granted_correction_amends_the_player_in_the_same_act_and_the_answer_is_told(
    service: PairingService,
) -> None:
    await asked_for(service)
    before = await service.record.last_position()
    granted = pb.AnswerDataRequestRequest(request=1, corrected=True, name="Anna  Puig", note="Sorry!")
    granted.command_id, granted.tournament_id = command(), "open"
    answer = await service.stub.AnswerDataRequest(granted)
    assert (list(answer.parts), answer.player_id) == ([events.ENTRY_PART_NAME], "anna")
    written = await service.record.read(before)
    assert [event.name for event in written] == ["PlayerAmended", "DataRequestAnswered"]
    first, second = await list_requests(service, "open")
    assert (first.name, first.state, first.note, first.answer) == ("Anna Puig", GRANTED, "I am Anna Puig", "Sorry!")
    assert (second.state, second.note, bool(second.tournament_name)) == (WAITING, "", True)
    assert [each.player_id for each in await list_requests(service)] == ["anna", "anna", "biel"]
    assert [each.request for each in await list_requests(service, player_id="biel")] == [1]
    shown = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))
    assert shown.waiting_data_requests == 1


async def test_a_correction_that_cannot_be_made_leaves_the_request_waiting(service: PairingService) -> None:
    await asked_for(service)
    before = await service.record.last_position()
    code, _, _ = await read_refusal(act(service, "AnswerDataRequest", request=1, corrected=True, country="Spain"))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    code, _, info = await read_refusal(act(service, "AnswerDataRequest", request=1, corrected=True, club="Valls"))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SAME_ENTRY")
    assert (await service.record.last_position(), (await list_requests(service, "open"))[0].state) == (before, WAITING)


async def test_the_words_stand_beside_the_events_and_are_in_no_history_and_gone_after_an_erasure(
    service: PairingService,
) -> None:
    await asked_for(service)
    await act(service, "AnswerDataRequest", request=1, refused=True, note="Your card says Puit")
    await act(service, "AnswerDataRequest", request=2, erased=True)
    for event in await service.record.read_stream("tournament-open"):
        assert b"Pui" not in event.payload
    history = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))
    shown = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))
    sentences = [
        f"{each.said} {' '.join(each.also.values())}" for each in describe_history(history, Roster(shown), "en")
    ]
    assert not any("card" in each for each in sentences)
    assert sentences[-4:-1][0].startswith("Request 1 of Ana Puit is received: correction of personal data.")
    assert sentences[-2].startswith("Request 1 of Ana Puit is refused.")
    assert sentences[-1].startswith(
        "Request 2 of Ana Puit is granted: the operator of the record erases the data of the person."
    )
    assert [each.state for each in await list_requests(service, "open")] == [REFUSED, GRANTED]
    await erase(service.record, "anna")
    for each in await list_requests(service, "open"):
        assert (each.state, each.name, each.note, each.answer) == (ERASED, "", "", "")
    async with service.record.reading() as connection:
        assert [row.text for row in await connection.execute(tables.notes.select())] == ["Solé"]
    assert (await verify(service.record)).wrong == ""


async def test_a_player_sees_their_sanctions_with_what_they_are_for_and_what_came_of_an_appeal(
    service: PairingService,
) -> None:
    await create(service, ruleset="fise", rounds=3)
    for place, country in enumerate(("", "COL", "VEN", ""), start=1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", country=country)
    await register(service, player_id="p5", name="Player 1", club="Reus", country="ESP")
    roles = (events.TRIBUNAL_ROLE_PLAYERS, events.TRIBUNAL_ROLE_SUBSTITUTE, events.TRIBUNAL_ROLE_SUBSTITUTE)
    seats = [pb.Appointment(person_id=f"p{place}", role=role) for place, role in enumerate(roles, start=2)]
    seats += [
        pb.Appointment(person_id="ona", role=events.TRIBUNAL_ROLE_ORGANISERS, country="AND"),
        pb.Appointment(person_id="pau", role=events.TRIBUNAL_ROLE_FEDERATION, country="POR"),
    ]
    seats[2].country = "ARG"
    await act(service, "AppointTribunal", appointments=seats)
    await act(service, "WarnPlayer", player_id="p1", arbiter_id="marta", note="shouted at Player 2")

    async def own(player_id: str = "p1") -> pb.ListSanctionsResponse:
        return await service.stub.ListSanctions(pb.ListSanctionsRequest(tournament_id="open", player_id=player_id))

    answer = await own()
    (sanction,) = answer.sanctions
    assert (sanction.act.type, sanction.act.note) == ("PlayerWarned", "shouted at Player 2")
    assert sanction.appealable
    assert {each.player_id: each.name for each in answer.without_country} == {
        "ona": "",
        "pau": "",
        "p1": "Player 1 (p1)",
    }
    assert not (await own("p2")).sanctions
    countries = {"ona": "AND", "pau": "POR", "p1": "ESP"}
    told_of = [pb.PersonCountry(person_id=person, country=code) for person, code in countries.items()]
    await act(service, "LodgeAppeal", player_id="p1", version=sanction.act.version, countries=told_of)
    (sanction,) = (await own()).sanctions
    assert (sanction.appealable, sanction.appeal.phase) == (False, pb.APPEAL_PHASE_OPEN)
    await act(service, "DecideAppeal", appeal=1, upheld=True)
    (sanction,) = (await own()).sanctions
    assert (sanction.appealable, sanction.appeal.phase) == (False, pb.APPEAL_PHASE_UPHELD)
    with pytest.raises(grpc.aio.AioRpcError) as nobody:
        await own("nobody")
    assert nobody.value.code() is grpc.StatusCode.FAILED_PRECONDITION
