"""What a table is, and how events change it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from types import MappingProxyType

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board, Placement, Square, Tile, TurnKind, without

Instant = int
"""A moment in nanoseconds since 1970-01-01T00:00Z: all that a ``Timestamp`` says."""


def instant(timestamp: Timestamp) -> Instant:
    """``timestamp`` as a number."""
    return timestamp.ToNanoseconds()


def timestamp(at: Instant) -> Timestamp:
    """``at`` as protobuf writes it."""
    written = Timestamp()
    written.FromNanoseconds(at)
    return written


class Phase(Enum):
    """What a table waits for. The names are those of the contract's ``Phase``."""

    UNSPECIFIED = auto()
    """Its first event, or its start."""
    TURN = auto()
    """The player on turn to play, exchange or pass."""
    PLACED = auto()
    """The mover to draw, or the opponent to challenge."""
    CHALLENGED = auto()
    """A ruling."""
    DRAWN = auto()
    """The mover to press the clock."""
    ENDED = auto()
    """The clock's last word, then the signatures."""
    FINAL = auto()
    """Nothing."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A ruleset or lexicon by name and content."""

    name: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Game:
    """A table, folded from ``game-<game_id>``. The default is a table that was never set."""

    game_id: str = ""
    tournament_id: str = ""
    round: int = 0
    table: int = 0
    player_ids: tuple[str, ...] = ()
    """In the order of the pairing."""
    ruleset: Pin = field(default_factory=Pin)
    lexicon: Pin = field(default_factory=Pin)
    seed: bytes = b""
    next_draw: int = 0
    """Number of the next draw, from 0."""
    phase: Phase = Phase.UNSPECIFIED
    turn: int = 0
    """The current turn, from 1."""
    mover: str = ""
    """Who is on turn; empty before the start and after the end."""
    board: Board = field(default_factory=Board)
    """Every tile that lies there, those of a pending play among them."""
    racks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scores: Mapping[str, int] = field(default_factory=dict)
    """Running totals; after the end, with the deductions so far."""
    bag_left: int = 0
    taken: TurnKind | None = None
    """What the mover did with this turn; None while that is awaited."""
    pending: events.PlayPlaced | None = None
    """The play that awaits challenge or press. Not to be changed."""
    ruled: bool | None = None
    """How the challenge of the pending play was ruled; None where there was none or no ruling yet."""
    challenges: int = 0
    """Challenges in this game so far."""
    turns: tuple[TurnKind, ...] = ()
    """What every turn that is over came to."""
    condition: events.EndCondition.ValueType = events.END_CONDITION_UNSPECIFIED
    adjusted: frozenset[tuple[str, str]] = frozenset()
    """Which lines stand at the foot of the sheet: the player, and the name of the event."""
    signed: tuple[str, ...] = ()
    last_at: Instant = 0
    """The latest moment that any fact of this table names."""

    def opponent(self, player_id: str) -> str:
        """Who sits opposite ``player_id``."""
        first, second = self.player_ids
        return second if player_id == first else first

    @property
    def over(self) -> bool:
        """The last turn has been taken."""
        return self.phase in (Phase.ENDED, Phase.FINAL)


