"""A small championship as events, step by step: the events of the other services, without them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.kernel.details import Person
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.personal_data.people import store_players
from faristol.rules import load_ruleset
from faristol.rules.board import Board, Direction, Placement
from faristol.rules.notation import Notation, lay, read_tiles

TOURNAMENT = "lliga"
START = datetime(2026, 3, 7, 10, 0, tzinfo=UTC)
ALLOWANCE_MS = 25 * 60_000
SECRET = ("Ç", "NY", "X", "QU", "Z", "H", "?")
"""Faces that are only on racks here, so that a leak shows."""

NAMES = {
    "anna": ("Anna Puigdomènech i Casadevall", "Club Tarragona"),
    "biel": ("Biel Soler", "Club Sabadell"),
    "carme": ("Carme Riera", "Club Granollers"),
    "dolors": ("Dolors Vilanova", ""),
    "eloi": ("Eloi Ferrer", "Club Lleida"),
}

COUNTRIES = {"anna": "AND", "biel": "ESP"}
"""Countries of players, if known."""

Step = dict[str, list[Message]]
"""The streams and events of one append."""


def game_id(round_: int, table: int) -> str:
    """Return the id of a table's game."""
    return f"{TOURNAMENT}-r{round_}-t{table}"


@dataclass
class Table:
    """One game, played by a script."""

    id: str
    round: int
    table: int
    players: tuple[str, str]
    now: datetime
    board: Board = field(default_factory=Board)
    turn: int = 1
    totals: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    used: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    bag: int = 86
    draw: int = 0

    @property
    def mover(self) -> str:
        return self.players[(self.turn - 1) % 2]

    @property
    def game_stream(self) -> str:
        return f"game-{self.id}"

    @property
    def clock_stream(self) -> str:
        return f"clock-{self.id}"

    def at(self, seconds: float = 0) -> Timestamp:
        self.now += timedelta(seconds=seconds)
        stamp = Timestamp()
        stamp.FromDatetime(self.now)
        return stamp

    def open(self, ruleset: game.Pin, lexicon: game.Pin) -> Iterator[Step]:
        first, second = self.players
        yield {
            self.game_stream: [
                game.GameOpened(
                    game_id=self.id,
                    tournament_id=TOURNAMENT,
                    round=self.round,
                    table=self.table,
                    player_ids=self.players,
                    ruleset=ruleset,
                    lexicon=lexicon,
                    seed=b"s" * 32,
                    occurred_at=self.at(),
                ),
                game.StartTileDrawn(player_id=first, face="A", draw=0, occurred_at=self.at()),
                game.StartTileDrawn(player_id=second, face="C", draw=1, occurred_at=self.at()),
                game.StartDecided(player_id=first, occurred_at=self.at()),
                game.TilesDrawn(player_id=first, faces=SECRET, draw=2, bag_left=93, occurred_at=self.at()),
                game.TilesDrawn(player_id=second, faces=SECRET, draw=3, bag_left=86, occurred_at=self.at()),
                game.GameStarted(first_player_id=first, occurred_at=self.at()),
            ]
        }
        yield {
            self.clock_stream: [
                clock.ClockOpened(
                    game_id=self.id,
                    tournament_id=TOURNAMENT,
                    player_ids=self.players,
                    allowance_ms=ALLOWANCE_MS,
                    overtime_cap_ms=600_000,
                    occurred_at=self.at(),
                ),
                clock.ClockStarted(player_id=first, occurred_at=self.at()),
            ]
        }

    def place(self, start: str, tiles: str, score: int, *, bingo: bool = False) -> Step:
        where = Notation.FISC.read(start)
        word = read_tiles(tiles)
        placements = lay(self.board, where, word)
        self.board = self.board.place(placements)
        return {
            self.game_stream: [
                game.PlayPlaced(
                    turn=self.turn,
                    player_id=self.mover,
                    placements=[_placement(placement) for placement in placements],
                    words=[
                        game.ScoredWord(
                            word=game.Word(faces=[tile.face for tile in word]),
                            row=where.square.row,
                            column=where.square.col,
                            across=where.direction is Direction.ACROSS,
                            score=score,
                        )
                    ],
                    score=score,
                    bingo=bingo,
                    occurred_at=self.at(40),
                )
            ]
        }

    def refill(self, count: int) -> Step:
        self.bag -= count
        self.draw += 1
        drawn = game.TilesDrawn(
            player_id=self.mover, faces=SECRET[:count], draw=self.draw + 3, bag_left=self.bag, occurred_at=self.at(5)
        )
        return {self.game_stream: [drawn]}

    def press(self, score: int) -> Iterator[Step]:
        mover = self.mover
        self.used[mover] += 60_000
        self.totals[mover] += score
        yield {
            self.clock_stream: [
                clock.ClockPressed(player_id=mover, turn=self.turn, used_ms=self.used[mover], occurred_at=self.at(15))
            ]
        }
        yield {
            self.game_stream: [
                game.PlayCompleted(
                    turn=self.turn, player_id=mover, score=score, total=self.totals[mover], occurred_at=self.at()
                )
            ]
        }
        self.turn += 1

    def play(self, start: str, tiles: str, score: int, *, bingo: bool = False) -> Iterator[Step]:
        yield self.place(start, tiles, score, bingo=bingo)
        yield self.refill(2)
        yield from self.press(score)

    def exchange(self, count: int) -> Iterator[Step]:
        step = self.refill(0)
        step[self.game_stream].insert(
            0,
            game.Exchanged(turn=self.turn, player_id=self.mover, faces=SECRET[:count], occurred_at=self.at(20)),
        )
        yield step
        yield from self.press(0)

    def skip(self) -> Iterator[Step]:
        yield {self.game_stream: [game.Passed(turn=self.turn, player_id=self.mover, occurred_at=self.at(10))]}
        yield from self.press(0)

    def challenge(self, *, valid: bool) -> Iterator[Step]:
        """Yield the challenge of the last play by the opponent."""
        mover = self.mover
        other = self.players[self.turn % 2]
        yield {
            self.game_stream: [
                game.ChallengeRaised(turn=self.turn, challenge=1, player_id=other, occurred_at=self.at(5))
            ]
        }
        self.used[mover] += 45_000
        yield {
            self.clock_stream: [
                clock.ClockNeutralised(
                    player_id=mover,
                    reason=clock.NEUTRALISATION_REASON_CHALLENGE,
                    used_ms=self.used[mover],
                    challenge=1,
                    occurred_at=self.at(),
                )
            ]
        }
        ruled: list[Message] = [game.ChallengeRuled(turn=self.turn, challenge=1, valid=valid, occurred_at=self.at())]
        if not valid:
            ruled.append(
                game.PlayWithdrawn(
                    turn=self.turn,
                    player_id=mover,
                    reason=game.WITHDRAWAL_REASON_CHALLENGED,
                    occurred_at=self.at(),
                )
            )
            self.turn += 1
        yield {self.game_stream: ruled}
        yield {self.clock_stream: [clock.ClockResumed(player_id=mover if valid else other, occurred_at=self.at())]}

    def end(self, condition: game.EndCondition.ValueType, racks: Sequence[tuple[str, int]]) -> Iterator[Step]:
        """Yield the end of the table. Racks are (player, points left); without a rack, the player went out."""
        new_events: list[Message] = [game.GameEnded(condition=condition, occurred_at=self.at())]
        left = dict(racks)
        for player in self.players:
            if player in left:
                self.totals[player] -= left[player]
                new_events.append(game.RackPenalty(player_id=player, faces=["O", "R"], points=left[player]))
            else:
                gained = sum(left.values())
                self.totals[player] += gained
                new_events.append(game.OutBonus(player_id=player, points=gained))
        yield {self.game_stream: new_events}
        yield {
            self.clock_stream: [
                clock.ClockStopped(
                    times=[clock.SideTime(player_id=player, used_ms=self.used[player]) for player in self.players],
                    occurred_at=self.at(),
                )
            ]
        }
        first, second = self.players
        scores = [game.FinalScore(player_id=player, score=self.totals[player]) for player in self.players]
        difference = self.totals[first] - self.totals[second]
        winner = "" if difference == 0 else first if difference > 0 else second
        yield {
            self.game_stream: [
                game.SheetSigned(player_id=first, occurred_at=self.at(30)),
                game.SheetSigned(player_id=second, occurred_at=self.at(5)),
                game.ResultFinal(scores=scores, winner_id=winner, occurred_at=self.at()),
            ]
        }
        yield {
            f"tournament-{TOURNAMENT}": [
                pairing.ResultRecorded(round=self.round, game_id=self.id, scores=scores, occurred_at=self.at())
            ]
        }


