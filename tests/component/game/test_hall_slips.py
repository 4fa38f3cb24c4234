"""The slips of a hall with a cell of its own: the hall writes them, and the championship has them as they were."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from tests.component.game.hall_cells import NOW, Cell, Hall, command, reason, serve
from tests.support.games_ahead import PINS, words
from tests.support.table_games import SEED

from faristol.client.services import build_call
from faristol.event_store.append.extracts import extract
from faristol.event_store.integrity.verification import verify
from faristol.event_store.stored import Stored
from faristol.game.duplicate_game.lexicons import GraphWords
from faristol.gateway.duplicate_game.plays import coordinates_of, main_word
from faristol.hall.own_events import OwnEvents
from faristol.host.duplicate_store import game_stream, hall_stream
from faristol.host.halls import wire
from faristol.host.halls.given_keys import GIVEN_KEYS, load_keys
from faristol.host.halls.heard import HEARD
from faristol.kernel.event_types import meaning
from faristol.kernel.pins import Pin
from faristol.kernel.times import to_timestamp
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Ruleset, commitment

NORD, SUD = "Nord", "Sud"
PLAYERS: Mapping[str, Sequence[str]] = {NORD: ("anna", "blai", "cesca"), SUD: ("didac", "eloi")}
GAME = "cup-r1"
ADDRESS = "http://192.168.8.2:8080"
OF_NORD, OF_SUD = hall_stream(GAME, 1), hall_stream(GAME, 2)
RACK, NEW_TILES = "C A S E R N A", "L O T I M E N"
WAIT = timedelta(seconds=181)


class KnownWords:
    """The lexicon of the tests under every pin."""

    def words(self, pin: Pin, ruleset: Ruleset) -> GraphWords:
        return words()

    def pin(self, name: str, tile_set: str) -> Pin:
        return PINS[1]


@dataclass
class Table:
    """The officials of a game at a championship, and those of a hall at its own cell or there too."""

    championship: Cell
    at: Cell
    """The cell at which the officials of the hall Nord work."""
    hall: Hall | None = None
    is_cut: bool = False

    async def ask(self, request: Any, cell: Cell | None = None) -> Any:
        known = request.DESCRIPTOR.fields_by_name
        if "command_id" in known:
            request.command_id = request.command_id or command()
        if "game_id" in known:
            request.game_id = request.game_id or GAME
        return await build_call((cell or self.championship).channel, type(request))(request)

    async def at_hall(self, request: Any) -> Any:
        return await self.ask(request, self.at)

    async def call(self) -> int:
        """Call a rack by hand, start its time, and let it pass."""
        rack = RACK.split()
        shown = await self.ask(pb.GetDuplicateRequest())
        if shown.turns:
            left = list(shown.turns[-1].faces)
            for laid in shown.turns[-1].master.placements:
                left.remove(laid.face)
            rack = [*left, *NEW_TILES.split()[: len(rack) - len(left)]]
        called = await self.ask(pb.CallRackRequest(faces=rack, arbiter_id="judge"))
        await self.ask(turns.StartTurnRequest(turn=called.turn, arbiter_id="judge"))
        await self.sync()
        for cell in {id(each): each for each in (self.championship, self.at)}.values():
            cell.now.at += WAIT
        return int(called.turn)

    async def hand_in(self, turn: int, hall: str, **slips: str) -> None:
        """Type the slips of a hall, and close it."""
        request = pb.SubmitSlipsRequest(turn=turn, hall=hall, collector_id="collector")
        for player, slip in slips.items():
            coordinates, _, word = slip.partition(" ")
            request.slips.add(player_id=player, coordinates=coordinates, word=word)
        cell = self.at if hall == NORD else self.championship
        await self.ask(request, cell)
        await self.ask(pb.CloseHallRequest(turn=turn, hall=hall, collector_id="collector"), cell)

    async def score(self, turn: int, **more: Any) -> Any:
        await self.sync()
        answer = await self.ask(pb.ScoreTurnRequest(turn=turn, arbiter_id="judge", **more))
        await self.sync()
        return answer

    async def sync(self) -> None:
        """Let the hall follow, react, and send what it wrote."""
        if self.hall is None or self.is_cut:
            return
        folder = self.at.settings.hall_folder()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HEARD).write_text(self.at.now().isoformat(), encoding="utf-8")
        before = await self.hall.cell.record.last_position()
        await self.hall.follow()
        for event in await self.hall.cell.record.read(before):
            if event.stream in (game_stream(GAME), OF_NORD):  # the cell of a hall opens no game
                await self.hall.cell.react(event)
        if batch := await own_batch(self.hall):
            await self.hall.push(batch)

    async def react_at_hall(self, name: str) -> None:
        """Let the hall react to its own last event of a type."""
        found = [event for event in await self.at.record.read_stream(OF_NORD) if event.name == name]
        await self.at.react(found[-1])

    async def ranking(self) -> Any:
        return await self.ask(pb.GetDuplicateStandingsRequest())


async def own_batch(hall: Hall) -> hall_pb2.HallBatch | None:
    """Return all events that the hall wrote; None without any."""
    own, epochs = OwnEvents(hall.key), dict[str, int]()

    def is_own(event: Stored) -> bool:
        found = own.take(event)
        if found is not None:
            epochs[found[0]] = found[1]
        return found is not None

    found = await extract(hall.cell.record, 0, is_own)
    if not found.batch.events:
        return None
    return hall_pb2.HallBatch(
        tournament_id="cup",
        hall=hall.name,
        epochs=[hall_pb2.TableEpoch(game_id=name, epoch=epoch) for name, epoch in epochs.items()],
        events=wire.to_events(found.batch),
        answers=wire.to_answers(found.batch),
    )


async def create(championship: Cell) -> None:
    """Create a tournament of a duplicate game in two halls."""
    at = to_timestamp(NOW)
    await championship.write(
        "tournament-cup",
        pairing_events.TournamentCreated(tournament_id="cup", rounds=2, seed=SEED, occurred_at=at),
        pairing_events.RulesetPinned(ruleset=PINS[0].message()),
        pairing_events.LexiconPinned(lexicon=PINS[1].message()),
        *(
            pairing_events.PlayerRegistered(player_id=player, occurred_at=at)
            for players in PLAYERS.values()
            for player in players
        ),
        pairing_events.HallsSet(
            halls=[
                pairing_events.Hall(name=NORD, first_table=1, last_table=3),
                pairing_events.Hall(name=SUD, first_table=4, last_table=5),
            ],
            occurred_at=at,
        ),
        pairing_events.RoundPaired(round=1, occurred_at=at),
    )


async def start(championship: Cell) -> None:
    started = pairing_events.RoundStarted(round=1, occurred_at=to_timestamp(NOW))
    await championship.react(await championship.write("tournament-cup", started))


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with with_cell(tmp_path) as made:
        yield made


@asynccontextmanager
async def with_cell(folder: Path, *, is_late: bool = False, is_sealed: bool = False) -> AsyncIterator[Table]:
    """Return a started game whose hall Nord has a cell, which joined before the start or after it."""
    private = Ed25519PrivateKey.generate()
    async with (
        serve(folder / "championship.db", KnownWords()) as championship,
        serve(folder / "hall.db", KnownWords(), private.public_key().public_bytes_raw()) as cell,
    ):
        await create(championship)
        hall = Hall(cell, championship, NORD, private)
        if is_sealed:
            prepare = pb.PrepareGameRequest(command_id=command(), tournament_id="cup", round=1)
            await build_call(championship.channel, pb.PrepareGameRequest)(prepare)
        if is_late:
            await start(championship)
        await hall.join(ADDRESS)
        if not is_late:
            await start(championship)
        made = Table(championship, cell, hall)
        await made.sync()
        yield made


@asynccontextmanager
async def without_cell(folder: Path) -> AsyncIterator[Table]:
    """Return the same game without the cell of a hall."""
    async with serve(folder / "undisturbed.db", KnownWords()) as championship:
        await create(championship)
        await start(championship)
        yield Table(championship, championship)


async def stream(cell: Cell, name: str) -> list[Any]:
    return [replace(event, position=0) for event in await cell.record.read_stream(name)]


async def names(cell: Cell, name: str) -> list[str]:
    return [event.name for event in await cell.record.read_stream(name)]


FIRST = {"anna": "H7 C A S", "blai": "H8 A S", "cesca": "H7 N A"}
SECOND = {"anna": "H8 L O T", "blai": "A1 M E"}
OF_OTHERS = {"didac": "H7 R A N", "eloi": "H8 A S"}


async def play(at: Table, *, is_cut: bool = False) -> None:
    """Play two turns; without a line, the hall hands in late and is merged afterwards."""
    first = await at.call()
    at.is_cut = is_cut
    await at.hand_in(first, NORD, **FIRST)
    await at.hand_in(first, SUD, **OF_OTHERS)
    await at.score(first, without_open_halls=is_cut, reason="no line" if is_cut else "")
    at.is_cut = False
    await at.sync()
    second = await at.call()
    await at.hand_in(second, NORD, **SECOND)
    await at.hand_in(second, SUD, didac="H8 T I L")
    await at.score(second)


async def test_the_game_opens_without_its_seed_and_hands_the_slips_of_a_hall_over_to_its_cell(table: Table) -> None:
    championship, cell = table.championship, table.at
    (opened, *_) = await championship.record.read_stream(game_stream(GAME))
    assert opened.message.seed == b""  # type: ignore[attr-defined] # DuplicateOpened
    assert await names(championship, OF_NORD) == ["HallSeated", "SlipsHandedOver"]
    assert await names(championship, OF_SUD) == ["HallSeated"]
    for name in (game_stream(GAME), OF_NORD):
        assert await stream(cell, name) == await stream(championship, name)
    assert await names(cell, OF_SUD) == []


async def test_the_championship_refuses_slips_of_a_hall_with_a_cell_and_names_it(table: Table) -> None:
    turn = await table.call()
    for request in (
        pb.SubmitSlipsRequest(turn=turn, hall=NORD, collector_id="a", slips=[events.Slip(player_id="anna")]),
        pb.CloseHallRequest(turn=turn, hall=NORD, collector_id="a"),
        pb.RaiseClaimRequest(turn=turn, hall=NORD, player_id="anna"),
    ):
        refused = await reason(table.ask(request))
        assert "SLIPS_HANDED_OVER" in refused
        assert NORD in refused
        assert ADDRESS in refused
    of_sud = pb.SubmitSlipsRequest(turn=turn, hall=SUD, collector_id="a", slips=[events.Slip(player_id="didac")])
    assert "SLIPS_OF_CHAMPIONSHIP" in await reason(table.at_hall(of_sud))
    await table.ask(of_sud)


@pytest.mark.parametrize("is_cut", [False, True])
async def test_the_ranking_with_the_cell_of_a_hall_is_that_of_a_game_without_one(
    table: Table, tmp_path: Path, is_cut: bool
) -> None:
    async with without_cell(tmp_path) as undisturbed:
        await play(undisturbed)
        await play(table, is_cut=is_cut)
        found = await table.ranking()
        assert sum(line.total for line in found.lines)
        assert found == await undisturbed.ranking()
    assert await stream(table.at, OF_NORD) == await stream(table.championship, OF_NORD)
    assert (await names(table.championship, OF_NORD)).count("TurnScored") == 2
    for cell in (table.championship, table.at):
        assert (await verify(cell.record)).wrong == ""


async def test_the_hall_shows_the_end_of_a_turn_without_a_line_and_writes_no_event_of_the_game(table: Table) -> None:
    turn = await table.call()
    table.is_cut = True
    before = await names(table.at, game_stream(GAME))
    await table.hand_in(turn, NORD, **FIRST)
    assert await names(table.at, game_stream(GAME)) == before
    listed = await table.at_hall(pb.ListSlipsRequest(hall=NORD))
    assert (listed.turn, listed.closed, len(listed.players)) == (turn, True, 3)


async def test_a_batch_of_slips_that_comes_again_has_no_effect(table: Table) -> None:
    turn = await table.call()
    await table.hand_in(turn, NORD, **FIRST)
    assert table.hall
    await table.sync()
    end = await table.championship.record.last_position()
    batch = await own_batch(table.hall)
    assert batch
    assert not (await table.hall.push(batch)).aside
    assert await table.championship.record.last_position() == end


async def test_a_slip_that_waits_keeps_its_hall_open_until_an_arbiter_of_the_hall_rules(table: Table) -> None:
    turn = await table.call()
    await table.hand_in(turn, SUD, **OF_OTHERS)
    await table.hand_in(turn, NORD, **FIRST)
    late = pb.SubmitSlipsRequest(turn=turn, hall=NORD, collector_id="b", slips=[events.Slip(player_id="anna")])
    assert (await table.at_hall(late)).waits
    await table.sync()
    assert "HALLS_OPEN" in await reason(table.score(turn))
    ruled = pb.RuleSlipRequest(turn=turn, hall=NORD, arbiter_id="eva", reason="the first one")
    ruled.slip.CopyFrom(events.Slip(player_id="anna", coordinates="H7", word="C A S"))
    assert "SLIPS_HANDED_OVER" in await reason(table.ask(replace_message(ruled)))
    await table.at_hall(ruled)
    await table.score(turn)
    assert (await names(table.championship, OF_NORD))[-1] == "TurnScored"


def replace_message(request: Any) -> Any:
    copied = type(request)()
    copied.CopyFrom(request)
    copied.command_id = ""
    return copied


async def test_claims_and_corrections_of_a_hall_are_decided_there_and_change_the_ranking(table: Table) -> None:
    await play(table)
    await table.at_hall(pb.RaiseClaimRequest(turn=1, hall=NORD, player_id="blai", words="I wrote H7"))
    decided = pb.DecideClaimRequest(hall=NORD, claim_id="t1-1", arbiter_id="eva", reason="typed wrong")
    decided.corrected.CopyFrom(events.Slip(player_id="blai", coordinates="H7", word="C A S"))
    before = {line.player_id: line.total for line in (await table.ranking()).lines}
    table.is_cut = True
    await table.at_hall(decided)
    assert {line.player_id: line.total for line in (await table.ranking()).lines} == before
    table.is_cut = False
    await table.sync()
    after = {line.player_id: line.total for line in (await table.ranking()).lines}
    assert after["blai"] > before["blai"]
    assert await table.championship.record.notes_of(OF_NORD) == await table.at.record.notes_of(OF_NORD)


async def test_slips_that_are_taken_back_are_entered_by_paper_and_those_of_the_hall_are_kept_aside(
    table: Table, tmp_path: Path
) -> None:
    turn = await table.call()
    table.is_cut = True
    await table.hand_in(turn, NORD, **FIRST)
    await table.hand_in(turn, SUD, **OF_OTHERS)
    await table.score(turn, without_open_halls=True, reason="no line")
    taken = hall_pb2.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=NORD, note="stolen")
    assert list((await table.championship.halls.TakeBackTables(taken)).game_ids) == [GAME]
    at, table.at = table.at, table.championship
    await table.hand_in(turn, NORD, **FIRST)
    table.at = at
    await table.ask(pb.ScoreTurnRequest(turn=turn, arbiter_id="judge"))
    ranking = await table.ranking()

    assert table.hall
    batch = await own_batch(table.hall)
    assert batch
    (aside,) = (await table.hall.push(batch)).aside
    table.at.record.loss_of = {"cup-r1-h1": "TABLE_TAKEN_BACK"}.get  # type: ignore[assignment] # as the cell has learned
    close = pb.CloseHallRequest(turn=turn, hall=NORD, collector_id="a")
    assert "SLIPS_OF_CHAMPIONSHIP" in await reason(table.at_hall(close))
    assert (aside.game_id, aside.reason) == ("cup-r1-h1", hall_events.ASIDE_REASON_NOT_OWNER)
    assert await table.ranking() == ranking
    listed = await table.championship.halls.ListKeptAside(hall_pb2.ListKeptAsideRequest(tournament_id="cup"))
    (kept,) = listed.aside
    assert [event.type.rpartition(".")[2] for event in kept.events] == ["SlipsTaken", "HallClosed"]
    assert [event.type.rpartition(".")[2] for event in kept.here][:2] == ["SlipsTakenBack", "SlipsTaken"]


async def test_slips_go_on_with_the_later_events_of_a_hall_after_a_wrong_one_was_disregarded(
    table: Table, tmp_path: Path
) -> None:
    assert table.hall is not None
    turn = await table.call()
    stranger = events.SlipsTaken(turn=turn, source=events.SLIP_SOURCE_PAPER, collector_id="collector")
    stranger.slips.add(player_id="zoe", coordinates="H7", word="C A S")
    stranger.occurred_at.CopyFrom(to_timestamp(table.at.now()))
    await table.at.write(OF_NORD, stranger)
    await table.hand_in(turn, NORD, **FIRST)
    await table.hand_in(turn, SUD, **OF_OTHERS)
    await table.sync()
    listed = await table.ask(hall_pb2.ListKeptAsideRequest(tournament_id="cup"))
    assert [(each.game_id, each.count) for each in listed.aside] == [("cup-r1-h1", 3)]
    assert await names(table.championship, OF_NORD) == ["HallSeated", "SlipsHandedOver"]

    disregarded = hall_pb2.DecideKeptAsideRequest(
        tournament_id="cup", number=1, verdict=hall_events.ASIDE_VERDICT_DISREGARDED, arbiter_id="rosa"
    )
    assert (await table.ask(disregarded)).added == 2
    added = ["SlipsTakenBack", "SlipsTaken", "HallClosed"]
    assert await names(table.championship, OF_NORD) == ["HallSeated", "SlipsHandedOver", *added]
    table.at = table.championship
    table.is_cut = True
    await table.score(turn)
    async with without_cell(tmp_path) as other:
        same = await other.call()
        await other.hand_in(same, NORD, **FIRST)
        await other.hand_in(same, SUD, **OF_OTHERS)
        await other.score(same)
        assert (await table.ranking()).lines == (await other.ranking()).lines


async def test_slips_go_to_another_laptop_after_they_were_taken_back(table: Table, tmp_path: Path) -> None:
    turn = await table.call()
    halls = table.championship.halls
    released = hall_pb2.ReleaseHallRequest(command_id=command(), tournament_id="cup", hall=NORD)
    await halls.ReleaseHall(released)
    async with serve(tmp_path / "other.db", KnownWords()) as cell:
        other = Hall(cell, table.championship, NORD)
        await other.join()
        hand_over = hall_pb2.HandOverTablesRequest(command_id=command(), tournament_id="cup", hall=NORD)
        assert "SLIPS_HANDED_OVER" in await reason(halls.HandOverTables(hand_over))
        taken = hall_pb2.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=NORD)
        await halls.TakeBackTables(taken)
        hand_over.command_id = command()
        assert list((await halls.HandOverTables(hand_over)).game_ids) == [GAME]
        table.hall, table.at = other, cell
        table.at.now.at = table.championship.now.at
        await table.sync()
        await table.hand_in(turn, NORD, **FIRST)
        await table.hand_in(turn, SUD, **OF_OTHERS)
        await table.score(turn)
        assert (await names(table.championship, OF_NORD))[-1] == "TurnScored"


async def test_final_results_take_the_slips_of_halls_back(table: Table) -> None:
    await play(table)
    await table.ask(pb.EndGameRequest(arbiter_id="judge", reason="late"))
    await table.ask(pb.ValidateResultsRequest(arbiter_id="judge"))
    assert (await names(table.championship, OF_NORD))[-1] == "SlipsTakenBack"
    await table.at_hall(pb.RaiseClaimRequest(turn=1, hall=NORD, player_id="blai", words="I wrote H7"))
    ranking = await table.ranking()
    assert table.hall
    batch = await own_batch(table.hall)
    assert batch
    assert (await table.hall.push(batch)).aside
    assert await table.ranking() == ranking


async def test_the_seed_is_revealed_at_the_end_and_fits_its_commitment(table: Table) -> None:
    called = await table.ask(pb.CallRackRequest(arbiter_id="judge"))
    assert called.faces
    before = await table.ask(pb.GetDuplicateRequest())
    assert before.seed == b""
    await table.ask(pb.EndGameRequest(arbiter_id="judge", reason="late"))
    shown = await table.ask(pb.GetDuplicateRequest())
    assert commitment(shown.seed, GAME) == shown.commitment == before.commitment


async def test_a_game_that_started_with_its_seed_is_not_for_a_hall_that_joins_later(tmp_path: Path) -> None:
    async with with_cell(tmp_path, is_late=True) as table:
        assert await names(table.at, game_stream(GAME)) == []
        assert await names(table.at, OF_NORD) == []
        hand_over = hall_pb2.HandOverTablesRequest(command_id=command(), tournament_id="cup", hall=NORD)
        assert "GAME_SEED_STORED" in await reason(table.championship.halls.HandOverTables(hand_over))
        table.at = table.championship
        turn = await table.call()
        await table.hand_in(turn, NORD, **FIRST)


@dataclass
class Sealed:
    """A prepared game: the officials call the sealed racks."""

    table: Table

    async def call(self) -> tuple[int, Sequence[str]]:
        """Call the next rack for all halls, start its time, and let it pass."""
        called = await self.table.ask(pb.CallRackRequest(arbiter_id="judge"))
        await self.table.ask(turns.StartTurnRequest(turn=called.turn, arbiter_id="judge"))
        await self.table.sync()
        self.wait()
        return called.turn, list(called.faces)

    async def call_here(self) -> tuple[int, Sequence[str]]:
        """Call the next rack in the hall, start its time there, and let it pass."""
        called = await self.table.at_hall(pb.CallHallRackRequest(hall=NORD, collector_id="collector"))
        started = pb.StartHallTurnRequest(hall=NORD, turn=called.turn, collector_id="collector")
        ends_at = (await self.table.at_hall(started)).ends_at
        assert ends_at.ToNanoseconds() == int(self.table.at.now.at.timestamp()) * 10**9 + 180 * 10**9
        self.wait()
        return called.turn, list(called.faces)

    def wait(self) -> None:
        for cell in (self.table.championship, self.table.at):
            cell.now.at += WAIT

    async def cut(self) -> None:
        self.table.is_cut = True
        self.wait()

    async def hand_in(self, turn: int, rack: Sequence[str], hall: str) -> None:
        """Type the best play of a rack for the first player of a hall, and close it."""
        cell = self.table.at if hall == NORD else self.table.championship
        top = (await self.table.ask(pb.ListTopsRequest(turn=turn), cell)).plays[0]
        assert {placement.face for placement in top.placements if not placement.blank} <= {*rack}
        await self.table.hand_in(turn, hall, **{PLAYERS[hall][0]: f"{coordinates_of(top)} {main_word(top)}"})


@pytest.fixture
async def sealed_game(tmp_path: Path) -> AsyncIterator[Sealed]:
    async with with_cell(tmp_path, is_sealed=True) as table:
        yield Sealed(table)


async def test_a_hall_without_a_line_plays_on_with_the_sealed_racks_and_the_ranking_is_that_of_a_game_with_a_line(
    sealed_game: Sealed,
) -> None:
    table = sealed_game.table
    first, rack = await sealed_game.call()
    await sealed_game.cut()
    await sealed_game.hand_in(first, rack, NORD)
    ahead = [await sealed_game.call_here()]
    await sealed_game.hand_in(*ahead[0], NORD)
    ahead.append(await sealed_game.call_here())
    shown = await table.at_hall(pb.GetDuplicateRequest(inside=True))
    assert [list(turn.faces) for turn in shown.turns] == [rack, *(faces for _, faces in ahead)]
    assert [turn.scored for turn in shown.turns] == [True, True, False]
    assert shown.turns[-1].HasField("ends_at")
    assert len(shown.board) > len((await table.ask(pb.GetDuplicateRequest(inside=True))).board)
    await sealed_game.hand_in(*ahead[1], NORD)

    await sealed_game.hand_in(first, rack, SUD)
    await table.score(first, without_open_halls=True, reason="no line")
    table.is_cut = False
    await table.sync()
    for number, faces in ahead:
        assert (await sealed_game.call()) == (number, faces)
        await sealed_game.hand_in(number, faces, SUD)
        await table.score(number)
    assert list((await table.ranking()).without_halls) == []
    found = {line.player_id: line.total for line in (await table.ranking()).lines}
    assert found["anna"] == found["didac"] > 0
    assert (await names(table.championship, OF_NORD)).count("TurnScored") == 3
    assert await stream(table.at, OF_NORD) == await stream(table.championship, OF_NORD)


async def test_a_hall_calls_no_rack_while_it_has_a_line_or_has_not_closed_a_turn(sealed_game: Sealed) -> None:
    table = sealed_game.table
    call = pb.CallHallRackRequest(hall=NORD, collector_id="collector")
    assert "WAIT" in await reason(table.at_hall(replace_message(call)))
    assert "SLIPS_HANDED_OVER" in await reason(table.ask(replace_message(call)))
    of_sud = pb.CallHallRackRequest(hall=SUD, collector_id="collector")
    assert "NO_HALL_CELL" in await reason(table.ask(of_sud))
    turn, _ = await sealed_game.call()
    await table.at_hall(
        pb.SubmitSlipsRequest(turn=turn, hall=NORD, collector_id="a", slips=[events.Slip(player_id="anna")])
    )
    await sealed_game.cut()
    assert "HALLS_OPEN" in await reason(table.at_hall(replace_message(call)))
    listed = await table.at_hall(pb.ListSlipsRequest(hall=NORD))
    assert (listed.callable_turn, listed.startable_turn) == (0, 0)
    await table.at_hall(pb.CloseHallRequest(turn=turn, hall=NORD, collector_id="a"))
    assert (await table.at_hall(pb.ListSlipsRequest(hall=NORD))).callable_turn == 2
    await table.at_hall(replace_message(call))
    assert (await table.at_hall(pb.ListSlipsRequest(hall=NORD))).startable_turn == 2
    early = pb.SubmitSlipsRequest(turn=2, hall=NORD, collector_id="a", slips=[events.Slip(player_id="anna")])
    assert "TURN_NOT_STARTED" in await reason(table.at_hall(early))


async def test_slips_for_racks_that_the_judge_has_voided_do_not_count_and_the_hall_plays_the_turn_again(
    sealed_game: Sealed,
) -> None:
    table = sealed_game.table
    first, rack = await sealed_game.call()
    await sealed_game.cut()
    await sealed_game.hand_in(first, rack, NORD)
    ahead = await sealed_game.call_here()
    await sealed_game.hand_in(*ahead, NORD)
    await sealed_game.hand_in(first, rack, SUD)
    await table.score(first, without_open_halls=True, reason="no line")
    drawn = await table.ask(pb.CallRackRequest(arbiter_id="judge", reason="the envelope was opened"))
    assert list(drawn.faces) != ahead[1]
    table.is_cut = False
    await table.ask(turns.StartTurnRequest(turn=2, arbiter_id="judge"))
    await table.sync()
    listed = await table.at_hall(pb.ListSlipsRequest(hall=NORD))
    assert (listed.turn, listed.closed) == (2, False)
    assert not any(each.typed for each in listed.players)
    sealed_game.wait()
    await sealed_game.hand_in(2, list(drawn.faces), NORD)
    await sealed_game.hand_in(2, list(drawn.faces), SUD)
    await table.score(2)
    found = {line.player_id: line.total for line in (await table.ranking()).lines}
    assert found["anna"] == found["didac"] > 0
    await sealed_game.cut()
    assert "SEAL_VOID" in await reason(table.at_hall(pb.CallHallRackRequest(hall=NORD, collector_id="a")))


async def test_a_hall_that_missed_turns_plays_them_after_the_others_and_sees_no_later_rack(sealed_game: Sealed) -> None:
    table = sealed_game.table
    await sealed_game.cut()
    played = []
    for _ in range(2):
        turn, rack = await sealed_game.call()
        await sealed_game.hand_in(turn, rack, SUD)
        await table.score(turn, without_open_halls=True, reason="no line")
        played.append((turn, rack))
    table.is_cut = False
    await table.sync()
    for turn, rack in played:
        assert await sealed_game.call_here() == (turn, rack)
        shown = await table.at_hall(pb.GetDuplicateRequest(inside=True))
        assert [each.turn for each in shown.turns] == list(range(1, turn + 1))
        assert not shown.turns[-1].HasField("master")
        await sealed_game.hand_in(turn, rack, NORD)
        await table.react_at_hall("HallClosed")
        await table.sync()
    found = {line.player_id: line.total for line in (await table.ranking()).lines}
    assert found["anna"] == found["didac"] > 0
    assert list((await table.ranking()).without_halls) == []


async def test_the_key_of_the_sealed_game_is_beside_no_event_and_in_a_file_of_its_owner(sealed_game: Sealed) -> None:
    folder = sealed_game.table.at.settings.hall_folder()
    (key,) = load_keys(folder).values()
    assert len(key) == 32
    assert (folder / GIVEN_KEYS).stat().st_mode & 0o777 == 0o600
    for cell in (sealed_game.table.at, sealed_game.table.championship):
        assert not any(key in event.payload for event in await cell.record.read(0))


HOSTILE: Sequence[tuple[str, str]] = [
    ("a player of another hall", "does not play in this hall"),
    ("points that a slip is not worth", "is not that of the slip"),
    ("a score before the turn is completed", "is not completed"),
    ("scores for some of the players", "for a part of the players"),
    ("seats", "not an event of a table in play"),
    ("the stream of another hall", "is not in this hall"),
    ("the stream of the game", "is not in the stream of a table"),
    ("a turn that was not called", "whose time has not started"),
    ("a time that the hall has not started", "that the hall has not started"),
    ("a rack without a sealed game", "has no sealed rack"),
]


@pytest.mark.parametrize(("attack", "said"), HOSTILE)
async def test_a_hostile_hall_changes_no_score(table: Table, attack: str, said: str) -> None:
    turn = await table.call()
    await table.hand_in(turn, NORD, **FIRST)
    await table.hand_in(turn, SUD, **OF_OTHERS)
    assert table.hall
    if "completed" not in attack:
        await table.sync()
        await table.ask(pb.ScoreTurnRequest(turn=turn, arbiter_id="judge"))
    last = (await table.championship.record.last_events({OF_NORD}))[OF_NORD]
    event = forge(attack, turn)
    if attack == "scores for some of the players":
        await table.hall.follow()
        completed = (await table.at.record.read_stream(game_stream(GAME)))[-1]
        await table.at.react(completed)
        event = (await table.at.record.read_stream(OF_NORD))[-1].message
        assert isinstance(event, events.TurnScored)
        del event.scores[1:]
    name = {"the stream of another hall": OF_SUD, "the stream of the game": game_stream(GAME)}.get(attack, OF_NORD)
    version, previous = last.version, last.hash
    batch = hall_pb2.HallBatch(
        tournament_id="cup", hall=NORD, epochs=[hall_pb2.TableEpoch(game_id="cup-r1-h1", epoch=1)]
    )
    if "completed" in attack:
        found = await own_batch(table.hall)
        assert found
        batch = found
        version, previous = batch.events[-1].version, batch.events[-1].hash
    batch.events.append(to_hall_event(table, event, name, version + 1, previous))
    before = await stream(table.championship, OF_NORD)
    if name != OF_NORD:
        assert said in await reason(table.hall.push(batch))
        return
    (aside,) = (await table.hall.push(batch)).aside
    assert (aside.game_id, aside.reason) == ("cup-r1-h1", hall_events.ASIDE_REASON_INVALID)
    listed = await table.championship.halls.ListKeptAside(hall_pb2.ListKeptAsideRequest(tournament_id="cup"))
    assert said in listed.aside[0].problem
    assert event.DESCRIPTOR.full_name in {each.type for each in listed.aside[0].events}
    added = (await stream(table.championship, OF_NORD))[len(before) :]
    assert event.DESCRIPTOR.full_name not in {each.type for each in added}


def forge(attack: str, turn: int) -> Message:
    """Return an event that no honest hall writes."""
    at = to_timestamp(NOW + WAIT)
    scores = [events.SlipScore(player_id=player, points=99) for player in PLAYERS[NORD]]
    match attack:
        case "points that a slip is not worth" | "a score before the turn is completed":
            return events.TurnScored(turn=turn, scores=scores, occurred_at=at)
        case "seats":
            return events.HallSeated(game_id=GAME, occurred_at=at)
        case "a turn that was not called":
            return events.HallClosed(turn=9, occurred_at=at)
        case "a time that the hall has not started":
            return events.HallClosed(turn=turn, began_at=at, occurred_at=at)
        case "a rack without a sealed game":
            return events.HallRackCalled(turn=turn, faces=RACK.split(), occurred_at=at)
        case "a player of another hall":
            slip = events.Slip(player_id="didac", coordinates="H8", word="A S")
        case _:
            slip = events.Slip(player_id="anna", coordinates="H8", word="A S")
    return events.SlipsTaken(turn=turn, source=events.SLIP_SOURCE_PAPER, collector_id="a", slips=[slip], occurred_at=at)


def to_hall_event(table: Table, event: Message, stream: str, version: int, previous: bytes) -> hall_pb2.HallEvent:
    """Return a well-formed event after another one."""
    made = hall_pb2.HallEvent(
        stream=stream,
        version=version,
        event_id=command(),
        type=event.DESCRIPTOR.full_name,
        schema_version=meaning(type(event)).version,
        tournament_id="cup",
        payload=event.SerializeToString(),
        metadata="{}",
        recorded_at=int((NOW + WAIT).timestamp() * 1e6),
    )
    made.hash = wire.to_batch([made], ()).events[0].hash_after(previous)
    return made
