from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Sequence
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from sqlalchemy import text
from tests.support.halls import FISC, Hall
from tests.support.pairing_service import PairingService

from faristol.cli.client import Client
from faristol.cli.contract import command_of
from faristol.cli.tournament.history import history
from faristol.event_store import Decision, Guard, Loaded, Metadata, Write
from faristol.event_store.integrity.verification import verify
from faristol.host import StartError
from faristol.kernel.event_types import OF_THE_CELL
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.rating.v1 import events_pb2 as rating_events
from faristol.pb.register.v1 import events_pb2 as register_events
from faristol.personal_data import people
from faristol.personal_data.erasure import erase
from faristol.register.model import REGISTER_STREAM, Register
from faristol.table_terminal.shared.names import game_meant
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.state import TournamentState


def command() -> str:
    return str(uuid.uuid4())


async def create(service: PairingService, **fields: object) -> pb.CreateTournamentResponse:
    given = {"command_id": command(), "tournament_id": "open", "name": "Open", "rounds": 5, **fields}
    return await service.stub.CreateTournament(pb.CreateTournamentRequest(**given))  # type: ignore[arg-type]


async def register(service: PairingService, **fields: object) -> pb.RegisterPlayerResponse:
    given = {"command_id": command(), "tournament_id": "open", **fields}
    return await service.stub.RegisterPlayer(pb.RegisterPlayerRequest(**given))  # type: ignore[arg-type]


async def open_tournament(service: PairingService, players: int = 8) -> None:
    await create(service)
    for place in range(1, players + 1):
        await register(service, player_id=f"p{place}", name=f"Player {place}", rating=2000 - place)


