"""Corrected names of players: beside the events, in every tournament, bound, and erased like others."""

from __future__ import annotations

from typing import Any

import grpc
from tests.component.tournament.test_service import command, create, read_refusal, register
from tests.support.pairing_service import Desk

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


async def amend(desk: Desk, player_id: str, **given: Any) -> pb.AmendPlayerResponse:
    request = {"command_id": command(), "tournament_id": "open", "player_id": player_id, **given}
    return await desk.stub.AmendPlayer(pb.AmendPlayerRequest(**request))


async def reason(desk: Desk, player_id: str, **given: Any) -> tuple[grpc.StatusCode, str]:
    code, _, info = await read_refusal(amend(desk, player_id, **given))
    return code, info.reason


async def get_tournament(desk: Desk, tournament_id: str = "open") -> pb.GetTournamentResponse:
    return await desk.stub.GetTournament(pb.GetTournamentRequest(tournament_id=tournament_id))


async def test_what_is_not_given_stays_and_a_name_is_that_of_every_tournament(desk: Desk) -> None:
    await create(desk)
    await create(desk, tournament_id="other")
    for tournament in ("open", "other"):
        await register(desk, tournament_id=tournament, player_id="anna", name="Ana Puig", club="Valls", country="ESP")
    answer = await amend(desk, "anna", name="  Anna   Puig ", club="Valls")
    assert list(answer.parts) == [events.ENTRY_PART_NAME]
    for tournament in ("open", "other"):
        (found,) = (await get_tournament(desk, tournament)).players
        assert (found.name, found.club, found.country) == ("Anna Puig", "Valls", "ESP")
    await register(desk, tournament_id="other", player_id="biel", name="Biel Soler")
    code, _, info = await read_refusal(register(desk, tournament_id="other", player_id="anna", name="Ana Puig"))
    assert (code, info.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ALREADY_EXISTS")
    await amend(desk, "anna", club="", country="AND")
    (found,) = (await get_tournament(desk)).players
    assert (found.name, found.club, found.country) == ("Anna Puig", "", "AND")


async def test_the_event_holds_no_word_and_binds_the_name_that_it_changes(desk: Desk) -> None:
    await create(desk)
    await register(desk, player_id="anna", name="Ana Puig", club="Valls")
    await amend(desk, "anna", name="Anna Puigdomènech", note="needs a ramp")
    (event,) = [event for event in await desk.record.read_stream("tournament-open") if event.name == "PlayerAmended"]
    assert b"Puig" not in event.payload
    assert b"ramp" not in event.payload
    said = event.metadata.names.split(":")
    async with desk.record.reading() as connection:
        (kept,) = await list_stored_names(connection)
    assert (said[0], said[1], len(said)) == ("anna", kept.commitment, 3)
    verdict = await verify(desk.record)
    assert (verdict.wrong, verdict.names.bound) == ("", 1)
    async with desk.record.writing() as connection:
        await connection.execute(tables.people.update().values(name="Ana Puig"))
    assert "the personal details of anna" in (await verify(desk.record)).wrong


async def test_an_erasure_forgets_the_amended_name_and_note_and_nothing_is_amended_after_it(desk: Desk) -> None:
    await create(desk)
    await register(desk, player_id="anna", name="Ana Puig", note="needs a ramp")
    await amend(desk, "anna", name="Anna Puigdomènech", note="needs a lift")
    await erase(desk.record, "anna")
    (found,) = (await get_tournament(desk)).players
    assert (found.name, found.note) == ("", "")
    async with desk.record.reading() as connection:
        assert await list_stored_names(connection) == []
        assert (await connection.execute(tables.notes.select())).all() == []
    gone = (grpc.StatusCode.FAILED_PRECONDITION, "PERSON_ERASED")
    for given in ({"name": "Anna"}, {"club": "Valls"}, {"category": "U18"}, {"note": "x"}, {"rating": 5}):
        assert await reason(desk, "anna", **given) == gone
    assert (await verify(desk.record)).wrong == ""


async def test_a_note_that_was_put_right_is_shown_and_the_one_before_does_not_come_back(desk: Desk) -> None:
    await create(desk)
    await register(desk, player_id="anna", name="Anna Puig", note="needs a ramp")
    await amend(desk, "anna", note="needs a lift")
    assert (await get_tournament(desk)).players[0].note == "needs a lift"
    await amend(desk, "anna", category="U18")
    assert (await get_tournament(desk)).players[0].note == "needs a lift"
    await erase_note(desk.record, "tournament-open", 5)
    assert (await get_tournament(desk)).players[0].note == ""
    await amend(desk, "anna", note="sits down")
    await amend(desk, "anna", note="")
    assert (await get_tournament(desk)).players[0].note == ""


async def test_a_name_is_free_as_at_registration_and_is_taken_once_somebody_has_it(desk: Desk) -> None:
    await create(desk)
    await create(desk, tournament_id="other")
    for name, club in (("Anna Puig", "Valls"), ("Ana Puig", "Valls"), ("Anna Puig", "Reus")):
        await register(desk, name=name, club=club)
    first, second, third = (player.player_id for player in (await get_tournament(desk)).players)
    assert await reason(desk, second, name="ANNA PUIG") == TAKEN
    assert await reason(desk, third, club="Valls") == TAKEN
    await amend(desk, second, name="Anna Puig", club="Vic")
    assert await reason(desk, second, club="") == TAKEN
    await amend(desk, first, name="Berta Puig")
    await amend(desk, second, club="Valls")
    for name in ("Berta Puig", "Anna Puig"):  # the stored namesakes are the current ones
        code, _, info = await read_refusal(register(desk, name=name, club="Valls"))
        assert (code, info.reason) == TAKEN
    await register(desk, name="Ana Puig", club="Valls")


async def test_a_namesake_whose_name_was_put_right_in_another_tournament_is_found(desk: Desk) -> None:
    await create(desk)
    await create(desk, tournament_id="other")
    for tournament in ("open", "other"):
        await register(desk, tournament_id=tournament, player_id="anna", name="Ana Puig")
    await register(desk, tournament_id="other", name="Biel Soler")
    await amend(desk, "anna", name="Anna Puig")
    code, _, info = await read_refusal(register(desk, tournament_id="other", name="Anna Puig"))
    assert (code, info.reason) == TAKEN


async def test_what_cannot_be_a_name_a_country_or_a_category_is_told_by_its_field(desk: Desk) -> None:
    await create(desk)
    await register(desk, player_id="anna", name="Anna Puig")
    wrong: list[dict[str, str]] = [
        {"name": ""},
        {"name": "x" * 201},
        {"country": "Andorra"},
        {"category": "x" * 21},
        {"note": "x" * 501},
        {"club": "a\u0000"},
    ]
    for given in wrong:
        code, text, _ = await read_refusal(amend(desk, "anna", **given))
        assert (code, text.partition(":")[0]) == (grpc.StatusCode.INVALID_ARGUMENT, next(iter(given)))


async def test_of_two_who_amend_a_player_the_second_sees_the_first_and_another_player_is_in_no_ones_way(
    desk: Desk,
) -> None:
    await create(desk)
    for name in ("Ana Puig", "Biel Soler"):
        await register(desk, player_id=name.partition(" ")[0].lower(), name=name)
    seen = (await get_tournament(desk)).version
    await amend(desk, "biel", name="Biel Solé", expected_version=seen)
    await amend(desk, "ana", name="Anna Puig", expected_version=seen)
    changed = (grpc.StatusCode.FAILED_PRECONDITION, "CHANGED_MEANWHILE")
    assert await reason(desk, "ana", name="Ana Puig", expected_version=seen) == changed
    assert (await get_tournament(desk)).players[0].name == "Anna Puig"


async def test_a_history_says_what_was_corrected_and_not_what_stood_there(desk: Desk) -> None:
    await create(desk)
    await register(desk, player_id="anna", name="Ana Puig")
    await amend(desk, "anna", name="Anna Puig", rating=1450)
    answer = await desk.stub.ListActs(pb.ListActsRequest(tournament_id="open", after_version=4))
    said = {}
    for language in ("ca", "es", "el", "en"):
        (act,) = describe_history(answer, Roster(await get_tournament(desk), language), language)
        said[language] = act.said
    assert said == {
        "ca": "S’ha corregit la inscripció d’Anna Puig: nom, ràting.",
        "es": "Se ha corregido la inscripción de Anna Puig: nombre, rating.",
        "el": "Η εγγραφή διορθώθηκε (Anna Puig): όνομα, αξιολόγηση.",
        "en": "The entry of Anna Puig is corrected: name, rating.",
    }
    assert answer.acts[0].undone_by == ""


async def test_the_same_command_amends_once(desk: Desk) -> None:
    await create(desk)
    await register(desk, player_id="anna", name="Ana Puig")
    once = command()
    answers = [await amend(desk, "anna", command_id=once, name="Anna Puig") for _ in range(2)]
    assert answers[0] == answers[1]
    assert [event.name for event in await desk.record.read_stream("tournament-open")].count("PlayerAmended") == 1
    assert (await people.names(desk.record, ["anna"]))["anna"].name == "Anna Puig"
