"""The read models in memory, and how an event changes them. Pure.

``fold`` applies an event to the rows that it touches: those of one table, or those of a tournament. The projection
stores the rows in tables. Answers as of a moment are folded from the record by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from google.protobuf.message import Message

from faristol.consumers import CannotTake
from faristol.event_store import Recorded
from faristol.kernel import event_types
from faristol.kernel.topics import place_of
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.clock.v1 import turn_events_pb2 as turns
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.pairing.v1 import registration_events_pb2 as registration
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.read_models.projections import rounds, scoresheet, waits
from faristol.read_models.projections.championship import Broken, Championship, Unknown
from faristol.read_models.projections.clocks import CLOCK_HANDLERS
from faristol.read_models.projections.lists import (
    BROADCAST_HANDLERS,
    HALL_HANDLERS,
    MESSAGE_HANDLERS,
    SCREEN_HANDLERS,
)
from faristol.read_models.projections.players import PLAYER_HANDLERS
from faristol.read_models.projections.rounds import RANKED, RESULT_HANDLERS, ROUND_HANDLERS
from faristol.read_models.projections.tournament import TOURNAMENT_HANDLERS, WITH_WORDS, build_championship
from faristol.read_models.storage.rows import Game, Ruleset, Seat, Sheet

PROJECTED_TYPES = event_types.types_of(
    (
        *event_types.events_of(clock, turns, game_events, duplicate, pairing, rating),
        *HALL_HANDLERS,
        registration.RegistrationSet,
    )
)
"""Full names of all events that may arrive. Cases are only for officials and are not included."""

CHANGING = event_types.types_that_change(
    options.CHANGE_TOURNAMENT,
    options.CHANGE_PLAYERS,
    options.CHANGE_ROUND,
    options.CHANGE_SHEET,
    options.CHANGE_INCIDENTS,
    options.CHANGE_CLOCKS,
    options.CHANGE_WAITS,
    options.CHANGE_SCREENS,
    options.CHANGE_BROADCAST,
)
"""Events that change read models."""

_SCORES = event_types.types_that_change(options.CHANGE_SCORE)

EVERY_ROUND_NUMBER = 0
"""In place of a round: the rounds add the same to the standings, but all standings may change."""

WHOLE_ROUND = ""
"""In place of a game: all games of its round."""

Stale = dict[int, set[str]]
"""Changed games, by their round. The standings after that round and all later ones are to be recomputed. See
``EVERY_ROUND_NUMBER`` and ``WHOLE_ROUND``.
"""


@dataclass(slots=True)
class State:
    """Rows in memory. A row that is not here does not exist."""

    championships: dict[str, Championship] = field(default_factory=dict)
    """By tournament."""
    games: dict[str, Game] = field(default_factory=dict)
    """By id; those of the rounds."""
    rulesets: dict[str, Ruleset] = field(default_factory=dict)
    """By digest."""
    taken_back: list[tuple[str, int]] = field(default_factory=list)
    """Tournaments and rounds whose pairing was withdrawn: all rows of the round are deleted."""
    stale: dict[str, Stale] = field(default_factory=dict)
    """Standings to recompute, by tournament."""

    def apply(self, events: Iterable[Recorded]) -> None:
        """Apply events in the order of their positions. Raises ``CannotTake`` for one that cannot be applied."""
        for event in events:
            try:
                fold(self, event)
            except Exception as error:  # any failure means that this event cannot be applied
                raise CannotTake(event, error) from error


def fold(state: State, event: Recorded) -> None:
    """Apply an event to ``state``. Raises ``Broken`` for one that cannot follow."""
    kind = type(event.message)
    if (apply := FOLDS.get(kind)) is not None:
        apply(state, event)
    elif kind in CHANGING or kind.DESCRIPTOR.full_name not in PROJECTED_TYPES:
        raise Unknown("the projection of results", event.message)
    if kind in RANKED:
        game_id = event_types.game_of(event.message) if kind in RESULT_HANDLERS else WHOLE_ROUND
        _mark(state, event, event_types.round_of(event.message), game_id)
    elif kind in _RANKED_FROM_FIRST:
        _mark(state, event, EVERY_ROUND_NUMBER)


def _mark(state: State, event: Recorded, round_: int, game_id: str = WHOLE_ROUND) -> None:
    state.stale.setdefault(event.tournament, {}).setdefault(round_, set()).add(game_id)
    state.championships[event.tournament].tournament.ranked_at = event.position


_RANKED_FROM_FIRST = frozenset((pairing.RulesetPinned, pairing.RoundsChanged, pairing.PlayersQualified))
"""Events after which all standings of a tournament may change."""


# --- tables --------------------------------------------------------------------------------------------------------


def game_of(event: Recorded) -> str:
    """Return the game of an event of a table or a clock; empty for events of the tournament."""
    return _game_of(event.stream)


@lru_cache(maxsize=4_096)
def _game_of(stream: str) -> str:
    kind, _, game_id = stream.partition("-")
    return game_id if kind in {"game", "clock"} else ""


def tournament_of(game_id: str) -> str:
    """Return the tournament of a game by the id that its pairing assigned; empty for any other id."""
    return place_of(game_id)[0]


def _find_paired_game(state: State, event: Recorded) -> Game:
    try:
        return state.games[game_of(event)]
    except KeyError:
        name = event.message.DESCRIPTOR.name
        raise Broken(f"{name} is of a game that was not opened") from None


def _find_open_table(state: State, event: Recorded) -> tuple[Game, Sheet]:
    game = _find_paired_game(state, event)
    if game.sheet is None:
        raise Broken(f"{event.message.DESCRIPTOR.name} is of a game that was not opened")
    return game, game.sheet


def _open(state: State, event: Recorded) -> None:
    assert isinstance(event.message, game_events.GameOpened)
    scoresheet.open_table(_find_paired_game(state, event), event.message)


def _note(state: State, event: Recorded) -> None:
    game, sheet = _find_open_table(state, event)
    change_table(game, sheet, event.message)


def change_table(game: Game, sheet: Sheet, event: Message) -> None:
    """Apply an event of a game or its clock to its table and to the result that the tournament shows."""
    kind = type(event)
    if (wait := waits.WAIT_HANDLERS.get(kind)) is not None:
        wait(sheet, event)
    if (tick := CLOCK_HANDLERS.get(kind)) is not None:
        tick(game, sheet, event)
    elif (change := scoresheet.FOLDS.get(kind)) is not None:
        change(game, sheet, event)
        if kind in _SCORES:
            rounds.mirror(game)


def table_of(events: Iterable[Message]) -> Game | None:
    """Return a table from the events of its game and its clock; None before it is opened."""
    game: Game | None = None
    for event in events:
        if isinstance(event, game_events.GameOpened):
            seats = [
                Seat(event.game_id, place, event.tournament_id, event.round, player_id)
                for place, player_id in enumerate(event.player_ids)
            ]
            game = Game(event.game_id, event.tournament_id, event.round, table=event.table, seats=seats)
            scoresheet.open_table(game, event)
        elif game is not None and game.sheet is not None:
            change_table(game, game.sheet, event)
    return game


# --- tournaments ---------------------------------------------------------------------------------------------------


def _championship(state: State, event: Recorded) -> Championship:
    try:
        return state.championships[event.tournament]
    except KeyError:
        name = event.message.DESCRIPTOR.name
        raise Broken(f"{name} is of a tournament that was not created") from None


def _create(state: State, event: Recorded) -> None:
    assert isinstance(event.message, pairing.TournamentCreated)
    state.championships[event.tournament] = build_championship(event.message)


def _note_position(state: State, event: Recorded) -> None:
    setattr(_championship(state, event).tournament, WITH_WORDS[type(event.message)], event.position)


_WITH_POSITION = {**MESSAGE_HANDLERS, **SCREEN_HANDLERS, **HALL_HANDLERS, **BROADCAST_HANDLERS}


def _change_at_position(state: State, event: Recorded) -> None:
    _WITH_POSITION[type(event.message)](_championship(state, event).tournament, event.message, event.position)


def _change_tournament(state: State, event: Recorded) -> None:
    TOURNAMENT_HANDLERS[type(event.message)](_championship(state, event).tournament, event.message)


def _change_players(state: State, event: Recorded) -> None:
    of = _championship(state, event)
    before, left = of.tournament.players, _find_absence_round(of, event.message)
    PLAYER_HANDLERS[type(event.message)](of, event.message)
    if isinstance(event.message, _LEAVES_OR_RETURNS):
        # The rules can annul the games of a player who left: recompute from the player's last round on.
        _mark(state, event, max(1, max(left, _find_absence_round(of, event.message)) - 1))
    if of.tournament.players != before or isinstance(event.message, _TEAMS_COME_AND_GO):
        _mark(state, event, EVERY_ROUND_NUMBER)


_LEAVES_OR_RETURNS = (pairing.PlayerWithdrawn, pairing.PlayerReinstated)


def _find_absence_round(of: Championship, message: Message) -> int:
    """Return the first round for which the player of an event is absent; 0 if there is no such round."""
    player = of.players.get(getattr(message, "player_id", ""))
    return 0 if player is None else player.withdrawn_round


_TEAMS_COME_AND_GO = (pairing.TeamRegistered, pairing.TeamWithdrawn, pairing.TeamReinstated)


def _change_round(state: State, event: Recorded) -> None:
    of, number = _championship(state, event), event_types.round_of(event.message)
    ROUND_HANDLERS[type(event.message)](of, event.message)
    if isinstance(event.message, pairing.RoundUnpaired | pairing.RoundUnpublished):
        for game in [each for each in state.games.values() if (each.tournament_id, each.round) == (of.id, number)]:
            del state.games[game.game_id]
        state.taken_back.append((of.id, number))
    elif isinstance(event.message, pairing.RoundStarted) and of.tournament.team_boards:
        _mark(state, event, number)  # boards won without a game are public from now on
    elif isinstance(event.message, pairing.RoundPaired):
        state.games.update((game.game_id, game) for game in of.rounds[number].games)


def _change_result(state: State, event: Recorded) -> None:
    if rounds.takes_no_points(event.message):
        return
    game_id = event_types.game_of(event.message)
    game = state.games.get(game_id)
    if game is None:
        raise Broken(f"game {game_id!r} is not paired in round {event_types.round_of(event.message)}")
    rounds.change_result(_championship(state, event), game, event.message, event.version)


def _apply_ruleset_kept(state: State, event: Recorded) -> None:
    assert isinstance(event.message, pairing.RulesetKept)
    state.rulesets[event.message.digest] = Ruleset(event.message.digest, event.message.content)


FOLDS: Mapping[type[Message], Callable[[State, Recorded], None]] = {
    game_events.GameOpened: _open,
    **dict.fromkeys((*scoresheet.FOLDS, *CLOCK_HANDLERS, *waits.WAIT_HANDLERS), _note),
    pairing.TournamentCreated: _create,
    pairing.RulesetKept: _apply_ruleset_kept,
    **dict.fromkeys(TOURNAMENT_HANDLERS, _change_tournament),
    **dict.fromkeys(WITH_WORDS, _note_position),
    **dict.fromkeys(_WITH_POSITION, _change_at_position),
    **dict.fromkeys(PLAYER_HANDLERS, _change_players),
    **dict.fromkeys(ROUND_HANDLERS, _change_round),
    **dict.fromkeys(RESULT_HANDLERS, _change_result),
}
"""The effect of each event. Other events change no read model: their results arrive as other events."""