async def read_refusal(call: Awaitable[object]) -> tuple[grpc.StatusCode, str, error_details_pb2.ErrorInfo]:
    """Return the status, message and reason with which a call is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as answer:
        await call
    status = rpc_status.from_call(answer.value)  # type: ignore[arg-type]
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    status.details[0].Unpack(info)
    return answer.value.code(), answer.value.details() or "", info


async def names_on_stream(service: PairingService, stream: str = "tournament-open") -> list[str]:
    return [event.name for event in await service.record.read_stream(stream)]


async def test_a_tournament_is_created_with_its_pins_in_one_append(service: PairingService) -> None:
    answer = await create(service)

    assert answer.position == 4
    assert (answer.ruleset.name, answer.ruleset.digest) == ("fisc-2023", FISC.digest)
    assert (answer.lexicon.name, answer.lexicon.digest) == ("catalan", "c" * 64)
    assert await names_on_stream(service) == ["TournamentCreated", "RulesetPinned", "LexiconPinned"]
    assert await names_on_stream(service, f"ruleset-{FISC.digest}") == ["RulesetKept"]


async def test_the_rules_are_kept_once_however_many_tournaments_pin_them(service: PairingService) -> None:
    await create(service, tournament_id="first")
    await create(service, tournament_id="second")
    (kept,) = await service.record.read_stream(f"ruleset-{FISC.digest}")
    assert kept.message == events.RulesetKept(digest=FISC.digest, content=FISC.canonical)


async def test_a_seed_is_drawn_where_none_is_given_and_kept_where_one_is(service: PairingService) -> None:
    await create(service, tournament_id="one")
    await create(service, tournament_id="two")
    await create(service, tournament_id="three", seed=b"7" * 32)

    seeds = []
    for name in ("one", "two", "three"):
        created = (await service.record.read_stream(f"tournament-{name}"))[0].message
        assert isinstance(created, events.TournamentCreated)
        seeds.append(created.seed)

    assert [len(seed) for seed in seeds] == [32, 32, 32]
    assert seeds[0] != seeds[1]
    assert seeds[2] == b"7" * 32


@pytest.mark.parametrize(("given", "shown"), [("", "UTC"), ("Europe/Athens", "Europe/Athens")])
async def test_a_tournament_says_the_time_zone_of_its_halls(service: PairingService, given: str, shown: str) -> None:
    await create(service, time_zone=given)

    answer = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))
    assert answer.time_zone == shown


async def test_an_id_is_made_from_the_name_and_made_another_when_taken(service: PairingService) -> None:
    answers = [await create(service, tournament_id="", name="Trofeu Valls") for _ in range(3)]

    assert [answer.tournament_id for answer in answers] == ["trofeu-valls", "trofeu-valls-2", "trofeu-valls-3"]
    assert (
        await create(service, tournament_id="", name="Valls R2")
    ).tournament_id == "valls-r2-2"  # valls-r2 is a game


async def test_a_command_sent_again_gets_its_first_answer(service: PairingService) -> None:
    again = command()
    first = await create(service, command_id=again, tournament_id="", name="Open")
    second = await create(service, command_id=again, tournament_id="", name="Open")

    assert second == first
    assert await names_on_stream(service, "tournament-open-2") == []


async def test_four_rounds_are_refused_with_the_article(service: PairingService) -> None:
    # FISC I.1, as a caller sees it.
    code, message, info = await read_refusal(create(service, rounds=4))

    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert (info.reason, info.metadata["article"]) == ("TOO_FEW_ROUNDS", "FISC I.1")
    assert "5 rounds or more, not 4" in message
    assert await service.record.last_position() == 0


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"tournament_id": "No Spaces"}, "tournament_id"),
        ({"name": " "}, "name"),
        ({"ruleset": "fisc-1999"}, "ruleset"),
        ({"seed": b"short"}, "seed"),
        ({"time_zone": "Europe/Atlantis"}, "time_zone"),
        ({"time_zone": "../etc/passwd"}, "time_zone"),
        ({"command_id": "seven"}, "command_id"),
        ({"occurred_at": Timestamp(seconds=10**15)}, "occurred_at"),
    ],
)
async def test_a_malformed_field_is_named(service: PairingService, fields: dict[str, object], field: str) -> None:
    code, message, info = await read_refusal(create(service, **fields))

    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert message.startswith(f"{field}: ")
    assert info.metadata["field"] == field


async def test_a_lexicon_that_is_not_installed_is_refused(service: PairingService) -> None:
    code, message, info = await read_refusal(create(service, lexicon="klingon"))

    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "LEXICON_MISSING")
    assert "installed: catalan, spanish" in message


async def test_without_a_lexicon_results_can_be_typed_and_one_is_chosen_later(service: PairingService) -> None:
    recorded = game_events.KEEPING_RECORDED
    made = await create(service, ruleset="pes-2024", without_lexicon=True, keeping=recorded)
    assert not made.HasField("lexicon")
    assert not (await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))).HasField("lexicon")
    assert await names_on_stream(service) == ["TournamentCreated", "RulesetPinned"]
    choice = pb.ChooseLexiconRequest(command_id=command(), tournament_id="open")
    _, message, info = await read_refusal(service.stub.ChooseLexicon(choice))
    assert (info.reason, "greek is not installed here" in message) == ("LEXICON_MISSING", True)

    await create(service, tournament_id="paper", without_lexicon=True, keeping=recorded)
    chosen = pb.ChooseLexiconRequest(command_id=command(), tournament_id="paper")
    assert (await service.stub.ChooseLexicon(chosen)).lexicon.name == "catalan"
    told = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="paper"))
    assert told.lexicon.digest == "c" * 64
    again = pb.ChooseLexiconRequest(command_id=command(), tournament_id="paper")
    assert (await read_refusal(service.stub.ChooseLexicon(again)))[2].reason == "LEXICON_PINNED"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "If the system holds the bag"),
        (
            {"ruleset": "fisc-2023-duplicate", "keeping": game_events.KEEPING_RECORDED},
            "A duplicate game is scored with a lexicon",
        ),
    ],
)
async def test_what_needs_a_lexicon_is_not_created_without_one(
    service: PairingService, fields: dict[str, object], expected: str
) -> None:
    code, message, info = await read_refusal(create(service, without_lexicon=True, **fields))

    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_LEXICON")
    assert expected in message
    assert "installs others" in message
    assert await service.record.last_position() == 0


async def test_a_lexicon_and_none_are_not_both_chosen(service: PairingService) -> None:
    code, _, info = await read_refusal(create(service, lexicon="catalan", without_lexicon=True))
    assert (code, info.metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, "lexicon")


async def test_ids_are_taken_once(service: PairingService) -> None:
    await open_tournament(service, players=1)

    for call in (create(service), register(service, player_id="p1", name="Somebody else")):
        code, _, _ = await read_refusal(call)
        assert code is grpc.StatusCode.ALREADY_EXISTS


async def test_what_does_not_exist_is_not_found_by_its_id(service: PairingService) -> None:
    stub, id_of_command, where = service.stub, command(), "nowhere"
    calls: list[Awaitable[object]] = [
        register(service, tournament_id=where, name="Anna"),
        stub.PairRound(pb.PairRoundRequest(command_id=id_of_command, tournament_id=where, round=1)),
        stub.StartRound(pb.StartRoundRequest(command_id=id_of_command, tournament_id=where, round=1)),
        stub.CloseRound(pb.CloseRoundRequest(command_id=id_of_command, tournament_id=where, round=1)),
        stub.PublishStandings(pb.PublishStandingsRequest(command_id=id_of_command, tournament_id=where)),
        stub.GetTournament(pb.GetTournamentRequest(tournament_id=where)),
    ]
    for call in calls:
        code, message, _ = await read_refusal(call)
        assert code is grpc.StatusCode.NOT_FOUND
        assert "nowhere" in message


async def test_two_players_of_one_name_are_refused_and_nothing_is_changed(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="first", name="Núria Bonet", club="Valls")

    code, message, info = await read_refusal(register(service, name="NÚRIA BONET"))

    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NAME_TAKEN")
    assert "first" in message
    assert (info.metadata["player"], info.metadata["club"]) == ("first", "Valls")
    assert (await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))).player_ids == ["first"]


async def test_a_refused_registration_leaves_no_name_behind(service: PairingService) -> None:
    await open_tournament(service)
    version = len(await service.record.read_stream("tournament-open"))
    rounds = [
        event
        for number in (1, 2)
        for event in (
            events.RoundPaired(round=number),
            events.RoundStarted(round=number),
            events.RoundClosed(round=number),
        )
    ]
    await service.record.append(Decision([Write("tournament-open", version, rounds, "open")]), Metadata())

    code, _, info = await read_refusal(register(service, player_id="late", name="Late Comer"))

    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TOO_LATE_TO_ENTER")
    assert await people.names(service.record, ["late"]) == {}


async def test_players_of_a_list_are_registered_together_and_who_is_refused_keeps_nobody_out(
    service: PairingService,
) -> None:
    await create(service)
    await register(service, player_id="p1", name="Player 1", rating=1999)
    await create(service, tournament_id="other")
    await register(service, tournament_id="other", player_id="gone", name="Galo", rating=1999)
    await erase(service.record, "gone")
    await register(service, tournament_id="other", player_id="eva", name="Eva Mas", club="Reus", rating=1500)
    listed: list[dict[str, object]] = [
        {"name": "Anna Puig", "club": "Valls", "rating": 1700, "category": "U18", "note": "needs a ramp"},
        {"player_id": "p1", "name": "Player 1"},
        {"name": "anna  puig"},
        {"name": "Anna Puig", "club": "Reus"},
        {"player_id": "gone", "name": "Galo"},
        {"name": "Biel", "country": "nowhere"},
        {"player_id": "eva", "name": "Eva Sala"},
        {"player_id": "eva", "name": "Eva Mas"},
        {"name": "Player 1"},
    ]
    players = [pb.RegisterPlayerRequest(command_id=command(), **given) for given in listed]  # type: ignore[arg-type]
    request = pb.RegisterPlayersRequest(command_id=command(), tournament_id="open", players=players)
    answer = await service.stub.RegisterPlayers(request)

    reasons = ["", "ALREADY_EXISTS", "NAME_TAKEN", "", "PERSON_ERASED", "INVALID", "NAME_DIFFERS", "", "NAME_TAKEN"]
    assert [found.reason for found in answer.registrations] == reasons
    entered = [found.player_id for found in answer.registrations if found.player_id]
    shown = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))
    assert [player.player_id for player in shown.players] == ["p1", *entered]
    told = [(player.name, player.club, player.rating, player.note) for player in shown.players[1:]]
    assert told == [
        ("Anna Puig", "Valls", 1700, "needs a ramp"),
        ("Anna Puig", "Reus", 1000, ""),
        ("Eva Mas", "Reus", 1000, ""),
    ]
    assert (await service.stub.RegisterPlayers(request)).position == answer.position
    events_of = [event for event in await service.record.read_stream("tournament-open") if event.metadata.names]
    assert [event.metadata.names.split(":")[0] for event in events_of[1:]] == entered
    assert (await verify(service.record)).wrong == ""


async def test_a_list_for_another_tournament_or_of_nobody_is_refused_as_a_whole(service: PairingService) -> None:
    await create(service)
    stranger = pb.RegisterPlayerRequest(command_id=command(), tournament_id="other", name="Anna")
    for players, field in ([stranger], "players[0].tournament_id"), ([], "players"):
        request = pb.RegisterPlayersRequest(command_id=command(), tournament_id="open", players=players)
        _, _, info = await read_refusal(service.stub.RegisterPlayers(request))
        assert info.metadata["field"] == field


async def test_many_desks_can_register_at_once(service: PairingService) -> None:
    await create(service)
    # Earlier writes by other callers are not an error while attempts remain.
    await asyncio.gather(*(register(service, player_id=f"p{place}", name=f"Player {place}") for place in range(6)))

    found = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))

    assert sorted(found.player_ids) == [f"p{place}" for place in range(6)]


async def test_a_round_is_paired_started_and_shown(service: PairingService) -> None:
    await open_tournament(service, players=7)
    stub = service.stub

    answer = await stub.PairRound(pb.PairRoundRequest(command_id=command(), tournament_id="open", round=1))
    shown = await stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))
    await stub.StartRound(pb.StartRoundRequest(command_id=command(), tournament_id="open", round=1))
    started = await stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))

    assert [(table.table, table.first_player_id, table.second_player_id) for table in answer.pairings] == [
        (1, "p1", "p4"),
        (2, "p2", "p5"),
        (3, "p3", "p6"),
    ]
    assert answer.bye_player_id == "p7"
    (played,) = shown.played
    assert played == pb.Round(
        round=1, phase=pb.ROUND_PHASE_PAIRED, pairings=answer.pairings, bye_player_id="p7", finished_game_ids=[]
    )
    assert started.played[0].phase == pb.ROUND_PHASE_STARTED
    assert started.version == shown.version + 1
    assert (shown.name, shown.rounds, shown.over) == ("Open", 5, False)


async def test_a_round_is_not_closed_without_its_results(service: PairingService) -> None:
    await open_tournament(service, players=8)
    stub = service.stub
    await stub.PairRound(pb.PairRoundRequest(command_id=command(), tournament_id="open", round=1))
    await stub.StartRound(pb.StartRoundRequest(command_id=command(), tournament_id="open", round=1))

    code, message, info = await read_refusal(
        stub.CloseRound(pb.CloseRoundRequest(command_id=command(), tournament_id="open", round=1))
    )

    assert (code, info.reason, info.metadata["article"]) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "RESULTS_MISSING",
        "FISC I.8",
    )
    assert "1 (open-r1-t1), 2 (open-r1-t2), 3 (open-r1-t3), 4 (open-r1-t4)" in message


async def test_a_command_that_says_when_keeps_its_time(service: PairingService) -> None:
    at = Timestamp(seconds=1_700_000_000, nanos=123_000)
    await create(service, occurred_at=at)

    created = (await service.record.read_stream("tournament-open"))[0].message

    assert isinstance(created, events.TournamentCreated)
    assert created.occurred_at == at


async def act(service: PairingService, name: str, **fields: object) -> object:
    """Send a command on the tournament."""
    request = getattr(pb, f"{name}Request")(command_id=command(), tournament_id="open", **fields)
    return await getattr(service.stub, name)(request)


async def test_everything_that_keeps_a_round_from_being_paired_is_listed_and_told_with_the_refusal(
    service: PairingService,
) -> None:
    await open_tournament(service)
    await act(service, "PairRound", round=1)
    await act(service, "StartRound", round=1)

    listed = await service.stub.ListObstacles(
        pb.ListObstaclesRequest(tournament_id="open"), metadata=(("accept-language", "ca"),)
    )
    with pytest.raises(grpc.aio.AioRpcError) as answer:
        await act(service, "PairRound", round=2)
    status = rpc_status.from_call(answer.value)  # type: ignore[arg-type]
    assert status is not None
    failure = error_details_pb2.PreconditionFailure()
    assert status.details[1].Unpack(failure)

    assert listed.round == 2
    assert [obstacle.subject for obstacle in listed.obstacles] == [
        "rounds/1",
        *(f"games/open-r1-t{n}" for n in range(1, 5)),
    ]
    assert listed.obstacles[1].text == "Falta el resultat de la taula 1 de la ronda 1: p1, p5."
    assert [violation.subject for violation in failure.violations] == [
        violation.subject for violation in listed.obstacles
    ]


async def test_a_director_brings_players_in_lets_them_rest_and_out_again_over_grpc(service: PairingService) -> None:
    await open_tournament(service)
    await act(service, "CheckInPlayer", player_id="p1")
    await act(service, "CheckOutPlayer", player_id="p1")
    await act(service, "GrantBye", player_id="p1", round=1, kind=events.BYE_KIND_HALF_POINT)
    await act(service, "GrantBye", player_id="p2", round=1, kind=events.BYE_KIND_FULL_POINT)
    await act(service, "RevokeBye", player_id="p2", round=1)
    await act(service, "KeepPair", player_ids=["p2", "p3"])
    await act(service, "ForbidPair", player_ids=["p4", "p7"])
    await act(service, "AllowPair", player_ids=["p4", "p7"])
    await act(service, "KeepPair", player_ids=["p4", "p5"])
    await act(service, "ReleasePair", player_ids=["p4", "p5"])
    await act(service, "PairRound", round=1)
    await act(service, "UnpairRound", round=1, note="the wrong list")
    await act(service, "PairRound", round=1)
    await act(service, "StartRound", round=1)
    _, _, unsaid = await read_refusal(act(service, "WithdrawPlayer", player_id="p2", note="ill"))
    given_up = pb.RUNNING_GAME_GIVEN_UP
    gone = await act(service, "WithdrawPlayer", player_id="p2", note="ill", running_game=given_up)
    late = await register(service, player_id="late", name="Late", rating=1500)
    await act(service, "ReinstatePlayer", player_id="p2")
    found = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))

    assert unsaid.reason == "GAME_RUNNING"
    assert isinstance(gone, pb.WithdrawPlayerResponse)
    assert (gone.round, gone.game_id) == (2, "open-r1-t3")
    assert (late.round, late.fictitious_half_points) == (2, 1)
    assert [bye.player_id for bye in found.played[0].requested_byes] == ["p1"]
    assert [player.withdrawn_round for player in found.players] == [0] * 9
    assert found.players[-1].entered_round == 2


async def test_why_is_answered_in_the_language_of_the_caller(service: PairingService) -> None:
    await open_tournament(service)
    await act(service, "PairRound", round=1)

    answer = await service.stub.ExplainPairing(
        pb.ExplainPairingRequest(tournament_id="open", round=1, player_id="p1"),
        metadata=(("accept-language", "es"),),
    )

    assert (answer.reason, answer.article) == ("first", "FISC I.1")
    assert answer.text == "En la primera ronda la mitad superior se enfrenta a la inferior: p1 se enfrenta a p5."


async def test_what_was_done_can_be_seen_and_undone(service: PairingService) -> None:
    await open_tournament(service)
    metadata = (("faristol-actor", "director-1"), ("faristol-role", "director"))
    forbid = pb.ForbidPairRequest(command_id=command(), tournament_id="open", player_ids=["p1", "p5"])
    await service.stub.ForbidPair(forbid, metadata=metadata)
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    undone = await act(service, "UndoAct", version=acts[-1].version)
    later = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open", after_version=acts[-1].version))

    assert [told.version for told in acts] == list(range(1, 13))
    assert (acts[-1].type, list(acts[-1].player_ids), acts[-1].actor, acts[-1].undone_by) == (
        "PairForbidden",
        ["p1", "p5"],
        "director-1",
        "AllowPair",
    )
    assert isinstance(undone, pb.UndoActResponse)
    assert undone.undone_by == "AllowPair"
    assert [told.type for told in later.acts] == ["PairAllowed"]
    code, _, _ = await read_refusal(act(service, "UndoAct", version=99))
    assert code is grpc.StatusCode.NOT_FOUND
    code, message, _ = await read_refusal(act(service, "UndoAct"))
    assert (code, message) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "version: is missing; expected the number of the command in the history",
    )
    for command_name in ("PairRound", "StartRound", "CloseRound"):
        code, message, _ = await read_refusal(act(service, command_name))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert message == "round: is missing; expected the number of the round, from 1"
    _, _, info = await read_refusal(act(service, "UndoAct", version=acts[-1].version))
    assert info.reason == "NOT_UNDONE"


async def test_who_leaves_or_comes_once_a_round_is_paired_is_told_that_it_has_to_be_paired_again(
    service: PairingService, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_tournament(service)
    before = await act(service, "WithdrawPlayer", player_id="p8")
    assert isinstance(before, pb.WithdrawPlayerResponse)
    assert before.round_to_pair_again == 0
    await act(service, "PairRound", round=1)
    monkeypatch.setenv("LC_ALL", "es_ES.UTF-8")
    given = {"tournament_id": "open", "player_id": "player 2", "client": Client(service.runtime.channels.own_address)}
    await asyncio.to_thread(command_of("WithdrawPlayer"), **given)
    told = capsys.readouterr().out
    assert told == (
        "Player 2 se ha retirado, desde la ronda 1. "
        "La ronda 1 ya se ha emparejado: hay que volver a emparejarla antes de que empiece.\n"
    )
    code, message, _ = await read_refusal(act(service, "StartRound", round=1))
    assert (code, message.endswith("pair it again.")) == (grpc.StatusCode.FAILED_PRECONDITION, True)
    assert (await register(service, player_id="p9", name="Player 9")).round_to_pair_again == 1


async def test_who_is_expelled_once_a_round_is_paired_makes_it_to_be_paired_again(service: PairingService) -> None:
    await open_tournament(service)
    decided = {"arbiter_id": "marta", "decided_by": ["ona", "pau", "rep"]}
    before = await act(service, "ExpelPlayer", player_id="p8", **decided)
    assert isinstance(before, pb.ExpelPlayerResponse)
    assert before.round_to_pair_again == 0
    await act(service, "PairRound", round=1)
    after = await act(service, "ExpelPlayer", player_id="p7", **decided)
    assert isinstance(after, pb.ExpelPlayerResponse)
    assert after.round_to_pair_again == 1


async def test_what_was_noted_is_shown_with_the_act_until_the_player_is_erased_and_no_event_ever_held_it(
    service: PairingService,
) -> None:
    async def list_notes() -> list[tuple[str, str]]:
        acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
        return [(act.type, act.note) for act in acts if act.note]

    await open_tournament(service)
    await act(service, "ChangeRounds", rounds=6, note="the hall is free on Sunday")
    withdraw = pb.WithdrawPlayerRequest(command_id=command(), tournament_id="open", player_id="p1", note="his back")
    await service.stub.WithdrawPlayer(withdraw)
    await service.stub.WithdrawPlayer(withdraw)
    before = [("RoundsChanged", "the hall is free on Sunday"), ("PlayerWithdrawn", "his back")]
    assert await list_notes() == before
    assert not [
        event for event in await service.record.read() if b"back" in event.payload or b"Sunday" in event.payload
    ]
    await act(service, "ReinstatePlayer", player_id="p1")
    assert await list_notes() == before

    await erase(service.record, "p1")

    assert await list_notes() == before[:1]
    assert (await verify(service.record)).wrong == ""
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    assert list(acts[-2].player_ids) == ["p1"]


async def test_the_history_says_the_scores_of_a_result_and_the_names_of_the_players_until_they_are_erased(
    service: PairingService, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "en")
    await open_tournament(service)
    await act(service, "PairRound", round=1)
    scores = [game_events.FinalScore(player_id="p1", score=-5), game_events.FinalScore(player_id="p5", score=402)]
    result = events.ResultRecorded(round=1, game_id="g", scores=scores, winner_id="p5")
    version = len(await names_on_stream(service))
    await service.record.append(Decision([Write("tournament-open", version, [result], "open")]), Metadata())

    async def read_history() -> tuple[pb.Act, str]:
        acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
        await asyncio.to_thread(history, Client(service.runtime.channels.own_address), "open")
        lines = capsys.readouterr().out.splitlines()
        return acts[version], lines[version]

    shown, line = await read_history()
    assert [(score.player_id, score.score) for score in shown.scores] == [("p1", -5), ("p5", 402)]
    assert [(player.player_id, player.name) for player in shown.players] == [("p1", "Player 1"), ("p5", "Player 5")]
    assert "Result: Player 1 -5 – Player 5 402 (g)." in line

    entered = events.ResultEntered(round=1, game_id="h", arbiter_id="eleni")
    other = events.ResultRecorded(round=1, game_id="h", scores=[game_events.FinalScore(player_id="p2", score=7)])
    await service.record.append(Decision([Write("tournament-open", version + 1, [entered, other], "open")]), Metadata())
    await asyncio.to_thread(history, Client(service.runtime.channels.own_address), "open")
    assert "Entered: Player 2 7 (h). Arbiter: eleni." in capsys.readouterr().out

    await erase(service.record, "p1")

    shown, line = await read_history()
    assert [player.name for player in shown.players] == ["", "Player 5"]
    assert "Result: p1 -5 – Player 5 402 (g)." in line


async def test_the_history_says_the_halls_and_what_scores_a_correction_takes_the_place_of(
    service: PairingService,
) -> None:
    await open_tournament(service)
    rooms = [
        events.Hall(name="Blue", first_table=1, last_table=9),
        events.Hall(name="Red", first_table=10, last_table=12),
    ]
    await act(service, "SetHalls", halls=rooms)
    await act(service, "PairRound", round=1)
    first = [game_events.FinalScore(player_id="p1", score=310), game_events.FinalScore(player_id="p5", score=402)]
    second = [game_events.FinalScore(player_id="p1", score=410), game_events.FinalScore(player_id="p5", score=402)]
    none = [game_events.FinalScore(player_id="p2"), game_events.FinalScore(player_id="p6")]
    new_events: list[Message] = [
        events.ResultRecorded(round=1, game_id="g", scores=first, winner_id="p5"),
        events.ResultCorrected(round=1, game_id="g", scores=second, winner_id="p1", unplayed=False),
        events.ResultRecorded(round=1, game_id="h", scores=none, winner_id="p2", unplayed=True),
        events.ResultCorrected(round=1, game_id="h", scores=none, winner_id="p6"),  # of a version without `unplayed`
        events.ResultCorrected(round=1, game_id="h", scores=none, unplayed=False),
    ]
    version = len(await names_on_stream(service))
    await service.record.append(Decision([Write("tournament-open", version, new_events, "open")]), Metadata())

    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    set_halls = next(told for told in acts if told.type == "HallsSet")
    assert list(set_halls.details) == ["halls: Blue 1–9, Red 10–12"]
    assert [(score.player_id, score.score) for score in acts[-4].scores] == [("p1", 410), ("p5", 402)]
    assert list(acts[-4].details) == ["winner-id: p1", "unplayed: no", "scores-before: p1 310, p5 402"]
    assert [list(act.details) for act in acts[-2:]] == [
        ["winner-id: p6", "scores-before: p2 0, p6 0", "unplayed-before: yes", "winner-id-before: p2"],
        ["unplayed: no", "scores-before: p2 0, p6 0", "unplayed-before: yes", "winner-id-before: p6"],
    ]


async def test_what_was_noted_in_the_event_itself_by_an_older_version_is_shown(service: PairingService) -> None:
    await open_tournament(service)
    old = events.PlayerWithdrawn(player_id="p1", round=1, note="ill")
    await act(service, "WithdrawPlayer", player_id="p1")
    async with service.record.writing() as connection:
        await connection.execute(
            text("UPDATE events SET payload = :payload WHERE type = :type"),
            {"payload": old.SerializeToString(), "type": old.DESCRIPTOR.full_name},
        )
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    assert (acts[-1].type, acts[-1].note) == ("PlayerWithdrawn", "ill")


def test_what_is_noted_of_a_game_concerns_its_players_even_where_it_names_one_of_them() -> None:
    hall = Hall({"anna": 6, "biel": 5, "carme": 4, "dolors": 3, "eloi": 2, "fina": 1})
    hall.pair(1)
    loaded = Loaded(hall.state, 7)
    game_id = hall.state.played[0].pairings[0].game_id

    def list_concerned(event: Message) -> list[str]:
        return sorted(write_of(loaded, [event]).concerned)

    assert list_concerned(events.ResultEntered(game_id=game_id, note="anna was ill")) == ["anna", "dolors"]
    assert list_concerned(events.PostponementCancelled(game_id=game_id, note="both are here")) == ["anna", "dolors"]
    assert list_concerned(events.PlayerWithdrawn(player_id="anna", game_id=game_id, note="ill")) == ["anna", "dolors"]
    assert list_concerned(events.PlayerWithdrawn(player_id="anna", note="ill")) == []
    assert list_concerned(events.RoundUnpaired(round=1, note="the wrong list")) == []


async def test_what_was_done_comes_in_pages_and_names_everybody_whom_it_is_about(service: PairingService) -> None:
    await open_tournament(service, players=6)
    await act(service, "PairRound", round=1)
    pages: list[pb.ListActsResponse] = []
    while not pages or pages[-1].more:
        after = pages[-1].acts[-1].version if pages else 0
        asked = pb.ListActsRequest(tournament_id="open", after_version=after, limit=4)
        pages.append(await service.stub.ListActs(asked))

    acts = [told_of for page in pages for told_of in page.acts]
    assert [len(page.acts) for page in pages] == [4, 4, 2]
    assert [told_of.version for told_of in acts] == list(range(1, 11))
    assert sorted(acts[-1].player_ids) == ["p1", "p2", "p3", "p4", "p5", "p6"]
    code, _, _ = await read_refusal(service.stub.ListActs(pb.ListActsRequest(tournament_id="open", limit=501)))
    assert code is grpc.StatusCode.INVALID_ARGUMENT


async def test_windows_of_the_newest_actions_are_the_whole_history_and_say_which_round_was_paired_before(
    service: PairingService,
) -> None:
    await open_tournament(service, players=6)
    await act(service, "PairRound", round=1)
    await act(service, "UnpairRound", round=1)
    await act(service, "PairRound", round=1)
    chosen = rating_events.RatingSystemChosen(tournament_id="open", system="naspa-1")
    await service.record.append(Decision([Write("ratings-open", 0, [chosen], "open")]), Metadata(actor="eva"))
    await act(service, "WithdrawPlayer", player_id="p1")

    whole = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))
    every = sorted((*whole.acts, *whole.rating_choices), key=lambda each: each.position)
    found: list[pb.Act] = []
    for skip in range(0, len(every) + 5, 5):
        asked = pb.ListActsRequest(tournament_id="open", newest=True, skip=skip, limit=5)
        window = await service.stub.ListActs(asked)
        listed = sorted((*window.acts, *window.rating_choices), key=lambda each: each.position)
        paired = [act for act in every if listed and act.position < listed[0].position and "Round" in act.type]
        last = paired[-1] if paired else None
        assert window.paired_before == (last.round - (last.type == "RoundUnpaired") if last else 0)
        assert (window.total, window.more) == (len(every), skip + 5 < len(every))
        found = [*listed, *found]
    assert found == every
    conflicting: Sequence[dict[str, Any]] = (
        {"skip": 1},
        {"skip": -1, "newest": True},
        {"newest": True, "after_version": 1},
    )
    for wrong in conflicting:
        code, _, _ = await read_refusal(service.stub.ListActs(pb.ListActsRequest(tournament_id="open", **wrong)))
        assert code is grpc.StatusCode.INVALID_ARGUMENT


async def test_the_system_by_which_a_tournament_is_rated_is_shown_and_its_choice_is_in_the_history(
    service: PairingService,
) -> None:
    await open_tournament(service, players=2)
    which = pb.GetTournamentRequest(tournament_id="open")
    assert (await service.stub.GetTournament(which)).rating_system == ""
    for version, system in enumerate(("fide-2024", "naspa-1")):
        chosen = rating_events.RatingSystemChosen(tournament_id="open", system=system)
        await service.record.append(Decision([Write("ratings-open", version, [chosen], "open")]), Metadata(actor="eva"))
    await act(service, "WithdrawPlayer", player_id="p1")

    assert (await service.stub.GetTournament(which)).rating_system == "naspa-1"
    first = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open", limit=1))
    assert (first.more, list(first.rating_choices)) == (True, [])
    found = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open", after_version=first.acts[-1].version))
    told = [
        (choice.type, choice.version, choice.actor, choice.details[-1], choice.undone_by)
        for choice in found.rating_choices
    ]
    assert told == [
        ("RatingSystemChosen", 0, "eva", "system: fide-2024", ""),
        ("RatingSystemChosen", 0, "eva", "system: naspa-1", ""),
    ]
    assert found.acts[-2].position < found.rating_choices[0].position < found.acts[-1].position
    listed = rating_events.RatingListPublished(tournament_id="open", system="fisc-1")
    await service.record.append(Decision([Write("ratings-open", 2, [listed], "open")]), Metadata())
    assert (await service.stub.GetTournament(which)).rating_system == "fisc-1"


async def test_the_tournament_tells_the_names_clubs_and_ratings_of_its_players(service: PairingService) -> None:
    await create(service)
    await register(service, player_id="anna", name="Anna Puig", club="Valls", rating=1834)
    await register(service, player_id="blai", name="Blai Soler")
    await erase(service.record, "blai")

    answer = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))
    assert [(player.player_id, player.name, player.club) for player in answer.players] == [
        ("anna", "Anna Puig", "Valls"),
        ("blai", "", ""),
    ]
    assert [(player.rating if not player.unrated else None) for player in answer.players] == [1834, None]


async def test_who_pairs_a_round_is_told_who_sits_it_out_as_was_granted(service: PairingService) -> None:
    await open_tournament(service, players=7)
    await act(service, "GrantBye", player_id="p3", round=1, kind=events.BYE_KIND_HALF_POINT)
    paired = await act(service, "PairRound", round=1)
    assert isinstance(paired, pb.PairRoundResponse)
    assert list(paired.requested_byes) == [events.RequestedBye(player_id="p3", kind=events.BYE_KIND_HALF_POINT)]
    assert paired.bye_player_id == ""


async def test_a_refusal_on_the_command_line_says_names_and_tables_for_ids(service: PairingService) -> None:
    await open_tournament(service)
    await act(service, "PairRound", round=1)
    await act(service, "StartRound", round=1)
    game = (await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))).played[0].pairings[0]
    given = {"tournament_id": "open", "player_id": "player 1", "client": Client(service.runtime.channels.own_address)}
    with pytest.raises(StartError) as refusal:
        await asyncio.to_thread(command_of("WithdrawPlayer"), **given)
    said = str(refusal.value)
    assert said.startswith("Player 1 is playing Player 1 – Player")
    assert "(round 1, table 1)" in said
    assert "--game lost|played-out" in said
    assert game.game_id not in said


async def test_a_game_is_named_by_its_tournament_round_and_table_on_the_command_line(service: PairingService) -> None:
    await open_tournament(service)
    await act(service, "PairRound", round=1)
    played = (await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))).played[0]
    address = service.runtime.channels.own_address
    assert await game_meant("open", 1, 1, address) == played.pairings[0].game_id
    assert await game_meant("open", 2, 0, address) == played.pairings[1].game_id
    assert await game_meant("copa-r1-t1", 0, 0, address) == "copa-r1-t1"


async def test_a_misspelt_ruleset_is_told_with_the_one_that_was_probably_meant(service: PairingService) -> None:
    request = pb.CreateTournamentRequest(command_id=str(uuid.uuid4()), name="Copa", ruleset="fise-", rounds=5)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await service.stub.CreateTournament(request)
    assert "there is no ruleset 'fise-'; did you mean fise?" in str(refused.value.details())


async def test_a_licence_that_is_removed_during_a_registration_admits_no_player(
    service: PairingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await create(service)
    await service.stub.RequireLicence(
        pb.RequireLicenceRequest(command_id=command(), tournament_id="open", required=True)
    )
    await append_to_register(service, register_events.LicenceSet(person_id="anna", valid_to="2099-12-31"))
    read = PairingHandler.persons_register

    async def read_and_remove(handler: PairingHandler, state: TournamentState) -> tuple[Register, tuple[Guard, ...]]:
        found = await read(handler, state)
        monkeypatch.setattr(PairingHandler, "persons_register", read)
        await append_to_register(service, register_events.LicenceRemoved(person_id="anna"))
        return found

    monkeypatch.setattr(PairingHandler, "persons_register", read_and_remove)
    _, _, info = await read_refusal(register(service, player_id="anna", name="Anna Puig"))
    assert info.reason == "LICENCE_MISSING"


async def append_to_register(service: PairingService, event: Message) -> None:
    """Append an event to the register of persons, as the rating service does."""
    version = len(await service.record.events(REGISTER_STREAM))
    await service.record.append(
        Decision([Write(REGISTER_STREAM, version, [event], OF_THE_CELL)]), Metadata(actor="fede")
    )
