"""Results of a whole round in one command; the first author; and the author of a command, with an erasable name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NoReturn

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.component.tournament.test_service import command, names_on_stream, open_tournament, read_refusal
from tests.support.halls import FISC, Hall, decide_command
from tests.support.pairing_service import PairingService

from faristol.event_store import Decision, Loaded, Metadata, Write
from faristol.event_store.integrity.verification import verify
from faristol.kernel.event_types import OF_THE_CELL
from faristol.kernel.names import OFFICIAL
from faristol.kernel.refusal import Refusal, check_none
from faristol.pb.access.v1.events_pb2 import Credential as GivenCredential
from faristol.pb.access.v1.events_pb2 import CredentialGranted
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.personal_data.erasure import erase
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.results import entry as result_entry
from faristol.tournament.state import TournamentState

EVA, NIL = ((("faristol-actor-name-bin", name.encode()),) for name in ("Eva  Soler", "Nil Camps"))
Who = tuple[tuple[str, bytes], ...]


async def start_round(service: PairingService) -> None:
    await open_tournament(service)
    await service.stub.PairRound(pb.PairRoundRequest(command_id=command(), tournament_id="open", round=1))
    await service.stub.StartRound(pb.StartRoundRequest(command_id=command(), tournament_id="open", round=1))


async def list_results(service: PairingService) -> pb.ListResultsResponse:
    return await service.stub.ListResults(pb.ListResultsRequest(tournament_id="open"))


def result(table: pb.TableResult, *points: int, forfeit: bool = False) -> pb.GameResult:
    if forfeit:
        return pb.GameResult(game_id=table.game_id, forfeited_by=[table.players[0].player_id])
    scores = [
        game.FinalScore(player_id=player.player_id, score=score)
        for player, score in zip(table.players, points, strict=True)
    ]
    return pb.GameResult(game_id=table.game_id, scores=scores)


async def enter(service: PairingService, results: Sequence[pb.GameResult], who: Who = EVA) -> None:
    request = pb.EnterResultsRequest(command_id=command(), tournament_id="open", results=results)
    await service.stub.EnterResults(request, metadata=who)


async def all_reasons(call: object) -> list[tuple[str, str, str]]:
    """Type, subject and sentence of each reason of a refusal that has several."""
    with pytest.raises(grpc.aio.AioRpcError) as answer:
        await call  # type: ignore[misc]
    status = rpc_status.from_call(answer.value)  # type: ignore[arg-type]
    failure = error_details_pb2.PreconditionFailure()
    assert status is not None
    assert sum(detail.Unpack(failure) for detail in status.details) == len(status.details) - 1
    return [(violation.type, violation.subject, violation.description) for violation in failure.violations]


async def test_results_of_a_round_are_entered_in_one_act_and_told_with_who_and_when(service: PairingService) -> None:
    await start_round(service)
    first, second, third, _ = (await list_results(service)).tables
    await enter(service, [result(first, 412, 378), result(second, forfeit=True), result(third, 350, 350)])

    shown = await list_results(service)
    assert [tuple(score.score for score in table.scores) for table in shown.tables] == [
        (412, 378),
        (0, 0),
        (350, 350),
        (),
    ]
    assert [table.unplayed for table in shown.tables] == [False, True, False, False]
    assert [table.winner_id for table in shown.tables] == [
        first.players[0].player_id,
        second.players[1].player_id,
        "",
        "",
    ]
    assert {table.actor_name for table in shown.tables[:3]} == {"Eva Soler"}
    assert shown.tables[0].HasField("recorded_at")
    assert shown.tables[0].players[0].name == "Player 1"
    assert (shown.round, shown.phase) == (1, pb.ROUND_PHASE_STARTED)
    assert (shown.usual.lowest, shown.usual.highest, shown.usual.largest_difference) == (150, 760, 380)


async def test_the_answer_has_the_scores_that_are_on_the_record_whatever_was_given(service: PairingService) -> None:
    await start_round(service)
    first = (await list_results(service)).tables[0]
    left, given = first.players[0].player_id, result(first, 450, 300)
    about: Any = {"tournament_id": "open", "game_id": first.game_id}
    request = pb.EnterResultRequest(command_id=command(), scores=given.scores, abandoned_by=[left], **about)
    entered = await service.stub.EnterResult(request, metadata=EVA)
    assert [(score.player_id, score.score) for score in entered.scores] == [
        (left, 250),
        (first.players[1].player_id, 300),
    ]
    correction = pb.CorrectResultRequest(command_id=command(), unplayed=True, winner_id=left, **about)
    corrected = await service.stub.CorrectResult(correction, metadata=EVA)
    assert [score.score for score in corrected.scores] == [0, 0]


async def test_the_scores_that_were_given_of_an_abandoned_game_are_listed_beside_those_of_the_book(
    service: PairingService,
) -> None:
    await start_round(service)
    ahead, behind, *_ = (await list_results(service)).tables
    given = [result(ahead, 450, 300), result(behind, 250, 300)]
    for entry, table in zip(given, (ahead, behind), strict=True):
        entry.abandoned_by.append(table.players[0].player_id)
    await enter(service, given)

    first, second, third, _ = (await list_results(service)).tables
    assert [score.score for score in first.scores] == [250, 300]
    assert [score.score for score in first.scores_given] == [450, 300]
    assert list(first.abandoned_by) == [ahead.players[0].player_id]
    assert ([score.score for score in second.scores], list(second.scores_given)) == ([250, 300], [])
    assert (list(second.abandoned_by), list(third.abandoned_by)) == ([behind.players[0].player_id], [])

    corrected = pb.CorrectResultRequest(
        command_id=command(), tournament_id="open", game_id=ahead.game_id, scores=result(ahead, 260, 300).scores
    )
    await service.stub.CorrectResult(corrected, metadata=EVA)
    first = (await list_results(service)).tables[0]
    assert ([score.score for score in first.scores], list(first.scores_given)) == ([260, 300], [])


async def test_nothing_is_entered_where_anything_speaks_against_one_result_and_all_reasons_are_told(
    service: PairingService,
) -> None:
    await start_round(service)
    first, second, third, _ = (await list_results(service)).tables
    await enter(service, [result(first, 412, 378)])
    before = await names_on_stream(service)
    wrong = result(third, 300, 310)
    wrong.winner_id = third.players[0].player_id
    reasons = await all_reasons(
        enter(service, [result(second, 400, 300), result(first, 412, 378), wrong, result(second, 400, 300)])
    )
    assert [(kind, subject) for kind, subject, _ in reasons] == [
        ("RESULT_KNOWN", f"games/{first.game_id}"),
        ("SCORES_SWAPPED", f"games/{third.game_id}"),
        ("RESULT_KNOWN", f"games/{second.game_id}"),
    ]
    assert await names_on_stream(service) == before


async def test_an_act_with_no_results_or_a_forfeit_with_scores_is_malformed(service: PairingService) -> None:
    await start_round(service)
    table = (await list_results(service)).tables[0]
    code, told, _ = await read_refusal(enter(service, []))
    assert (code, told) == (grpc.StatusCode.INVALID_ARGUMENT, "results: are 0; expected 1 to 1000")
    both = result(table, 1, 0)
    both.forfeited_by.append(table.players[0].player_id)
    code, told, _ = await read_refusal(enter(service, [both]))
    assert (code, told.split(":")[0]) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "results[0].forfeited_by (table 1)",
    )
    code, told, _ = await read_refusal(enter(service, [result(table, 1, 0)], ()))
    assert (code, told) == (grpc.StatusCode.INVALID_ARGUMENT, "arbiter_id: expected the arbiter")


async def test_what_is_malformed_in_one_of_several_results_is_told_by_its_field_and_table(
    service: PairingService,
) -> None:
    await start_round(service)
    first, second, *_ = (await list_results(service)).tables
    seated = ", ".join(player.player_id for player in second.players)
    twice = ", ".join([second.players[0].player_id] * 2)

    def wrong(**fields: Any) -> pb.GameResult:
        return pb.GameResult(game_id=second.game_id, **fields)

    others = [game.FinalScore(player_id=player.player_id, score=300) for player in first.players]
    for entry, said in (
        (
            wrong(forfeited_by=["nobody"]),
            f"forfeited_by (table 2): are nobody; expected one or all of {seated}",
        ),
        (wrong(scores=others), "scores (table 2): are of "),
        (
            wrong(scores=result(second, 400, 300).scores, abandoned_by=["nobody"]),
            f"abandoned_by (table 2): are nobody; expected some of {seated}",
        ),
        *(
            (wrong(**given, **{field: [second.players[0].player_id] * 2}), f"{field} (table 2): are {twice}; expected ")
            for field, given in (("forfeited_by", {}), ("abandoned_by", {"scores": result(second, 400, 300).scores}))
        ),
    ):
        code, told, info = await read_refusal(enter(service, [result(first, 412, 378), entry]))
        assert (code, told[: len(said) + len("results[1].")]) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            f"results[1].{said}",
        )
        assert info.metadata["game"] == second.game_id


async def test_a_game_given_up_is_told_with_the_field_that_a_result_of_several_has(service: PairingService) -> None:
    await start_round(service)
    first, *_ = (await list_results(service)).tables
    stays, leaves = (player.player_id for player in first.players)
    withdrawn = pb.WithdrawPlayerRequest(
        command_id=command(), tournament_id="open", player_id=leaves, running_game=pb.RUNNING_GAME_GIVEN_UP
    )
    await service.stub.WithdrawPlayer(withdrawn, metadata=EVA)
    lost = pb.GameResult(game_id=first.game_id, forfeited_by=[stays])
    code, told, info = await read_refusal(enter(service, [lost]))
    assert (code, info.metadata["field"]) == (grpc.StatusCode.FAILED_PRECONDITION, "forfeited_by"), told


def test_every_reason_against_one_of_several_results_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = [Refusal(reason, "No.") for reason in ("FIRST", "SECOND")]

    def refuse(*_: object, **__: object) -> NoReturn:
        check_none(reasons)
        raise AssertionError

    monkeypatch.setattr(result_entry, "enter_result", refuse)
    with pytest.raises(Refusal) as answer:
        decide_command(
            Hall({}).state,
            pb.EnterResultsRequest(
                results=[pb.GameResult(game_id="open-r1-t1"), pb.GameResult(game_id="open-r1-t2")], arbiter_id="eleni"
            ),
            rules=FISC,
            turns={"open-r1-t1": 0, "open-r1-t2": 0},
        )
    told = [(reason.reason, reason.subject) for reason in (answer.value, *answer.value.others)]
    assert told == [(reason, f"games/open-r1-t{table}") for table in (1, 2) for reason in ("FIRST", "SECOND")]


async def test_who_comes_second_is_told_who_was_first_with_what_and_when(service: PairingService) -> None:
    await start_round(service)
    first, *_ = (await list_results(service)).tables
    await enter(service, [result(first, 412, 378)])
    reasons = await all_reasons(enter(service, [result(first, 402, 378)], NIL))
    assert [kind for kind, *_ in reasons] == ["RESULT_KNOWN", "WAS_FIRST"]
    assert reasons[1][1] == f"games/{first.game_id}"
    told = reasons[1][2]
    assert told.startswith("Eva Soler made a change first, at ")
    assert told.endswith(": Player 1 412, Player 5 378.")

    withdrawn = pb.WithdrawPlayerRequest(
        command_id=command(), tournament_id="open", player_id="p8", running_game=pb.RUNNING_GAME_PLAYED_OUT
    )
    await service.stub.WithdrawPlayer(withdrawn, metadata=NIL)
    withdrawn.command_id = command()
    reasons = await all_reasons(service.stub.WithdrawPlayer(withdrawn, metadata=EVA))
    assert [kind for kind, *_ in reasons] == ["WITHDRAWN", "WAS_FIRST"]
    assert reasons[1][2].startswith("Nil Camps made a change first, at ")
    assert reasons[1][2].endswith(": Player 8.")


async def test_nobody_is_told_of_their_own_act_that_they_were_first(service: PairingService) -> None:
    await start_round(service)
    first, *_ = (await list_results(service)).tables
    await enter(service, [result(first, 412, 378)])
    code, told, _ = await read_refusal(enter(service, [result(first, 402, 378)]))
    assert code == grpc.StatusCode.FAILED_PRECONDITION
    assert "made a change first" not in told
    assert await all_reasons(enter(service, [result(first, 402, 378)])) == []


async def test_a_refused_command_is_not_decided_again_to_find_who_was_first(
    service: PairingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start_round(service)
    for table in (await list_results(service)).tables:
        await enter(service, [result(table, 412, 378)])
    tried = 0
    read = PairingHandler.load

    async def count_read(
        self: PairingHandler, tournament_id: str, field: str = "tournament_id"
    ) -> Loaded[TournamentState]:
        nonlocal tried
        tried += 1
        return await read(self, tournament_id, field)

    monkeypatch.setattr(PairingHandler, "load", count_read)
    pair = pb.PairRoundRequest(command_id=command(), tournament_id="open", round=1)
    reasons = await all_reasons(service.stub.PairRound(pair, metadata=NIL))
    assert tried <= 2, "in turn, and to be decided"
    assert [kind for kind, *_ in reasons] == ["ROUND_PAIRED", "WAS_FIRST"]
    assert reasons[1][2].startswith("Another change was made first, at ")
    assert "Player" not in reasons[1][2], "those of a whole round are not named"


async def test_nobody_is_judge_of_their_own_game_under_their_own_name(service: PairingService) -> None:
    await start_round(service)
    first, second, *_ = (await list_results(service)).tables
    own = ((EVA[0][0], first.players[0].name.upper().encode()),)
    code, told, info = await read_refusal(enter(service, [result(second, 412, 370), result(first, 412, 378)], own))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "OWN_GAME")
    assert told.startswith("Player 1 cannot decide on their own game or sanction: name another person in arbiter_id.")
    await enter(service, [result(second, 412, 370)], own)
    await enter(service, [result(first, 412, 378)])
    correct = pb.CorrectResultRequest(
        command_id=command(), tournament_id="open", game_id=first.game_id, scores=result(first, 499, 378).scores
    )
    assert (await read_refusal(service.stub.CorrectResult(correct, metadata=own)))[2].reason == "OWN_GAME"
    assert [score.score for score in (await list_results(service)).tables[0].scores] == [412, 378]
    correct.arbiter_id = "marta"
    await service.stub.CorrectResult(correct, metadata=own)


async def test_what_was_never_possible_names_nobody(service: PairingService) -> None:
    await start_round(service)
    close = pb.CloseRoundRequest(command_id=command(), tournament_id="open", round=1)
    assert await all_reasons(service.stub.CloseRound(close)) == []


async def test_a_correction_of_what_somebody_else_has_corrected_since_is_refused(service: PairingService) -> None:
    await start_round(service)
    first, *_ = (await list_results(service)).tables
    await enter(service, [result(first, 412, 378)])
    seen = (await list_results(service)).tables[0]

    def build_correction(*points: int) -> pb.CorrectResultRequest:
        return pb.CorrectResultRequest(
            command_id=command(),
            tournament_id="open",
            game_id=first.game_id,
            scores=result(first, *points).scores,
            scores_before=seen.scores,
        )

    await service.stub.CorrectResult(build_correction(413, 378), metadata=EVA)
    reasons = await all_reasons(service.stub.CorrectResult(build_correction(414, 378), metadata=NIL))
    assert [kind for kind, *_ in reasons] == ["RESULT_CHANGED", "WAS_FIRST"]
    assert "now has the result 413–378, not 412–378" in reasons[0][2]
    assert "Eva Soler made a change first" in reasons[1][2]
    assert [score.score for score in (await list_results(service)).tables[0].scores] == [413, 378]


async def test_history_names_who_did_what_and_the_name_can_be_erased(service: PairingService) -> None:
    await start_round(service)
    first, second, *_ = (await list_results(service)).tables
    await enter(service, [result(first, 412, 378)])
    await enter(service, [result(second, 412, 370)])
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    entered = [act for act in acts if act.type == "ResultEntered"]
    assert [act.actor_name for act in entered] == ["Eva Soler", "Eva Soler"]
    (actor,) = {act.actor for act in entered}
    assert actor.startswith(OFFICIAL)
    assert not any(actor in detail for act in entered for detail in act.details), "who acts is told once"

    recorded = await service.record.read_stream("tournament-open")
    assert not any(b"Eva" in event.payload or "Eva" in event.metadata.to_json() for event in recorded), (
        "an id alone stays"
    )

    await erase(service.record, actor)
    assert (await verify(service.record)).events > 0
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    assert {(act.actor, act.actor_name) for act in acts if act.type == "ResultEntered"} == {(actor, "")}


async def test_an_official_whose_first_commands_came_together_is_forgotten_under_every_id(
    service: PairingService,
) -> None:
    await start_round(service)
    tables = (await list_results(service)).tables
    await asyncio.gather(*(enter(service, [result(table, 412, 378)]) for table in tables))
    acts = (await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))).acts
    made = sorted({act.actor for act in acts if act.actor})
    # For any order of the commands: a second id that was created before the first was stored.
    async with service.record.writing() as connection:
        await people.store_player(connection, "o-0123456789ab", "Eva Soler", "")
    await erase(service.record, made[-1])
    assert await people.official(service.record, "Eva Soler") == ""
    assert await people.names(service.record, [*made, "o-0123456789ab"]) == {}


async def test_an_official_of_the_same_name_with_a_credential_of_their_own_stays_when_another_is_erased(
    service: PairingService,
) -> None:
    first, second = "o-0123456789ab", "o-ba9876543210"
    given = [CredentialGranted(credential=GivenCredential(subject_id=who)) for who in (first, second)]
    await service.record.append(Decision([Write("access-cell", 0, given, OF_THE_CELL)]), Metadata())
    async with service.record.writing() as connection:
        for who in (first, second):
            await people.store_player(connection, who, "Joan Puig", "")
    assert (await erase(service.record, first)).others == (second,)
    assert (await people.names(service.record, [first, second])).keys() == {second}


async def test_a_player_is_never_taken_for_an_official(service: PairingService) -> None:
    await open_tournament(service)
    register = pb.RegisterPlayerRequest(command_id=command(), tournament_id="open", player_id="o-zoe", name="Zoe Roca")
    code, told, _ = await read_refusal(service.stub.RegisterPlayer(register))
    assert (code, told) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "player_id: 'o-zoe' begins with o-, which is reserved for ids of officials; expected another id",
    )
    async with service.record.writing() as connection:
        await people.store_player(connection, "o-zoe", "Zoe Roca", "")  # as an older version accepted
    assert await people.official(service.record, "Zoe Roca") == ""


async def test_who_acts_under_no_name_that_can_be_shown_is_told_so(service: PairingService) -> None:
    await start_round(service)
    (table, *_) = (await list_results(service)).tables
    for name, why in (
        (b"\xff", "expected a name in UTF-8"),
        ("Eva\u202e".encode(), "contains a character that cannot be displayed"),
        (b"E" * 201, "has 201 characters; expected 0 to 200"),
    ):
        code, told, _ = await read_refusal(enter(service, [result(table, 1, 0)], (("faristol-actor-name-bin", name),)))
        assert (code, told.split(":")[0]) == (grpc.StatusCode.INVALID_ARGUMENT, "faristol-actor-name-bin")
        assert told.endswith(why)


async def test_a_player_is_told_what_each_has_said_of_the_result_of_their_game(service: PairingService) -> None:
    await start_round(service)
    await service.stub.SetResultCheck(
        pb.SetResultCheckRequest(command_id=command(), tournament_id="open", players=True)
    )
    table = (await list_results(service)).tables[0]
    first, second = (player.player_id for player in table.players)

    async def get_check(player: str) -> pb.GetResultCheckResponse:
        which = pb.GetResultCheckRequest(tournament_id="open", game_id=table.game_id, player_id=player)
        return await service.stub.GetResultCheck(which)

    async def say(player: str, note: str = "") -> None:
        shown = (await list_results(service)).tables[0]
        request = pb.ConfirmResultRequest(
            command_id=command(), tournament_id="open", game_id=table.game_id, scores=shown.scores, player_id=player
        )
        request.disputed, request.note = bool(note), note
        await service.stub.ConfirmResult(request)

    assert (await get_check(first)).check == pb.RESULT_CHECK_PHASE_UNSPECIFIED
    await enter(service, [result(table, 412, 378)])
    assert (await get_check(first)).check == pb.RESULT_CHECK_PHASE_OPEN
    await say(first)
    assert list((await get_check(second)).confirmed_by) == [first]
    await say(second, "402, not 412")
    told = await get_check(first)
    assert (told.check, list(told.confirmed_by), list(told.disputed_by), told.own_dispute) == (
        pb.RESULT_CHECK_PHASE_DISPUTED,
        [first],
        [second],
        "",
    )
    assert (await get_check(second)).own_dispute == "402, not 412"
    assert (await read_refusal(get_check("nobody")))[0] is grpc.StatusCode.INVALID_ARGUMENT


async def impose_at(service: PairingService, game_id: str, player_id: str) -> None:
    """Record a warning with a note at a table, which the tournament has not noted yet."""
    imposed = game.SanctionImposed(
        player_id=player_id, turn=3, kind=game.SANCTION_KIND_WARNING, arbiter_id="official-nil", note="slow on purpose"
    )
    stream = f"game-{game_id}"
    version = len(await service.record.read_stream(stream))
    await service.record.append(Decision([Write(stream, version, [imposed], "open")]), Metadata())


async def notes_in(service: PairingService) -> list[tuple[str, str]]:
    """Return the sanctions of tables that the tournament has noted: the game of each, and its note."""
    notes = await service.record.notes_of("tournament-open")
    return [
        (event.message.game_id, notes.get(event.version, ""))
        for event in await service.record.read_stream("tournament-open")
        if isinstance(event.message, events.TableSanctionNoted)
    ]


async def test_final_standings_have_the_sanctions_of_tables_that_were_not_noted_in_time(
    service: PairingService,
) -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)})
    for number in range(1, 6):
        hall.play(number)
    await service.record.append(Decision([Write("tournament-open", 0, hall.events, "open")]), Metadata())
    pairing = hall.state.played[4].pairings[1]
    await impose_at(service, pairing.game_id, pairing.player_ids[0])

    request = pb.PublishStandingsRequest(command_id=command(), tournament_id="open")
    published = await service.stub.PublishStandings(request, metadata=EVA)

    last = (await service.record.read_stream("tournament-open"))[-1]
    assert (last.name, last.position) == ("StandingsPublished", published.position)
    assert await notes_in(service) == [(pairing.game_id, "slow on purpose")]
    own = pb.GetResultCheckRequest(tournament_id="open", game_id=pairing.game_id, player_id=pairing.player_ids[0])
    assert (
        await service.stub.GetResultCheck(own)
    ).check == pb.RESULT_CHECK_PHASE_UNSPECIFIED  # a player may still read
    reopen = pb.ReopenStandingsRequest(command_id=command(), tournament_id="open")
    await service.stub.ReopenStandings(reopen, metadata=EVA)
    request.command_id = command()
    await service.stub.PublishStandings(request, metadata=EVA)
    assert len(await notes_in(service)) == 1


async def test_a_result_that_is_entered_brings_the_notes_of_sanctions_at_its_table(service: PairingService) -> None:
    await start_round(service)
    first = (await list_results(service)).tables[0]
    await impose_at(service, first.game_id, first.players[0].player_id)

    await enter(service, [result(first, 412, 378)])

    assert await notes_in(service) == [(first.game_id, "slow on purpose")]
