"""The read models, and how an event changes them: ``apply(view, event) -> view``, pure.

One event touches at most one game, the round that it is of, the list of players and the tournament: a
``View``. What a round shows of a game, and a tournament of a round, is copied upwards, so that the three
cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from google.protobuf.message import Message

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results import championship, scoresheet
from faristol.results.broken import Broken

_CONTEXTS = (clock, game, pairing, rating)
"""What read models are made of. Cases are for officials, and are not among it."""

TYPES: frozenset[str] = frozenset(
    message.full_name for context in _CONTEXTS for message in context.DESCRIPTOR.message_types_by_name.values()
)
"""Full names of every event that may come. One that ``apply`` does not know stops the projection."""


@dataclass(frozen=True, slots=True)
class View:
    """What one event can touch; None where there is no such thing yet, or where the event is of none."""

    tournament: results.Tournament | None = None
    players: results.ListPlayersResponse | None = None
    round: results.GetPairingsResponse | None = None
    game: results.GetGameResponse | None = None


def apply(view: View, event: Message) -> View:
    """The view after ``event``. What the event does not change stays the same object; nothing is changed in place.

    Raises ``Broken`` for an event that is not known or cannot follow.
    """
    if isinstance(event, scoresheet.SHOWN + scoresheet.NOT_SHOWN):
        after = replace(view, game=scoresheet.apply_to_game(view.game, event))
    elif isinstance(event, championship.OF_TOURNAMENT):
        after = replace(view, tournament=championship.apply_to_tournament(view.tournament, event))
    elif isinstance(event, championship.OF_PLAYERS):
        after = replace(view, players=championship.apply_to_players(view.players, event))
    elif isinstance(event, championship.OF_ROUND):
        after = replace(view, round=championship.apply_to_round(view.round, event))
    else:
        raise Broken(f"the read models do not know the event {event.DESCRIPTOR.full_name}")
    return _copied_upwards(view, after, event)


def _copied_upwards(before: View, after: View, event: Message) -> View:
    if after.game is not before.game and after.game is not None:
        if after.round is None:
            raise Broken(f"{event.DESCRIPTOR.name} is of a game in a round that was not paired")
        after = replace(after, round=championship.mirror_game(after.round, after.game))
    tournament = championship.existing(after.tournament, event)
    if after.round is not before.round and after.round is not None:
        tournament = championship.mirror_round(tournament, after.round)
    if after.players is not before.players and after.players is not None:
        tournament = championship.mirror_players(tournament, after.players)
    return replace(after, tournament=tournament)