def evolve(game: Game, message: Message) -> Game:
    """``game`` after ``message``, a fact of its stream. Raises ``TypeError`` for any other message."""
    match message:
        case events.GameOpened():
            game = _opened(message)
        case events.StartTileDrawn():
            game = replace(game, next_draw=message.draw + 1)
        case events.StartDecided():
            pass
        case events.TilesDrawn():
            phase = Phase.DRAWN if game.phase is Phase.PLACED else game.phase
            rack = (*game.racks[message.player_id], *message.faces)
            drawn = replace(game, phase=phase, next_draw=message.draw + 1, bag_left=message.bag_left)
            game = _with_rack(drawn, message.player_id, rack)
        case events.GameStarted():
            game = replace(game, phase=Phase.TURN, turn=1, mover=message.first_player_id)
        case events.PlayPlaced():
            game = _placed(game, message)
        case events.ChallengeRaised():
            game = replace(game, phase=Phase.CHALLENGED, challenges=message.challenge)
        case events.ChallengeRuled():
            game = replace(game, phase=Phase.PLACED if message.valid else Phase.CHALLENGED, ruled=message.valid)
        case events.PlayWithdrawn():
            game = _withdrawn(game)
        case events.Exchanged():
            rack = without(game.racks[message.player_id], message.faces)
            taken = replace(game, phase=Phase.DRAWN, taken=TurnKind.EXCHANGE)
            game = _with_rack(taken, message.player_id, rack)
        case events.Passed():
            game = replace(game, phase=Phase.DRAWN, taken=TurnKind.PASS)
        case events.PlayCompleted():
            assert game.taken is not None, "a turn that was taken is completed"
            scored = replace(game, scores=MappingProxyType({**game.scores, message.player_id: message.total}))
            game = _next_turn(scored, game.taken)
        case events.GameEnded():
            game = replace(
                game, phase=Phase.ENDED, mover="", taken=None, pending=None, ruled=None, condition=message.condition
            )
        case events.RackPenalty() | events.TimePenalty():
            game = _adjusted(game, message.DESCRIPTOR.name, message.player_id, -message.points)
        case events.OutBonus():
            game = _adjusted(game, message.DESCRIPTOR.name, message.player_id, message.points)
        case events.SheetSigned():
            game = replace(game, signed=(*game.signed, message.player_id))
        case events.ResultFinal():
            game = replace(game, phase=Phase.FINAL)
        case _:
            raise TypeError(f"{message.DESCRIPTOR.full_name} is no fact of a table: expected one of faristol.game.v1")
    return replace(game, last_at=max(game.last_at, _named(message)))


def tiles_of(play: events.PlayPlaced) -> tuple[Placement, ...]:
    """The tiles of a play as the rules take them."""
    return tuple(Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in play.placements)


def _opened(opened: events.GameOpened) -> Game:
    players = tuple(opened.player_ids)
    return Game(
        game_id=opened.game_id,
        tournament_id=opened.tournament_id,
        round=opened.round,
        table=opened.table,
        player_ids=players,
        ruleset=Pin(opened.ruleset.name, opened.ruleset.digest),
        lexicon=Pin(opened.lexicon.name, opened.lexicon.digest),
        seed=opened.seed,
        racks=MappingProxyType(dict.fromkeys(players, ())),
        scores=MappingProxyType(dict.fromkeys(players, 0)),
    )


def _placed(game: Game, play: events.PlayPlaced) -> Game:
    laid = tiles_of(play)
    rack = without(game.racks[play.player_id], (tile.in_rack for _, tile in laid))
    placed = replace(
        game, phase=Phase.PLACED, taken=TurnKind.PLAY, pending=play, ruled=None, board=game.board.place(laid)
    )
    return _with_rack(placed, play.player_id, rack)


def _withdrawn(game: Game) -> Game:
    assert game.pending is not None, "a play that was placed is withdrawn"
    laid = tiles_of(game.pending)
    rack = (*game.racks[game.mover], *(tile.in_rack for _, tile in laid))
    cleared = replace(game, board=game.board.remove(square for square, _ in laid))
    return _next_turn(_with_rack(cleared, game.mover, rack), TurnKind.WITHDRAWN)


def _next_turn(game: Game, kind: TurnKind) -> Game:
    return replace(
        game,
        phase=Phase.TURN,
        turn=game.turn + 1,
        mover=game.opponent(game.mover),
        taken=None,
        pending=None,
        ruled=None,
        turns=(*game.turns, kind),
    )


def _adjusted(game: Game, line: str, player_id: str, points: int) -> Game:
    scores = {**game.scores, player_id: game.scores[player_id] + points}
    return replace(game, scores=MappingProxyType(scores), adjusted=game.adjusted | {(player_id, line)})


def _with_rack(game: Game, player_id: str, rack: tuple[str, ...]) -> Game:
    return replace(game, racks=MappingProxyType({**game.racks, player_id: rack}))


def _named(message: Message) -> Instant:
    """The moment that ``message`` names, 0 when it names none (a penalty does not)."""
    if "occurred_at" not in message.DESCRIPTOR.fields_by_name:
        return 0
    occurred_at = message.occurred_at  # type: ignore[attr-defined]
    return instant(occurred_at) if isinstance(occurred_at, Timestamp) else 0
