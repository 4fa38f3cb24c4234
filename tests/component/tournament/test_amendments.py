"""Corrected names of players: beside the events, in every tournament, bound, and erased like others."""

from __future__ import annotations

from typing import Any

import grpc
from tests.component.tournament.test_service import command, create, read_refusal, register
from tests.support.pairing_service import PairingService

from faristol.event_store.backends import tables
from faristol.event_store.beside_events.bindings import list_stored_names
from faristol.event_store.integrity.verification import verify
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.personal_data.erasure import erase, erase_note
from faristol.presentation.history import describe_history
from faristol.presentation.names import Roster

TAKEN = (grpc.StatusCode.FAILED_PRECONDITION, "NAME_TAKEN")


async def amend(service: PairingService, player_id: str, **given: Any) -> pb.AmendPlayerResponse:
    request = {"command_id": command(), "tournament_id": "open", "player_id": player_id, **given}
    return await service.stub.AmendPlayer(pb.AmendPlayerRequest(**request))


async def reason(service: PairingService, player_id: str, **given: Any) -> tuple[grpc.StatusCode, str]:
    code, _, info = await read_refusal(amend(service, player_id, **given))
    return code, info.reason


async def get_tournament(service: PairingService, tournament_id: str = "open") -> pb.GetTournamentResponse:
    return await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id=tournament_id))