def full_game(table: Table) -> Iterator[Step]:
    """Yield a game with all kinds of turns: digraph, blank, exchange, phony, challenged valid play, pass."""
    yield from table.play("H5", "F E R I R", 22)
    yield from table.play("6E", "C O L·L E G I", 31)
    yield from table.exchange(3)
    yield from table.play("J5", "T I M B A L (S)", 64, bingo=True)
    yield table.place("L7", "O R D", 12)
    yield from table.challenge(valid=False)
    yield table.place("11J", "S O L", 9)
    yield from table.challenge(valid=True)
    yield table.refill(2)
    yield from table.press(9)
    yield from table.skip()
    yield from table.end(game.END_CONDITION_OUT, [(table.players[0], 7)])


def short_game(table: Table, first: int, second: int) -> Iterator[Step]:
    """Yield a game of two plays with these scores."""
    yield from table.play("H5", "F E R I R", first)
    yield from table.play("6E", "C O L·L E G I", second)
    yield from table.end(game.END_CONDITION_SCORELESS_TURNS, [(table.players[0], 2), (table.players[1], 2)])


class Championship:
    """The whole championship: five players, so that there is a bye; two rounds are played."""

    def __init__(self) -> None:
        self.stream = f"tournament-{TOURNAMENT}"
        self.rules = load_ruleset("fisc-2023")
        self.ruleset = game.Pin(name=self.rules.name, digest=self.rules.digest)
        self.lexicon = game.Pin(name="catalan", digest="b" * 64)
        self.now = START

    def at(self) -> Timestamp:
        stamp = Timestamp()
        stamp.FromDatetime(self.now)
        return stamp

    def table(self, round_: int, table: int, first: str, second: str) -> Table:
        start = START + timedelta(hours=round_ - 1)
        return Table(game_id(round_, table), round_, table, (first, second), start)

    def create(self, rounds: int = 5) -> Iterator[Step]:
        yield {
            self.stream: [
                pairing.TournamentCreated(
                    tournament_id=TOURNAMENT,
                    name="Lliga de primavera",
                    rounds=rounds,
                    seed=b"t" * 32,
                    occurred_at=self.at(),
                ),
                pairing.RulesetPinned(ruleset=self.ruleset),
                pairing.LexiconPinned(lexicon=self.lexicon),
            ],
            f"ruleset-{self.ruleset.digest}": [
                pairing.RulesetKept(digest=self.ruleset.digest, content=self.rules.canonical)
            ],
        }
        for place, player in enumerate(NAMES):
            yield {
                self.stream: [
                    pairing.PlayerRegistered(
                        player_id=player,
                        rating=1600 - 100 * place,
                        unrated=player == "eloi",
                        occurred_at=self.at(),
                    )
                ]
            }

    def pair(self, round_: int, tables: Sequence[tuple[str, str]], bye: str) -> Iterator[Step]:
        pairings = [
            pairing.Pairing(
                table=number, game_id=game_id(round_, number), first_player_id=first, second_player_id=second
            )
            for number, (first, second) in enumerate(tables, 1)
        ]
        yield {
            self.stream: [
                pairing.RoundPaired(
                    round=round_, pairings=pairings, algorithm="swiss-1", seed=b"p" * 32, occurred_at=self.at()
                ),
                pairing.ByeAwarded(round=round_, player_id=bye),
            ]
        }

    def begin(self, round_: int) -> Iterator[Step]:
        yield {self.stream: [pairing.RoundStarted(round=round_, occurred_at=self.at())]}

    def close(self, round_: int) -> Iterator[Step]:
        yield {self.stream: [pairing.RoundClosed(round=round_, occurred_at=self.at())]}

    def first_round(self) -> Iterator[Step]:
        first, two = self.table(1, 1, "anna", "carme"), self.table(1, 2, "biel", "dolors")
        yield from self.pair(1, [first.players, two.players], "eloi")
        yield from self.begin(1)
        yield from first.open(self.ruleset, self.lexicon)
        yield from two.open(self.ruleset, self.lexicon)
        yield from full_game(first)
        yield from short_game(two, 40, 30)
        yield from self.close(1)

    def second_round(self) -> Iterator[Step]:
        first, two = self.table(2, 1, "carme", "biel"), self.table(2, 2, "eloi", "anna")
        yield from self.pair(2, [first.players, two.players], "dolors")
        yield from self.begin(2)
        yield from first.open(self.ruleset, self.lexicon)
        yield from two.open(self.ruleset, self.lexicon)
        yield from short_game(first, 25, 25)
        yield from short_game(two, 12, 50)
        yield from self.close(2)

    def finish(self) -> Iterator[Step]:
        yield {self.stream: [pairing.StandingsPublished(round=2, occurred_at=self.at())]}
        updates = [
            rating.RatingUpdated(player_id=player, before=1600 - 100 * place, after=1610 - 104 * place, games=2)
            for place, player in enumerate(NAMES)
        ]
        published = rating.RatingListPublished(tournament_id=TOURNAMENT, system="elo-1", occurred_at=self.at())
        yield {f"ratings-{TOURNAMENT}": [published, *updates]}

    def steps(self) -> Iterator[Step]:
        yield from self.create(rounds=5)
        yield from self.first_round()
        yield from self.second_round()
        yield from self.finish()


async def keep_names(record: Record) -> None:
    """Store the names beside the record."""
    async with record.writing() as connection:
        await store_players(
            connection, [Person(player, *of, COUNTRIES.get(player, "")) for player, of in NAMES.items()]
        )


async def append(record: Record, step: Step, tournament: str = TOURNAMENT) -> int:
    """Append one step; return the position of its last event."""
    return await append_all(record, [step], tournament)


async def append_all(record: Record, steps: Iterable[Step], tournament: str = TOURNAMENT) -> int:
    """Append steps in one transaction, events in their order; return the position of the last event."""
    steps = list(steps)
    last = await record.last_events({stream for step in steps for stream in step})
    versions = {stream: event.version for stream, event in last.items()}
    writes = [
        Write(stream, versions.get(stream, 0), events, tournament) for step in steps for stream, events in step.items()
    ]
    return (await record.append(Decision(writes), Metadata(actor="test"))).position


def _placement(placement: Placement) -> game.Placement:
    return game.Placement(
        row=placement.square.row, column=placement.square.col, face=placement.tile.face, blank=placement.tile.blank
    )
