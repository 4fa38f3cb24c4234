"""Tables over gRPC and on their own, on a real record."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.support.table_games import FISC, GAME, OPENED, SEED, START_NS, after, build_press, open_game, tiles

from faristol.event_store import Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.game.service_module import part
from faristol.host import Runtime, Settings
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.host.table_store import load_table
from faristol.kernel.cases import case_ids_of
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.personal_data.erasure import erase
from faristol.rules import load_ruleset
from faristol.table.game.state import Phase

NOW = datetime(2023, 11, 14, 22, 20, tzinfo=UTC)


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    yield record
    await record.close()


@pytest.fixture
async def tables(record: Record) -> AsyncIterator[game_pb2_grpc.GameServiceAsyncStub]:
    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    for servicer in part(Runtime(Settings.model_validate({}), record, lambda: NOW)).servicers:
        servicer.add_to(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield game_pb2_grpc.GameServiceStub(channel)
    await server.stop(None)


async def write(record: Record, stream: str, *past_events: Message) -> Recorded:
    version = len(await record.read_stream(stream))
    await record.append(Decision([Write(stream, version, past_events, "cup")]), Metadata())
    return (await record.read_stream(stream))[-1]


ALLOWANCE_MS = 25 * 60_000


async def start(record: Record, bag_left: int = 86) -> None:
    await write(record, f"game-{GAME}", *open_game(bag_left=bag_left))
    await write(
        record,
        f"clock-{GAME}",
        clock_events.ClockOpened(
            game_id=GAME,
            tournament_id="cup",
            player_ids=["anna", "biel"],
            allowance_ms=ALLOWANCE_MS,
            occurred_at=timestamp(START_NS),
        ),
        clock_events.ClockStarted(player_id="anna", occurred_at=timestamp(START_NS)),
    )


async def names(record: Record, game: str = GAME) -> list[str]:
    return [event.name for event in await record.read_stream(f"game-{game}")]


async def follow(record: Record, event: Recorded) -> list[str]:
    """Return the events that follow ``event``, from the reaction that receives it or from the table itself."""

    async def decide() -> Decision:
        reactions = part(Runtime(Settings.model_validate({}), record)).reactions
        for reaction in reactions:
            if event.type in reaction.types:
                return await reaction.react(event) or Decision()
        settled = await load_table(record, GAME)
        assert settled is not None
        return settled.decision()

    decision = await decide()
    if not decision.writes:
        return []
    await record.append(decision, Metadata())
    assert not (await decide()).writes
    return [message.DESCRIPTOR.name for write in decision.writes for message in write.events]


def command() -> str:
    return str(uuid.uuid4())


def placing(player: str = "anna", play: str = "H8 C A S A", at: Instant | None = None) -> game_pb2.PlacePlayRequest:
    return game_pb2.PlacePlayRequest(
        command_id=command(),
        game_id=GAME,
        player_id=player,
        placements=[
            events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
            for square, tile in tiles(play)
        ],
        occurred_at=timestamp(at or after(30)),
    )


def drawing(at: Instant) -> game_pb2.DrawTilesRequest:
    return game_pb2.DrawTilesRequest(command_id=command(), game_id=GAME, player_id="anna", occurred_at=timestamp(at))


def challenging(at: Instant) -> game_pb2.ChallengeRequest:
    return game_pb2.ChallengeRequest(
        command_id=command(),
        game_id=GAME,
        player_id="biel",
        words=[events.Word(faces="CASA")],
        occurred_at=timestamp(at),
    )


def passing(player: str, at: Instant | None = None) -> game_pb2.PassRequest:
    moment = timestamp(at) if at else None
    return game_pb2.PassRequest(command_id=command(), game_id=GAME, player_id=player, occurred_at=moment)


def problem(caught: pytest.ExceptionInfo[grpc.aio.AioRpcError]) -> tuple[grpc.StatusCode, error_details_pb2.ErrorInfo]:
    status = rpc_status.from_call(caught.value)  # type: ignore[arg-type] # an AioRpcError tells as much as a Call
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return caught.value.code(), info


async def test_a_play_is_written_and_answered_with_its_score(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    answer = await tables.PlacePlay(placing())
    assert (answer.turn, answer.score, answer.words[0].score) == (1, 10, 10)
    assert answer.position == await record.last_position()
    assert (await names(record))[-1] == "PlayPlaced"


async def test_a_command_sent_twice_is_done_once_and_answered_alike(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    request = placing()
    assert await tables.PlacePlay(request) == await tables.PlacePlay(request)
    assert (await names(record)).count("PlayPlaced") == 1


async def test_a_turn_from_play_to_press_and_the_next_players_move(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    await tables.PlacePlay(placing())
    drawn = await tables.DrawTiles(drawing(after(40)))
    assert len(drawn.drawn) == 4
    await write(record, f"clock-{GAME}", build_press("anna", 1, after(50)))
    game = await tables.GetGame(game_pb2.GetGameRequest(game_id=GAME))
    assert (game.phase, game.turn, game.turn_player_id) == (game_pb2.PHASE_TURN, 2, "biel")
    assert (game.sides[0].score, game.occurred_at) == (10, timestamp(after(50)))
    await tables.Pass(passing("biel", after(60)))
    assert (await names(record))[-3:] == ["TilesDrawn", "PlayCompleted", "Passed"]


async def test_what_an_arbiter_notes_of_a_table_goes_with_either_player(record: Record) -> None:
    await start(record)
    await write(record, "tournament-cup", pairing_events.PlayerRegistered(player_id="biel"))
    table = await load_table(record, GAME)
    assert table is not None
    noted = events.SanctionImposed(turn=1, player_id="anna", note="insulted the gentleman opposite")
    decision = table.decision([noted])
    assert decision is not None
    await record.append(decision, Metadata())
    assert len(await record.notes_of(f"game-{GAME}")) == 1

    await erase(record, "biel")

    assert not await record.notes_of(f"game-{GAME}")


async def test_an_exchange_is_answered_with_the_tiles_drawn(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    request = game_pb2.ExchangeRequest(command_id=command(), game_id=GAME, player_id="anna", faces=["A", "I"])
    answer = await tables.Exchange(request)
    assert len(answer.drawn) == 2
    assert (await names(record))[-2:] == ["Exchanged", "TilesDrawn"]


async def test_a_table_hears_of_the_press_by_itself(record: Record, tables: game_pb2_grpc.GameServiceAsyncStub) -> None:
    await start(record)
    await tables.PlacePlay(placing())
    await tables.DrawTiles(drawing(after(40)))
    press = await write(record, f"clock-{GAME}", build_press("anna", 1, after(50)))
    assert await follow(record, press) == ["PlayCompleted"]


@pytest.mark.parametrize("case_id", case_ids_of(GAME, SEED, 1))
async def test_a_ruling_takes_a_phony_off_and_lets_the_clock_go_on_once_it_is_carried_out(
    case_id: str, record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    await tables.PlacePlay(placing())
    assert (await tables.Challenge(challenging(after(40)))).challenge == 1
    assert [event.name for event in await record.read(limit=100)][-2:] == ["ChallengeRaised", "ClockNeutralised"]
    ruled = lexicon_events.CaseRuled(
        case_id=case_id, game_id=GAME, turn=1, challenge=1, valid=False, occurred_at=timestamp(after(40))
    )
    case = await write(record, f"case-{case_id}", lexicon_events.CaseOpened(case_id=case_id), ruled)
    game = await tables.GetGame(game_pb2.GetGameRequest(game_id=GAME))
    assert game.phase == game_pb2.PHASE_CHALLENGED
    assert await follow(record, case) == ["ChallengeRuled", "PlayWithdrawn", "ClockResumed"]
    game = await tables.GetGame(game_pb2.GetGameRequest(game_id=GAME))
    assert (game.phase, game.turn_player_id, len(game.board)) == (game_pb2.PHASE_TURN, "biel", 0)


async def test_offers_tell_nothing_of_a_ruling_before_the_table_does(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    await tables.PlacePlay(placing())
    await tables.Challenge(challenging(after(40)))
    asked = game_pb2.ListOffersRequest(game_id=GAME)
    before = await tables.ListOffers(asked)
    case_id = case_ids_of(GAME, SEED, 1)[0]
    ruled = lexicon_events.CaseRuled(
        case_id=case_id, game_id=GAME, turn=1, challenge=1, valid=False, occurred_at=timestamp(after(40))
    )
    case = await write(record, f"case-{case_id}", lexicon_events.CaseOpened(case_id=case_id), ruled)
    assert await tables.ListOffers(asked) == before
    await follow(record, case)
    assert await tables.ListOffers(asked) != before


async def test_a_player_is_told_their_own_offers_alone(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    own = await tables.ListOffers(game_pb2.ListOffersRequest(game_id=GAME, player_id="biel"))
    assert {offer.player_id for offer in own.offers} == {"biel"}
    assert not {"PlacePlay", "Exchange"} & {offer.method for offer in own.offers}  # anna is on turn
    every = await tables.ListOffers(game_pb2.ListOffersRequest(game_id=GAME, arbiter_id="eleni"))
    assert {offer.method for offer in every.offers if offer.player_id == "anna"} >= {"PlacePlay", "Exchange", "Pass"}
    assert any(offer.by_arbiter for offer in every.offers)
    with pytest.raises(grpc.aio.AioRpcError, match="does not play at this table"):
        await tables.ListOffers(game_pb2.ListOffersRequest(game_id=GAME, player_id="nobody"))


async def test_a_game_goes_from_the_last_play_to_a_final_result(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record, bag_left=0)
    await tables.PlacePlay(placing(play="8H C A S A R T I"))
    late = clock_events.ClockPressed(
        player_id="anna", turn=1, used_ms=ALLOWANCE_MS + 1, next_player_id="biel", occurred_at=timestamp(after(50))
    )
    press = await write(record, f"clock-{GAME}", late)
    followed = ["PlayCompleted", "GameEnded", "RackPenalty", "OutBonus", "ClockStopped", "TimePenalty"]
    assert await follow(record, press) == followed
    for player in ("anna", "biel"):
        sign = game_pb2.SignSheetRequest(game_id=GAME, command_id=command(), player_id=player)
        await tables.SignSheet(sign)
    final = (await record.read_stream(f"game-{GAME}"))[-1].message
    assert isinstance(final, events.ResultFinal)
    assert [(line.player_id, line.score) for line in final.scores] == [("anna", 68 + 8 - 10), ("biel", -8)]
    assert final.winner_id == "anna"
    game = await tables.GetGame(game_pb2.GetGameRequest(game_id=GAME))
    assert (game.phase, game.end_condition) == (game_pb2.PHASE_FINAL, events.END_CONDITION_OUT)
    assert [side.signed for side in game.sides] == [True, True]


async def test_a_rack_is_shown_to_who_asks_for_it_and_to_nobody_else(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    public = await tables.GetGame(game_pb2.GetGameRequest(game_id=GAME))
    assert not public.rack
    assert [side.rack_size for side in public.sides] == [7, 7]
    own = await tables.GetGame(game_pb2.GetGameRequest(game_id=GAME, player_id="biel"))
    assert list(own.rack) == ["M", "E", "N", "T", "S", "O", "L"]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await tables.GetGame(game_pb2.GetGameRequest(game_id=GAME, player_id="carla"))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_game_that_does_not_exist_is_not_found_by_its_id(tables: game_pb2_grpc.GameServiceAsyncStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as asked:
        await tables.GetGame(game_pb2.GetGameRequest(game_id="cup-r9-t9"))
    with pytest.raises(grpc.aio.AioRpcError) as played:
        await tables.Pass(game_pb2.PassRequest(command_id=command(), game_id="cup-r9-t9", player_id="anna"))
    for code, info in (problem(asked), problem(played)):
        assert (code, info.metadata["id"]) == (grpc.StatusCode.NOT_FOUND, "cup-r9-t9")


async def test_what_the_rules_do_not_allow_is_refused_with_the_article(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await tables.PlacePlay(placing(play="A1 C A S A"))
    code, info = problem(caught)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert (info.reason, info.metadata["article"]) == ("FIRST_PLAY_OFF_CENTRE", "FISC I.6")
    assert "covers H8" in str(caught.value.details())
    assert "PlayPlaced" not in await names(record)


async def test_a_time_before_the_last_event_is_an_invalid_argument(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    await tables.PlacePlay(placing(at=after(30)))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await tables.DrawTiles(drawing(after(29)))
    code, info = problem(caught)
    assert (code, info.metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, "occurred_at")


async def test_without_a_time_a_command_happens_now_and_never_before_the_last_event(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    await tables.Pass(passing("anna"))
    last = (await record.read_stream(f"game-{GAME}"))[-1].message
    assert isinstance(last, events.Passed)
    assert last.occurred_at.ToDatetime(UTC) == NOW
    ahead = int(NOW.timestamp()) * 1_000_000_000 + 5_000_000_000
    await write(record, f"clock-{GAME}", build_press("anna", 1, ahead))
    await tables.Pass(passing("biel"))
    last = (await record.read_stream(f"game-{GAME}"))[-1].message
    assert isinstance(last, events.Passed)
    assert last.occurred_at == timestamp(ahead)


async def test_a_decision_does_not_hold_when_the_clock_has_moved(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await start(record)
    await tables.PlacePlay(placing())
    await tables.DrawTiles(drawing(after(40)))
    await write(record, f"clock-{GAME}", build_press("anna", 1, after(50)))
    settled = await load_table(record, GAME)
    assert settled is not None
    decision = settled.decision()
    assert [written.stream for written in decision.writes] == [f"game-{GAME}"]
    await write(record, f"clock-{GAME}", clock_events.ClockResumed(player_id="biel", occurred_at=timestamp(after(50))))
    with pytest.raises(Conflict):
        await record.append(decision, Metadata())


async def tournament(record: Record, digest: str) -> Recorded:
    at = timestamp(START_NS)
    pairings = [
        pairing_events.Pairing(table=n, game_id=f"cup-r1-t{n}", first_player_id=f"a{n}", second_player_id=f"b{n}")
        for n in (1, 2, 3)
    ]
    return await write(
        record,
        "tournament-cup",
        pairing_events.TournamentCreated(tournament_id="cup", rounds=5, seed=bytes(32), occurred_at=at),
        pairing_events.RulesetPinned(ruleset=events.Pin(name="fisc-2023", digest=digest)),
        pairing_events.LexiconPinned(lexicon=events.Pin(name="catalan", digest="00")),
        pairing_events.PlayerRegistered(player_id="a1", rating=1000, occurred_at=at),
        pairing_events.RoundPaired(round=1, pairings=pairings, occurred_at=at),
        pairing_events.RoundStarted(round=1, occurred_at=timestamp(after(600))),
    )


async def test_when_a_round_starts_each_of_its_tables_opens_once(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    assert (await follow(record, await tournament(record, FISC.digest))).count("GameStarted") == 3
    for number in (1, 2, 3):
        game = await tables.GetGame(game_pb2.GetGameRequest(game_id=f"cup-r1-t{number}"))
        assert (game.table, game.round, game.phase, game.bag_left) == (number, 1, game_pb2.PHASE_TURN, 86)
        assert [side.player_id for side in game.sides] == [f"a{number}", f"b{number}"]
        assert game.occurred_at == timestamp(after(600))
        assert game.ruleset.digest == FISC.digest


async def test_a_table_is_not_opened_under_rules_other_than_those_pinned(record: Record) -> None:
    started = await tournament(record, "00")
    with pytest.raises(Refusal, match="ruleset fisc-2023 is pinned with the digest 00"):
        await follow(record, started)


async def three_tables(record: Record) -> None:
    """Prepare three rounds under FISE: Anna and Biel, Carla and Anna, Anna and Biel."""
    pin = events.Pin(name="fise", digest=load_ruleset("fise").digest)
    for number in (1, 2, 3):
        game_id, seats = f"cup-r{number}-t1", ["anna", "biel"] if number != 2 else ["carla", "anna"]
        pairing = pairing_events.Pairing(table=1, game_id=game_id, player_ids=seats)
        await write(record, "tournament-cup", pairing_events.RoundPaired(round=number, pairings=[pairing]))
        rest = open_game()[1:]
        begun = events.GameOpened()
        begun.CopyFrom(OPENED)
        begun.game_id, begun.player_ids[:] = game_id, seats
        begun.ruleset.CopyFrom(pin)
        await write(record, f"game-{game_id}", begun, *(rest if number != 2 else []))


async def test_racks_held_too_full_on_purpose_are_counted_over_the_tournament(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await three_tables(record)

    async def hold(number: int, player: str) -> tuple[int, bool]:
        request = game_pb2.RecordOverholdingRequest(
            command_id=command(), game_id=f"cup-r{number}-t1", arbiter_id="eleni", player_id=player
        )
        answer = await tables.RecordOverholding(request)
        return answer.count, answer.expulsion

    assert await hold(1, "anna") == (1, False)
    assert await hold(2, "anna") == (1, False)
    assert await hold(3, "biel") == (1, False)
    assert await hold(3, "anna") == (1, True)


async def test_who_asks_or_answers_about_a_word_again_in_another_game_is_disqualified_for_good(
    record: Record, tables: game_pb2_grpc.GameServiceAsyncStub
) -> None:
    await three_tables(record)
    for player in ("anna", "biel", "carla"):
        await write(record, "tournament-cup", pairing_events.PlayerRegistered(player_id=player))

    async def ask_word(number: int, player: str, answerer: str = "") -> list[str]:
        game_id = f"cup-r{number}-t1"
        request = game_pb2.RecordWordAskedRequest(
            command_id=command(),
            game_id=game_id,
            arbiter_id="eleni",
            player_id=player,
            answerer_id=answerer,
            word=events.Word(faces="CASA"),
        )
        await tables.RecordWordAsked(request)
        past_events = await record.events(f"game-{game_id}")
        return [
            event.player_id
            for event in past_events
            if isinstance(event, events.SanctionImposed) and event.kind == events.SANCTION_KIND_EXPULSION
        ]

    with pytest.raises(grpc.aio.AioRpcError, match="stranger is not a player of the tournament"):
        await ask_word(1, "anna", "stranger")
    assert await ask_word(1, "biel", "anna") == []
    assert await ask_word(3, "biel", "anna") == ["biel", "anna"]
    ended = [event for event in await record.events("game-cup-r3-t1") if isinstance(event, events.GameEnded)]
    assert [sorted(event.loser_ids) for event in ended] == [["anna", "biel"]]


@pytest.mark.parametrize(("turns", "condition"), [(0, "FORFEIT"), (1, "ABANDONED")])
async def test_who_withdraws_from_the_tournament_loses_the_game_that_is_being_played(
    record: Record, turns: int, condition: str
) -> None:
    await start(record)
    if turns:
        await write(record, f"game-{GAME}", events.Passed(turn=1, player_id="anna", occurred_at=timestamp(after(20))))
        await write(record, f"clock-{GAME}", build_press("anna", 1, after(21)))
    withdrawn = pairing_events.PlayerWithdrawn(
        player_id="biel", round=2, game_id=GAME, occurred_at=timestamp(after(30))
    )
    news = await write(record, "tournament-cup", withdrawn)

    reaction = next(
        reaction
        for reaction in part(Runtime(Settings.model_validate({}), record)).reactions
        if reaction.name == "game.open"
    )
    decision = await reaction.react(news)

    assert decision is not None
    ended = next(event for event in decision.writes[0].events if isinstance(event, events.GameEnded))
    assert (events.EndCondition.Name(ended.condition), list(ended.loser_ids)) == (
        f"END_CONDITION_{condition}",
        ["biel"],
    )
    await record.append(decision, Metadata())
    assert await reaction.react(news) is None


async def test_who_is_back_in_the_tournament_before_the_table_hears_of_it_has_lost_nothing(record: Record) -> None:
    await start(record)
    at = timestamp(after(30))
    withdrawn = pairing_events.PlayerWithdrawn(player_id="biel", round=2, game_id=GAME, occurred_at=at)
    news = await write(record, "tournament-cup", withdrawn)
    await write(record, "tournament-cup", pairing_events.PlayerReinstated(player_id="biel", round=2, occurred_at=at))
    reaction = next(
        reaction
        for reaction in part(Runtime(Settings.model_validate({}), record)).reactions
        if reaction.name == "game.open"
    )

    assert await reaction.react(news) is None

    again = await write(record, "tournament-cup", withdrawn)
    decision = await reaction.react(again)
    assert decision is not None
    await write(record, "tournament-cup", pairing_events.PlayerReinstated(player_id="biel", round=2, occurred_at=at))
    with pytest.raises(Conflict):
        await record.append(decision, Metadata())


@pytest.mark.parametrize("turns", [0, 8])
async def test_a_table_is_closed_when_its_result_is_entered_in_the_tournament(record: Record, turns: int) -> None:
    await start(record)
    at = timestamp(after(30))
    entered = pairing_events.ResultEntered(
        round=1, game_id=GAME, arbiter_id="maria", occurred_at=at, turns_given_up=turns
    )
    result = pairing_events.ResultRecorded(
        round=1,
        game_id=GAME,
        scores=[events.FinalScore(player_id="anna", score=0), events.FinalScore(player_id="biel", score=0)],
        winner_id="anna",
        condition=events.END_CONDITION_FORFEIT,
        loser_ids=["biel"],
        unplayed=True,
        occurred_at=at,
    )
    news = await write(record, "tournament-cup", entered)
    await write(record, "tournament-cup", result)
    reaction = next(
        reaction
        for reaction in part(Runtime(Settings.model_validate({}), record)).reactions
        if reaction.name == "game.open"
    )

    decision = await reaction.react(news)

    assert decision is not None
    await record.append(decision, Metadata())
    closed = (await record.read_stream(f"game-{GAME}"))[-1].message
    assert isinstance(closed, events.TableClosed)
    assert (closed.winner_id, list(closed.loser_ids), closed.given_up) == ("anna", ["biel"], turns > 0)
    assert await reaction.react(news) is None
    table = await load_table(record, GAME)
    assert table is not None
    assert (table.game.phase, dict(table.game.scores)) == (Phase.FINAL, {"anna": 0, "biel": 0})


async def test_a_postponed_table_opens_when_it_is_started_and_not_with_its_round(record: Record) -> None:
    tournament = [
        pairing_events.TournamentCreated(tournament_id="cup", rounds=5, seed=bytes(32)),
        pairing_events.RulesetPinned(ruleset=events.Pin(name="fisc-2023", digest=FISC.digest)),
        pairing_events.LexiconPinned(lexicon=events.Pin(name="catalan", digest="c" * 64)),
        pairing_events.RoundPaired(
            round=1,
            pairings=[
                pairing_events.Pairing(table=n, game_id=f"g{n}", first_player_id=f"a{n}", second_player_id=f"b{n}")
                for n in (1, 2)
            ],
        ),
        pairing_events.GamePostponed(round=1, game_id="g1"),
    ]
    await write(record, "tournament-cup", *tournament)
    reaction = next(
        reaction
        for reaction in part(Runtime(Settings.model_validate({}), record)).reactions
        if reaction.name == "game.open"
    )

    with_the_round = await reaction.react(
        await write(record, "tournament-cup", pairing_events.RoundStarted(round=1, occurred_at=timestamp(after(1))))
    )
    later = await reaction.react(
        await write(
            record,
            "tournament-cup",
            pairing_events.PostponedGameStarted(round=1, game_id="g1", occurred_at=timestamp(after(2))),
        )
    )

    assert with_the_round is not None
    assert later is not None
    assert [write.stream for write in with_the_round.writes] == ["game-g2", "clock-g2"]
    assert [write.stream for write in later.writes] == ["game-g1", "clock-g1"]