async def test_what_is_not_given_stays_and_a_name_is_that_of_every_tournament(service: PairingService) -> None:
    await create(service)
    await create(service, tournament_id="other")
    for tournament in ("open", "other"):
        await register(
            service, tournament_id=tournament, player_id="anna", name="Ana Puig", club="Valls", country="ESP"
        )
    answer = await amend(service, "anna", name="  Anna   Puig ", club="Valls")
    assert list(answer.parts) == [events.ENTRY_PART_NAME]
    for tournament in ("open", "other"):
        (found,) = (await get_tournament(service, tournament)).players
        assert (found.name, found.club, found.country) == ("Anna Puig", "Valls", "ESP")
    await register(service, tournament_id="other", player_id="biel", name="Biel Soler")
    code, _, info = await read_refusal(register(service, tournament_id="other", player_id="anna", name="Ana Puig"))
    assert (code, info.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ALREADY_EXISTS")
    await amend(service, "anna", club="", country="AND")
    (found,) = (await get_tournament(service)).players
    assert (found.name, found.club, found.country) == ("Anna Puig", "", "AND")


async def test_the_event_holds_no_word_and_binds_the_name_that_it_changes(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="anna", name="Ana Puig", club="Valls")
    await amend(service, "anna", name="Anna Puigdomènech", note="needs a ramp")
    (event,) = [event for event in await service.record.read_stream("tournament-open") if event.name == "PlayerAmended"]
    assert b"Puig" not in event.payload
    assert b"ramp" not in event.payload
    said = event.metadata.names.split(":")
    async with service.record.reading() as connection:
        (kept,) = await list_stored_names(connection)
    assert (said[0], said[1], len(said)) == ("anna", kept.commitment, 3)
    verdict = await verify(service.record)
    assert (verdict.wrong, verdict.names.bound) == ("", 1)
    async with service.record.writing() as connection:
        await connection.execute(tables.people.update().values(name="Ana Puig"))
    assert "the personal details of anna" in (await verify(service.record)).wrong


async def test_an_erasure_forgets_the_amended_name_and_note_and_nothing_is_amended_after_it(
    service: PairingService,
) -> None:
    await create(service)
    await register(service, player_id="anna", name="Ana Puig", note="needs a ramp")
    await amend(service, "anna", name="Anna Puigdomènech", note="needs a lift")
    await erase(service.record, "anna")
    (found,) = (await get_tournament(service)).players
    assert (found.name, found.note) == ("", "")
    async with service.record.reading() as connection:
        assert await list_stored_names(connection) == []
        assert (await connection.execute(tables.notes.select())).all() == []
    gone = (grpc.StatusCode.FAILED_PRECONDITION, "PERSON_ERASED")
    for given in ({"name": "Anna"}, {"club": "Valls"}, {"category": "U18"}, {"note": "x"}, {"rating": 5}):
        assert await reason(service, "anna", **given) == gone
    assert (await verify(service.record)).wrong == ""


async def test_a_note_that_was_put_right_is_shown_and_the_one_before_does_not_come_back(
    service: PairingService,
) -> None:
    await create(service)
    await register(service, player_id="anna", name="Anna Puig", note="needs a ramp")
    await amend(service, "anna", note="needs a lift")
    assert (await get_tournament(service)).players[0].note == "needs a lift"
    await amend(service, "anna", category="U18")
    assert (await get_tournament(service)).players[0].note == "needs a lift"
    await erase_note(service.record, "tournament-open", 5)
    assert (await get_tournament(service)).players[0].note == ""
    await amend(service, "anna", note="sits down")
    await amend(service, "anna", note="")
    assert (await get_tournament(service)).players[0].note == ""


async def test_a_name_is_free_as_at_registration_and_is_taken_once_somebody_has_it(service: PairingService) -> None:
    await create(service)
    await create(service, tournament_id="other")
    for name, club in (("Anna Puig", "Valls"), ("Ana Puig", "Valls"), ("Anna Puig", "Reus")):
        await register(service, name=name, club=club)
    first, second, third = (player.player_id for player in (await get_tournament(service)).players)
    assert await reason(service, second, name="ANNA PUIG") == TAKEN
    assert await reason(service, third, club="Valls") == TAKEN
    await amend(service, second, name="Anna Puig", club="Vic")
    assert await reason(service, second, club="") == TAKEN
    await amend(service, first, name="Berta Puig")
    await amend(service, second, club="Valls")
    for name in ("Berta Puig", "Anna Puig"):  # the stored namesakes are the current ones
        code, _, info = await read_refusal(register(service, name=name, club="Valls"))
        assert (code, info.reason) == TAKEN
    await register(service, name="Ana Puig", club="Valls")


async def test_a_namesake_whose_name_was_put_right_in_another_tournament_is_found(service: PairingService) -> None:
    await create(service)
    await create(service, tournament_id="other")
    for tournament in ("open", "other"):
        await register(service, tournament_id=tournament, player_id="anna", name="Ana Puig")
    await register(service, tournament_id="other", name="Biel Soler")
    await amend(service, "anna", name="Anna Puig")
    code, _, info = await read_refusal(register(service, tournament_id="other", name="Anna Puig"))
    assert (code, info.reason) == TAKEN


async def test_what_cannot_be_a_name_a_country_or_a_category_is_told_by_its_field(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="anna", name="Anna Puig")
    wrong: list[dict[str, str]] = [
        {"name": ""},
        {"name": "x" * 201},
        {"country": "Andorra"},
        {"category": "x" * 21},
        {"note": "x" * 501},
        {"club": "a\u0000"},
    ]
    for given in wrong:
        code, text, _ = await read_refusal(amend(service, "anna", **given))
        assert (code, text.partition(":")[0]) == (grpc.StatusCode.INVALID_ARGUMENT, next(iter(given)))


async def test_of_two_who_amend_a_player_the_second_sees_the_first_and_another_player_is_in_no_ones_way(
    service: PairingService,
) -> None:
    await create(service)
    for name in ("Ana Puig", "Biel Soler"):
        await register(service, player_id=name.partition(" ")[0].lower(), name=name)
    seen = (await get_tournament(service)).version
    await amend(service, "biel", name="Biel Solé", expected_version=seen)
    await amend(service, "ana", name="Anna Puig", expected_version=seen)
    changed = (grpc.StatusCode.FAILED_PRECONDITION, "CHANGED_MEANWHILE")
    assert await reason(service, "ana", name="Ana Puig", expected_version=seen) == changed
    assert (await get_tournament(service)).players[0].name == "Anna Puig"


async def test_a_history_says_what_was_corrected_and_not_what_stood_there(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="anna", name="Ana Puig")
    await amend(service, "anna", name="Anna Puig", rating=1450)
    answer = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open", after_version=4))
    said = {}
    for language in ("ca", "es", "el", "en"):
        (act,) = describe_history(answer, Roster(await get_tournament(service), language), language)
        said[language] = act.said
    assert said == {
        "ca": "S’ha corregit la inscripció d’Anna Puig: nom, ràting.",
        "es": "Se ha corregido la inscripción de Anna Puig: nombre, rating.",
        "el": "Η εγγραφή διορθώθηκε (Anna Puig): όνομα, αξιολόγηση.",
        "en": "The entry of Anna Puig is corrected: name, rating.",
    }
    assert answer.acts[0].undone_by == ""


async def test_the_same_command_amends_once(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="anna", name="Ana Puig")
    once = command()
    answers = [await amend(service, "anna", command_id=once, name="Anna Puig") for _ in range(2)]
    assert answers[0] == answers[1]
    assert [event.name for event in await service.record.read_stream("tournament-open")].count("PlayerAmended") == 1
    assert (await people.names(service.record, ["anna"]))["anna"].name == "Anna Puig"
