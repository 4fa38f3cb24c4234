"""Sanctions that arbiters imposed at tables, noted in the tournament. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.likeness import like
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.tournament.discipline.warnings import EXPULSION_WARNING_COUNT
from faristol.tournament.state import TournamentState, evolve


def with_note(imposed: Message, note: str | None) -> game_events.SanctionImposed:
    """Return the sanction of an event with the ``note`` stored beside it, if it has one.

    Without one, the sanction has the note of the event itself, as those of older versions have.
    """
    assert isinstance(imposed, game_events.SanctionImposed)
    sanction = deepcopy(imposed)
    if note is not None:
        sanction.note = note
    return sanction


def note_sanction(
    state: TournamentState, ruleset: Ruleset, game: str, version: int, imposed: game_events.SanctionImposed
) -> list[Message]:
    """Note a sanction with ``version`` in the stream of a game. It has its note, as by ``with_note``.

    Returns an empty list if it is already noted, or if the game was unpaired. A warning for conduct counts as one of
    the player (FISE 47); a warning for too many tiles on the rack counts only at its table (FISE 28).
    """
    found = state.find_game(game)
    if found is None or (game, version) in state.noted_at_tables:
        return []
    player = state.player(imposed.player_id)
    is_conduct = imposed.kind == game_events.SANCTION_KIND_WARNING and not imposed.overholding
    count = player.warnings + 1 if is_conduct and player is not None else 0
    in_points = imposed.kind == game_events.SANCTION_KIND_POINTS
    return [
        like(
            events.TableSanctionNoted,
            imposed,
            round=found[0].number,
            game_id=game,
            game_version=version,
            beside_result=in_points and ruleset.arbiter.sanction_points_from == "spread",
            count=count,
            expulsion_proposed=count >= EXPULSION_WARNING_COUNT or imposed.kind == game_events.SANCTION_KIND_EXPULSION,
        )
    ]


def note_sanctions(
    state: TournamentState, ruleset: Ruleset, game: str, imposed: Iterable[tuple[int, game_events.SanctionImposed]]
) -> tuple[TournamentState, list[Message]]:
    """Note the sanctions of a table that are not noted yet. Return the tournament after them and the events."""
    new_events: list[Message] = []
    for version, sanction in imposed:
        noted = note_sanction(state, ruleset, game, version, sanction)
        state = reduce(evolve, noted, state)
        new_events += noted
    return state, new_events
