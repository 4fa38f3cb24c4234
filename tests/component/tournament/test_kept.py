"""Commands that a hall keeps, on real records of a hall and its championship, in orders that a line can cause."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from google.protobuf.message import Message
from tests.component.game.hall_cells import GRAN, NOW, PETITA, Cell, Hall, command, reason, serve, start_round
from tests.support.pairing_service import PairingService, serving
from tests.support.table_games import SEED

from faristol.event_store import Decision, Metadata, Write
from faristol.event_store.append.extracts import extract
from faristol.hall.own_events import OwnEvents
from faristol.hall.returning import return_tables
from faristol.host.halls import wire
from faristol.host.halls.kept import kept_stream, part_id, read_kept
from faristol.host.table_store import load_table
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.table.ownership import TABLE_TAKEN_BACK
from faristol.tournament.kept.requests import MAX_KEPT_RESULTS_COUNT

FIRST, SECOND, OTHER = "cup-r1-t1", "cup-r1-t2", "cup-r1-t3"
"""Games of the hall, and one of another hall."""

LATER = NOW + timedelta(hours=1)


@dataclass
class Halls:
    """A championship and a hall with a started round, each with its pairing service."""

    championship: Cell
    cell: Cell
    hall: Hall
    here: PairingService
    """The pairing service of the hall."""
    there: PairingService
    """That of the championship."""
    sent: int = 0
    """Position of the hall up to which its events were sent."""

    async def send(self, most: int = 1_000_000) -> None:
        """Send the events of the hall up to a position, as its cell does."""
        own = OwnEvents(self.hall.key)
        epochs: dict[str, int] = {}

        def is_own(event: object) -> bool:
            found = own.take(event)  # type: ignore[arg-type] # a stored event
            if found and found[0]:
                epochs[found[0]] = found[1]
            return found is not None

        position = 0
        while position < self.sent:
            position = (await extract(self.cell.record, position, is_own, up_to=self.sent)).position
        found = await extract(self.cell.record, self.sent, is_own, up_to=min(most, await self.end()))
        self.sent = found.position
        if found.batch.events:
            batch = hall_pb2.HallBatch(
                tournament_id="cup",
                hall=GRAN,
                epochs=[hall_pb2.TableEpoch(game_id=game, epoch=epoch) for game, epoch in epochs.items()],
                events=wire.to_events(found.batch),
                answers=wire.to_answers(found.batch),
            )
            answer = await self.hall.push(batch)
            assert not answer.aside

    async def end(self) -> int:
        return await self.cell.record.last_position()

    async def react(self, *names: str) -> None:
        """Let reactions of the championship handle all events, each in the given order of reactions."""
        recorded = await self.championship.record.read(0, limit=10_000)
        for name in names:
            reaction = next(each for each in self.there.part.reactions if each.name == name)
            for event in recorded:
                if event.type in reaction.types and (decision := await reaction.react(event)):
                    metadata = Metadata(actor=event.metadata.actor, causation_id=event.event_id)
                    await self.championship.record.append(decision, metadata)

    async def outcomes(self, service: Cell | None = None) -> list[str]:
        """Return the states of the kept commands in their order."""
        asked = hall_pb2.ListKeptCommandsRequest(tournament_id="cup")
        listed = await (service or self.championship).halls.ListKeptCommands(asked)
        names = hall_pb2.KeptState.Name
        return [names(each.state).removeprefix("KEPT_STATE_").lower() for each in listed.commands]

    async def list_kept(self) -> list[hall_events.HallCommandKept]:
        return [each for _, each in await read_kept(self.cell.record, "cup", self.hall.key)]

    async def table(self, game_id: str, service: PairingService | None = None) -> pb.TableResult:
        """Return a table with its result."""
        listed = await (service or self.here).stub.ListResults(pb.ListResultsRequest(tournament_id="cup"))
        return next(each for each in listed.tables if each.game_id == game_id)

    async def finish(self, game_id: str, *points: int) -> None:
        """End a game at its table in the hall, with these scores."""
        number = game_id[-1]
        scores = [
            game_events.FinalScore(player_id=f"{seat}{number}", score=each)
            for seat, each in zip("ab", points, strict=True)
        ]
        final = game_events.ResultFinal(scores=scores, winner_id=f"a{number}", occurred_at=to_timestamp(NOW))
        await self.cell.write(f"game-{game_id}", final)


@asynccontextmanager
async def playing(path: Path, book: str = "fisc-2023", tables: int = 2) -> AsyncIterator[Halls]:
    """Return a championship and a hall with so many tables; one more table is in another hall."""
    seats = {GRAN: range(1, tables + 1), PETITA: range(tables + 1, tables + 2)}
    async with AsyncExitStack() as stack:
        championship = await stack.enter_async_context(serve(path / "championship.db"))
        there = await stack.enter_async_context(serving(championship.record, now=championship.now))
        cell = await stack.enter_async_context(serve(path / "hall.db"))
        here = await stack.enter_async_context(serving(cell.record, now=cell.now, hall=GRAN))
        hall = Hall(cell, championship)
        at = to_timestamp(NOW)
        await championship.write(
            "tournament-cup",
            events.TournamentCreated(tournament_id="cup", name="Cup", rounds=5, seed=SEED, occurred_at=at),
            events.RulesetPinned(ruleset=game_events.Pin(name=book, digest=load_ruleset(book).digest)),
            events.LexiconPinned(lexicon=game_events.Pin(name="catalan", digest="00")),
            events.ResultCheckSet(players=True, players_enter=True, occurred_at=at),
            events.HallsSet(
                halls=[events.Hall(name=name, first_table=numbers.start) for name, numbers in seats.items()],
                occurred_at=at,
            ),
            *(
                events.PlayerRegistered(player_id=f"{seat}{table}", rating=1_500, occurred_at=at)
                for table in range(1, tables + 2)
                for seat in "ab"
            ),
        )
        await hall.join()
        await start_round(championship, seats=seats)
        await hall.follow()
        yield Halls(championship, cell, hall, here, there)


def scores_of(game_id: str, *points: int) -> list[game_events.FinalScore]:
    number = game_id.rpartition("-t")[2]
    return [
        game_events.FinalScore(player_id=f"{seat}{number}", score=each) for seat, each in zip("ab", points, strict=True)
    ]


def entry(*results: tuple[str, int, int], command_id: str = "", note: str = "") -> pb.EnterResultsRequest:
    """Return the entry of several results in one command."""
    return pb.EnterResultsRequest(
        command_id=command_id or command(),
        tournament_id="cup",
        arbiter_id="rosa",
        note=note,
        results=[pb.GameResult(game_id=game, scores=scores_of(game, *points)) for game, *points in results],
    )


async def test_several_results_in_one_command_are_kept_by_table_so_that_one_can_be_refused(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        both = entry((FIRST, 400, 350), (SECOND, 380, 370), command_id=command().upper())
        answer = await at.here.stub.EnterResults(both)
        assert await at.here.stub.EnterResults(both) == answer
        assert [each.command_id for each in await at.list_kept()] == [
            part_id(both.command_id.lower(), game) for game in (FIRST, SECOND)
        ]
        for game, points in ((FIRST, [400, 350]), (SECOND, [380, 370])):
            table = await at.table(game)
            assert table.kept
            assert [each.score for each in table.scores] == points
            assert "TableClosed" in await at.cell.names(game)
        phoned = pb.EnterResultRequest(
            command_id=command(), tournament_id="cup", game_id=FIRST, arbiter_id="rosa", scores=scores_of(FIRST, 1, 2)
        )
        await at.there.stub.EnterResult(phoned)
        await at.send()
        await at.react("pairing.kept")
        assert await at.outcomes() == ["refused", "executed"]
        assert [each.score for each in (await at.table(FIRST, at.there)).scores] == [1, 2]
        assert [each.score for each in (await at.table(SECOND, at.there)).scores] == [380, 370]
        assert await at.there.stub.EnterResults(both) == answer
        await at.hall.follow({FIRST})
        assert not (await at.table(SECOND)).kept


async def test_the_results_of_all_tables_of_a_large_hall_in_one_command_are_sent_and_executed(tmp_path: Path) -> None:
    async with playing(tmp_path, tables=MAX_KEPT_RESULTS_COUNT) as at:
        games = [f"cup-r1-t{number}" for number in range(1, MAX_KEPT_RESULTS_COUNT + 1)]
        await at.here.stub.EnterResults(entry(*((game, 400, 350) for game in games), note="Ω" * 500))
        assert len(await at.list_kept()) == MAX_KEPT_RESULTS_COUNT
        while at.sent < await at.end():
            await at.send()
        await at.react("pairing.kept")
        assert set(await at.outcomes()) == {"executed"}
        assert [each.score for each in (await at.table(games[-1], at.there)).scores] == [400, 350]


async def test_a_command_with_one_table_of_another_hall_or_one_wrong_result_keeps_nothing(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        told = await reason(at.here.stub.EnterResults(entry((FIRST, 400, 350), (OTHER, 400, 350))))
        assert "Table 3" in told
        assert "OTHER_HALL" in told
        wrong = entry((FIRST, 400, 350), (SECOND, 380, 370))
        wrong.results[1].winner_id = "b2"
        assert "SCORES_SWAPPED" in await reason(at.here.stub.EnterResults(wrong))
        many = entry(*[(FIRST, 400, 350)] * (MAX_KEPT_RESULTS_COUNT + 1))
        assert "INVALID_ARGUMENT" in await reason(at.here.stub.EnterResults(many))
        assert await at.list_kept() == []
        assert not (await at.table(FIRST)).scores
        assert (await at.table(OTHER)).decided_elsewhere
        assert not (await at.table(FIRST)).decided_elsewhere


@pytest.mark.parametrize("order", [("pairing.results", "pairing.kept"), ("pairing.kept", "pairing.results")])
async def test_a_kept_command_on_a_table_that_ended_in_the_hall_is_executed_after_its_result(
    tmp_path: Path, order: Sequence[str]
) -> None:
    async with playing(tmp_path, "fise") as at:
        await at.finish(FIRST, 400, 350)
        table = await at.table(FIRST)
        assert table.kept
        assert [each.score for each in table.scores] == [400, 350]
        sanction = pb.SanctionPlayerRequest(
            command_id=command(),
            tournament_id="cup",
            player_id="a1",
            kind=events.SANCTION_KIND_POINTS,
            game_id=FIRST,
            points=25,
            arbiter_id="rosa",
            decided_by=["marta"],
            note="shouted",
        )
        await at.here.stub.SanctionPlayer(sanction)
        assert [each.score for each in (await at.table(FIRST)).scores] == [375, 350]
        await at.send()
        await at.react(*order)
        assert await at.outcomes() == ["executed"]
        names = [each.name for each in await at.championship.record.read_stream("tournament-cup")][-3:]
        assert names == ["ResultRecorded", "PlayerSanctioned", "ResultCorrected"]
        assert [each.score for each in (await at.table(FIRST, at.there)).scores] == [375, 350]
        notes = await at.championship.record.notes_of("tournament-cup")
        assert list(notes.values()) == ["shouted"]
        await at.hall.follow()
        table = await at.table(FIRST)
        assert not table.kept
        assert [each.score for each in table.scores] == [375, 350]


async def confirm(at: Halls, game_id: str) -> str:
    """Let the second player confirm a result in the hall. Return the id of the command."""
    request = pb.ConfirmResultRequest(
        command_id=command(),
        tournament_id="cup",
        game_id=game_id,
        player_id=f"b{game_id[-1]}",
        scores=scores_of(game_id, 400, 350),
    )
    await at.here.stub.ConfirmResult(request)
    return str(request.command_id)


def withdrawal(kept: str) -> pb.WithdrawKeptCommandRequest:
    return pb.WithdrawKeptCommandRequest(
        command_id=command(), tournament_id="cup", kept_command_id=kept, note="wrong table"
    )


async def test_a_withdrawn_command_has_no_effect_in_the_hall_and_is_never_executed(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        await at.here.stub.EnterResults(entry((FIRST, 400, 350)))
        confirmed = await confirm(at, FIRST)
        assert list((await at.table(FIRST)).confirmed_by) == ["b1"]
        entered = (await at.list_kept())[0].command_id
        assert "NOT_UNDONE" in await reason(at.here.stub.WithdrawKeptCommand(withdrawal(entered)))
        asked = withdrawal(confirmed)
        answer = await at.here.stub.WithdrawKeptCommand(asked)
        assert answer.game_id == FIRST
        assert await at.here.stub.WithdrawKeptCommand(asked) == answer
        assert not (await at.table(FIRST)).confirmed_by
        assert "KEPT_WITHDRAWN" in await reason(at.here.stub.WithdrawKeptCommand(withdrawal(confirmed)))
        assert await at.outcomes(at.cell) == ["pending", "withdrawn", "pending"]
        await at.send()
        await at.react("pairing.kept")
        assert await at.outcomes() == ["executed", "withdrawn", "executed"]
        assert not (await at.table(FIRST, at.there)).confirmed_by
        await at.hall.follow()
        assert "KEPT_DECIDED" in await reason(at.here.stub.WithdrawKeptCommand(withdrawal(entered)))
        assert not (await at.table(FIRST)).confirmed_by


async def test_a_withdrawal_after_a_lost_answer_is_refused_and_the_command_stays_executed_once(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        await at.here.stub.EnterResults(entry((FIRST, 400, 350)))
        confirmed = await confirm(at, FIRST)
        before = await at.end()
        # The hall does not know that its events arrived, so it withdraws a command that is executed.
        await at.here.stub.WithdrawKeptCommand(withdrawal(confirmed))
        await at.send(before)
        await at.react("pairing.kept")
        assert await at.outcomes() == ["executed", "executed"]
        await at.send()
        await at.react("pairing.kept")
        assert await at.outcomes() == ["executed", "executed", "refused"]
        recorded = await at.championship.record.read_stream("tournament-cup")
        assert [each.name for each in recorded].count("ResultConfirmed") == 1
        await at.hall.follow()
        assert list((await at.table(FIRST)).confirmed_by) == ["b1"]


async def test_an_earlier_command_on_a_game_is_withdrawn_after_the_later_one(tmp_path: Path) -> None:
    async with playing(tmp_path, "fise") as at:
        await at.finish(FIRST, 400, 350)
        ids = []
        for points in ((410, 350), (420, 350)):
            correction = pb.CorrectResultRequest(
                command_id=command(),
                tournament_id="cup",
                game_id=FIRST,
                arbiter_id="rosa",
                scores=scores_of(FIRST, *points),
                player_ids=["a1", "b1"],
            )
            await at.here.stub.CorrectResult(correction)
            ids.append(correction.command_id)
        assert "NOT_UNDONE" in await reason(at.here.stub.WithdrawKeptCommand(withdrawal(ids[0])))
        await at.here.stub.WithdrawKeptCommand(withdrawal(ids[1]))
        await at.here.stub.WithdrawKeptCommand(withdrawal(ids[0]))
        assert [each.score for each in (await at.table(FIRST)).scores] == [400, 350]


async def test_a_championship_keeps_no_command_that_could_be_withdrawn(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        assert "NOT_FOUND" in await reason(at.there.stub.WithdrawKeptCommand(withdrawal(command())))


async def test_a_hall_says_of_each_command_that_it_does_not_keep_where_it_is_decided(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        told: Collection[tuple[str, Message, str]] = (
            ("CheckInPlayer", pb.CheckInPlayerRequest(player_id="a1", tournament_id="cup"), "at the championship"),
            ("ConfirmPresence", pb.ConfirmPresenceRequest(player_id="a1", tournament_id="cup"), "at the championship"),
            ("WithdrawPlayer", pb.WithdrawPlayerRequest(player_id="a1", tournament_id="cup"), "forfeit here"),
            (
                "WarnPlayer",
                pb.WarnPlayerRequest(player_id="a1", arbiter_id="rosa", tournament_id="cup"),
                "at its table",
            ),
            (
                "SanctionPlayer",
                pb.SanctionPlayerRequest(
                    player_id="a1", kind=events.SANCTION_KIND_ROUNDS, rounds=[2], arbiter_id="rosa", tournament_id="cup"
                ),
                "tell the director",
            ),
            ("UndoAct", pb.UndoActRequest(version=3, tournament_id="cup"), "withdrawn"),
            ("PairRound", pb.PairRoundRequest(round=2, tournament_id="cup"), "pairs"),
            ("SetResultCheck", pb.SetResultCheckRequest(tournament_id="cup"), GRAN),
        )
        for method, request, expected in told:
            request.command_id = command()  # type: ignore[attr-defined] # every command has one
            refused = await reason(getattr(at.here.stub, method)(request))
            assert "OF_THE_CHAMPIONSHIP" in refused, method
            assert expected in refused, method
        assert await at.list_kept() == []


async def test_a_hall_that_has_lost_a_table_keeps_no_command_on_it_and_shows_no_result_of_it(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        await at.finish(FIRST, 400, 350)
        assert (await at.table(FIRST)).scores
        at.cell.record.loss_of = lambda game_id: TABLE_TAKEN_BACK if game_id == FIRST else ""
        assert not (await at.table(FIRST)).scores
        assert (await at.table(FIRST)).decided_elsewhere
        refused = await reason(at.here.stub.EnterResults(entry((FIRST, 400, 350), (SECOND, 380, 370))))
        assert "TABLE_TAKEN_BACK" in refused
        assert await at.list_kept() == []
        await at.here.stub.EnterResults(entry((SECOND, 380, 370)))


async def test_effects_of_the_first_version_are_read_in_the_versions_of_their_types_then(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        at_ = to_timestamp(NOW)
        request = pb.EnterResultRequest(
            command_id=command(), tournament_id="cup", game_id=FIRST, arbiter_id="rosa", scores=scores_of(FIRST, 5, 4)
        )
        effects = (
            events.ResultEntered(round=1, game_id=FIRST, arbiter_id="rosa", occurred_at=at_),
            events.ResultRecorded(
                round=1, game_id=FIRST, scores=scores_of(FIRST, 5, 4), winner_id="a1", occurred_at=at_
            ),
        )
        kept = hall_events.HallCommandKept(
            hall=GRAN,
            command_id=request.command_id,
            type=request.DESCRIPTOR.full_name,
            request=request.SerializeToString(),
            game_id=FIRST,
            table=1,
            scores=scores_of(FIRST, 5, 4),
            effects=[
                hall_events.KeptEffect(type=each.DESCRIPTOR.full_name, payload=each.SerializeToString())
                for each in effects
            ],
        )
        stream = kept_stream("cup", at.hall.key)
        await at.cell.record.append(
            Decision([Write(stream, 0, [kept], "cup")]), Metadata(actor="rosa", command_id=request.command_id)
        )
        table = await at.table(FIRST)
        assert [each.score for each in table.scores] == [5, 4]
        assert table.entered
        assert table.actor == "rosa"


async def test_the_version_of_its_type_is_stored_with_each_effect(tmp_path: Path) -> None:
    async with playing(tmp_path) as at:
        await at.here.stub.EnterResults(entry((FIRST, 400, 350)))
        (kept,) = await at.list_kept()
        versions = {each.type.rpartition(".")[2]: each.schema_version for each in kept.effects}
        assert versions == {"ResultEntered": 3, "ResultRecorded": 1}


async def close_round(at: Halls) -> None:
    """Close the round in the championship, with the results that are still missing by telephone."""
    listed = await at.there.stub.ListResults(pb.ListResultsRequest(tournament_id="cup"))
    missing = [each.game_id for each in listed.tables if not each.scores]
    await at.there.stub.EnterResults(entry(*[(game, 400, 350) for game in missing]))
    await at.there.stub.SetResultCheck(pb.SetResultCheckRequest(command_id=command(), tournament_id="cup"))
    closing = pb.CloseRoundRequest(command_id=command(), tournament_id="cup", round=1)
    await at.there.stub.CloseRound(closing)


async def has_tables(at: Halls) -> dict[str, bool]:
    """Return whether the hall has each of its tables, as the championship knows it."""
    tables = {game: await load_table(at.championship.record, game) for game in (FIRST, SECOND)}
    return {game: bool(table and table.game.owner_key) for game, table in tables.items()}


async def react_in_hall(at: Halls) -> None:
    reaction = return_tables(at.cell.record)
    for event in await at.cell.record.read(0, limit=10_000):
        if event.type in reaction.types and (decision := await reaction.react(event)):
            await at.cell.record.append(decision, Metadata(causation_id=event.event_id))


async def test_a_hall_returns_its_tables_when_their_round_is_closed_and_the_championship_decides_there(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, "fise") as at:
        await at.here.stub.EnterResults(entry((FIRST, 400, 350), (SECOND, 380, 370)))
        await at.send()
        await at.react("pairing.kept")
        await at.hall.follow()
        await react_in_hall(at)
        assert await has_tables(at) == {FIRST: True, SECOND: True}
        await close_round(at)
        await at.hall.follow()
        await react_in_hall(at)
        await react_in_hall(at)
        for game in (FIRST, SECOND):
            assert (await at.cell.names(game)).count("TableReturned") == 1
        await at.send()
        assert await has_tables(at) == {FIRST: False, SECOND: False}
        correction = pb.CorrectResultRequest(
            tournament_id="cup",
            game_id=FIRST,
            arbiter_id="rosa",
            scores=scores_of(FIRST, 410, 350),
            player_ids=["a1", "b1"],
        )
        correction.command_id = command()
        assert "TABLE_OF_CHAMPIONSHIP" in await reason(at.here.stub.CorrectResult(correction))
        correction.command_id = command()
        await at.there.stub.CorrectResult(correction)


async def test_a_table_with_a_kept_command_returns_after_the_championship_has_decided_on_it(tmp_path: Path) -> None:
    async with playing(tmp_path, "fise") as at:
        await at.here.stub.EnterResults(entry((FIRST, 400, 350), (SECOND, 380, 370)))
        await at.send()
        await at.react("pairing.kept")
        await close_round(at)
        await at.hall.follow()
        correction = pb.CorrectResultRequest(
            command_id=command(),
            tournament_id="cup",
            game_id=FIRST,
            arbiter_id="rosa",
            scores=scores_of(FIRST, 410, 350),
            player_ids=["a1", "b1"],
        )
        await at.here.stub.CorrectResult(correction)
        await react_in_hall(at)
        await at.send()
        assert await has_tables(at) == {FIRST: True, SECOND: False}
        await at.react("pairing.kept")
        assert await at.outcomes() == ["executed"] * 3
        await at.hall.follow()
        await react_in_hall(at)
        await at.send()
        assert await has_tables(at) == {FIRST: False, SECOND: False}
