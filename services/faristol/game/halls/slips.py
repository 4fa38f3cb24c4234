"""The slips of halls in duplicate games, as halls have them, send them and lose them, like tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from google.protobuf.message import Message

from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.ownership import hand_over_slips
from faristol.duplicate_game.preparation import duplicate_id
from faristol.duplicate_game.situation import Situation
from faristol.event_store import Decision, Record, Write
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.halls.plausibility import Implausible
from faristol.game.halls.slip_plausibility import find_problem
from faristol.game.halls.tables import is_in_play, load_open_tables, unfinished_games
from faristol.host.duplicate_store import (
    SLIPS,
    Loading,
    find_game,
    hall_of_stream,
    hall_stream,
    load_game,
    load_halls,
    load_situation,
    slips_name,
)
from faristol.host.ruleset_store import rules_of
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.table.views import TableTournament


@dataclass(frozen=True, slots=True)
class OwnedSlips:
    """The slips of a hall in a duplicate game, with the owner and the version of their stream."""

    game_id: str
    tournament_id: str
    number: int
    hall: Hall
    version: int
    is_over: bool = False
    """Whether the hall has no more part in the game: its results are final, or it is over and scored in the hall."""
    hides_seed: bool = True
    """Whether the opening of the game does not have its seed, so that cells of halls may copy it."""

    @property
    def name(self) -> str:
        """The name of their stream without its kind, which stands for the game of a table in batches."""
        return slips_name(self.game_id, self.number)

    @property
    def stream(self) -> str:
        """The name of their stream."""
        return hall_stream(self.game_id, self.number)


async def load_slips(record: Record, tournament: TableTournament, hall: str) -> list[OwnedSlips]:
    """Load the slips of a hall in the duplicate games of a tournament that have been opened; none if it has tables."""
    if any(tournament.pairings.values()):
        return []
    found: list[OwnedSlips] = []
    for number in sorted(tournament.pairings):
        game = (await find_game(record, duplicate_id(tournament.tournament_id, number))).state
        for hall_number, loaded in (await load_halls(record, game, (hall,))).items():
            unscored = [turn for turn in game.turns if turn.completed and not loaded.state.turn(turn.number).scores]
            is_over = game.validated or (bool(game.end) and not unscored)
            found.append(
                OwnedSlips(
                    game.game_id,
                    game.tournament_id,
                    hall_number,
                    loaded.state,
                    loaded.version,
                    is_over,
                    game.hides_seed,
                )
            )
    return found


def is_played(slips: OwnedSlips, key: bytes) -> bool:
    """Check whether the hall with this key has slips of a game in play."""
    return slips.hall.owner_key == key and not slips.is_over


async def list_played(record: Record, tournament: TableTournament, hall: str, key: bytes) -> list[str]:
    """Return the games in play that the hall with this key has: of its tables, and duplicate games."""
    tables = await load_open_tables(record, unfinished_games(tournament, hall))
    slips = await load_slips(record, tournament, hall)
    return sorted(
        [
            *(game_id for game_id, settled in tables.items() if is_in_play(settled, key)),
            *(each.game_id for each in slips if is_played(each, key)),
        ]
    )


def decide_hand_over(slips: OwnedSlips, key: bytes, at: Instant) -> list[Message]:
    """Return the event that hands slips over to the cell of their hall; none if it has them.

    Raises ``Refusal`` for a game that opened before the first cell of a hall joined: its seed is on its stream.
    """
    if not slips.hides_seed:
        raise Refusal(
            "GAME_SEED_STORED",
            N_(
                "The game {game} started before a hall had its own computer: its slips stay with the championship. "
                "The next game is handed over when it starts."
            ),
            {"game": slips.game_id},
        )
    return hand_over_slips(slips.hall, key, at)


def decide_each_slips(
    slips: Sequence[OwnedSlips], decide: Callable[[OwnedSlips], Sequence[Message]]
) -> tuple[Decision, list[str]]:
    """Return the decisions on slips as one, and the duplicate games that they change."""
    decided = [(each, decide(each)) for each in slips]
    writes = [Write(each.stream, each.version, events, each.tournament_id) for each, events in decided if events]
    return Decision(writes), [each.game_id for each, events in decided if events]


@dataclass(frozen=True, slots=True)
class PushedSlips:
    """The slips of a hall to which a batch adds events."""

    situation: Situation
    number: int
    version: int

    @property
    def hall(self) -> Hall:
        """The hall."""
        return self.situation.halls[self.number]

    @property
    def stream(self) -> str:
        """The name of their stream."""
        return hall_stream(self.situation.game.game_id, self.number)

    def after(self, new_events: Sequence[Message]) -> PushedSlips:
        """Return the slips after events, which are not checked."""
        return replace(self, situation=self.situation.after([(self.number, event) for event in new_events]))

    def check(self, new_events: Sequence[Message]) -> None:
        """Check the events that a hall sends. Raises ``Implausible`` for one that no honest hall writes."""
        situation = self.situation
        if not new_events:
            return
        for place, event in enumerate(new_events):
            if problem := find_problem(situation, situation.halls[self.number], event):
                raise Implausible(place, problem)
            situation = situation.after([(self.number, event)])
        hall = situation.halls[self.number]
        for number, turn in hall.turns.items():
            if turn.scores and turn.scores.keys() != hall.seats.keys():
                raise Implausible(len(new_events) - 1, f"turn {number} is scored for a part of the players")


async def load_pushed(
    record: Record, lexicons: Lexicons, names: Collection[str], at: Instant
) -> Mapping[str, PushedSlips]:
    """Load the slips with these names, which no table has; unknown ones are omitted.

    Raises ``Refusal`` if the rules or the lexicon of a game are unavailable.
    """
    found: dict[str, PushedSlips] = {}
    for name in names:
        game_id, number = hall_of_stream(f"{SLIPS}{name}")
        game = (await find_game(record, game_id)).state
        hall = next((each for each in game.halls if each.number == number), None)
        if hall is None:
            continue
        loading = await _load_hall(record, lexicons, game_id, hall.name, at)
        found[name] = PushedSlips(loading.situation, number, loading.versions[number])
    return found


async def _load_hall(record: Record, lexicons: Lexicons, game_id: str, hall: str, at: Instant) -> Loading:
    loaded = await load_game(record, game_id)
    ruleset = await rules_of(record, loaded.state.ruleset)
    words = lexicons.words(loaded.state.lexicon, ruleset)
    return await load_situation(record, loaded, words, max(at, loaded.state.last_at), (hall,))
