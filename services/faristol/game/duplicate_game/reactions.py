"""Reactions of duplicate games: a game opens at the start of its round, and the cell of a hall scores its slips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from google.protobuf.message import Message

from faristol.consumers import Reaction
from faristol.duplicate_game.decide.turn_scores import score_own_slips
from faristol.duplicate_game.game import Duplicate, Embargo, evolve
from faristol.duplicate_game.preparation import Prepared, duplicate_id
from faristol.duplicate_game.start import Cells, derive_game_seed, open_duplicate
from faristol.event_store import Decision, Guard, Record, Recorded, load
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.halls.model import Halls, halls_stream
from faristol.game.halls.model import evolve as evolve_halls
from faristol.host.duplicate_store import (
    GAME,
    build_game_opening,
    find_game,
    game_stream,
    hall_of_stream,
    load_game,
    load_prepared,
    load_situation,
)
from faristol.host.ruleset_store import rules_of
from faristol.kernel.event_types import set_occurred_at, types_of
from faristol.kernel.pins import Pin
from faristol.kernel.times import instant, to_timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Entrants:
    """The input of a duplicate game from its tournament, folded from ``tournament-<tournament_id>``."""

    tournament_id: str = ""
    seed: bytes = b""
    ruleset: Pin = field(default_factory=Pin)
    lexicon: Pin = field(default_factory=Pin)
    players: Mapping[str, None] = field(default_factory=dict)
    """Player ids, in the order of entry."""
    halls: tuple[tuple[str, int], ...] = ()
    """Names of halls with their seats; the last hall takes all players left."""
    rounds: int = 0
    """Number of rounds."""
    started: frozenset[int] = frozenset()
    """The started rounds."""


def watch(entrants: Entrants, event: Message) -> Entrants:
    """Apply an event of the tournament. Events that duplicate games do not depend on are ignored."""
    match event:
        case pairing_events.TournamentCreated():
            return replace(entrants, tournament_id=event.tournament_id, seed=event.seed, rounds=event.rounds)
        case pairing_events.RoundStarted():
            return replace(entrants, started=entrants.started | {event.round})
        case pairing_events.RulesetPinned():
            return replace(entrants, ruleset=Pin.of(event.ruleset))
        case pairing_events.LexiconPinned():
            return replace(entrants, lexicon=Pin.of(event.lexicon))
        case pairing_events.PlayerRegistered() | pairing_events.LateEntryAdmitted() | pairing_events.PlayerReinstated():
            return replace(entrants, players={**entrants.players, event.player_id: None})
        case pairing_events.PlayerWithdrawn():
            players = {player: None for player in entrants.players if player != event.player_id}
            return replace(entrants, players=players)
        case pairing_events.HallsSet():
            return replace(
                entrants, halls=tuple((hall.name, hall.last_table - hall.first_table + 1) for hall in event.halls)
            )
    return entrants


def assign_halls(entrants: Entrants) -> Mapping[str, Sequence[str]]:
    """Return the players of each hall, up to its seats, in the order of entry. The last hall takes all players left."""
    players = list(entrants.players)
    if not entrants.halls:
        return {"": players}
    found: dict[str, Sequence[str]] = {}
    *before, (last, _) = entrants.halls
    for name, seats in before:
        found[name], players = players[:seats], players[seats:]
    found[last] = players
    return found


async def open_game(record: Record, event: Recorded, ruleset: Ruleset) -> Decision | None:
    """Return the decision that opens the duplicate game of a started round, or None if it is already open."""
    started = event.message
    assert isinstance(started, pairing_events.RoundStarted)
    entrants = (await load(record, event.stream, Entrants(), watch)).state
    game_id = duplicate_id(entrants.tournament_id, started.round)
    if ruleset.game.mode != "duplicate" or await record.read_stream(game_stream(game_id)):
        return None
    halls = await load(record, halls_stream(entrants.tournament_id), Halls(), evolve_halls)
    cells = Cells({hall: joined.key for hall, joined in halls.state.joined.items()}, halls.state.draw_salt)
    new_events = open_duplicate(
        entrants.tournament_id,
        started.round,
        entrants.seed,
        (entrants.ruleset, entrants.lexicon),
        assign_halls(entrants),
        instant(started.occurred_at),
        await _load_prepared_game(record, game_id),
        await _before(record, entrants.tournament_id, started.round),
        cells,
    )
    guard = Guard(halls_stream(entrants.tournament_id), halls.version)
    return Decision(build_game_opening(entrants.tournament_id, game_id, new_events), [guard])


async def find_hidden_seed(record: Record, game: Duplicate) -> bytes:
    """Return the seed of a game that its events do not have; empty if they have it, and for a hall cell."""
    if game.seed or not game.hides_seed or record.owner_key:
        return b""
    entrants = (await load(record, f"tournament-{game.tournament_id}", Entrants(), watch)).state
    halls = (await load(record, halls_stream(game.tournament_id), Halls(), evolve_halls)).state
    return derive_game_seed(entrants.seed, halls.draw_salt, game.game_id)


def scoring(record: Record, lexicons: Lexicons, now: Callable[[], datetime]) -> Reaction:
    """Build the reaction of a hall cell that scores its slips when their turn is completed in the championship.

    A hall that closes a completed turn, or rules on its last slip, is scored at once.
    """

    async def score(event: Recorded) -> Decision | None:
        assert isinstance(event.message, events.TurnCompleted | events.HallClosed | events.SlipRuled)
        game_id = hall_of_stream(event.stream)[0] or event.stream.removeprefix(GAME)
        loaded = await load_game(record, game_id)
        ruleset = await rules_of(record, loaded.state.ruleset)
        at = max(instant(to_timestamp(now())), loaded.state.last_at)
        loading = await load_situation(record, loaded, lexicons.words(loaded.state.lexicon, ruleset), at)
        situation = loading.situation
        own = [hall for hall in situation.halls.values() if situation.is_own(hall)]
        new_events = [event for hall in own for event in score_own_slips(situation, hall)]
        set_occurred_at([event for _, event in new_events], at)
        return loading.decision(new_events) if new_events else None

    return Reaction("game.score", types_of((events.TurnCompleted, events.HallClosed, events.SlipRuled)), score)


async def _load_prepared_game(record: Record, game_id: str) -> Prepared:
    """Return the prepared game, without an embargo that is already lifted in the game it replays."""
    prepared = (await load_prepared(record, game_id)).state
    if prepared.embargo is None or await _holds(record, game_id, prepared.embargo):
        return prepared
    return replace(prepared, embargo=None)


async def _holds(record: Record, game_id: str, embargo: Embargo) -> bool:
    """Check whether an embargo is in force at its first game."""
    first = embargo.game_ids[0]
    return first == game_id or (await find_game(record, first)).state.is_embargoed


async def _before(record: Record, tournament_id: str, round_: int) -> Duplicate | None:
    """Return the game of the round before, or None if the record has none."""
    loaded = await load(record, game_stream(duplicate_id(tournament_id, round_ - 1)), Duplicate(), evolve)
    return loaded.state if loaded.version else None
