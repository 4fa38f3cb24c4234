"""The read models, and how an event changes them.

One event touches at most one game, the round that it is of, the list of players and the tournament: a
``View``. What a round shows of a game, and a tournament of a round, is copied upwards, so that the three
cannot disagree. ``apply(view, event) -> view`` is pure; ``change`` is the same on messages that the caller owns,
for many events in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from google.protobuf.message import Message

from faristol.kernel import facts
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken, Unknown
from faristol.results.players import change_players
from faristol.results.rounds import change_round, concerns_rounds, mirror_game
from faristol.results.scoresheet import SHOWN, change_game
from faristol.results.tournament import change_tournament, existing, mark_rounds_after, mirror_players, mirror_round

TYPES = facts.types_of(facts.events_of(clock, game, pairing, rating))
"""Full names of every event that may come. Cases are for officials, and are not among them."""


@dataclass(slots=True)
class View:
    """What one event can touch; None where there is no such thing yet, or where the event is of none."""

    tournament: results.Tournament | None = None
    players: results.ListPlayersResponse | None = None
    round: results.GetPairingsResponse | None = None
    game: results.GetGameResponse | None = None


Part = Literal["tournament", "players", "round", "game"]


def apply(view: View, event: Message, version: int = 0) -> View:
    """The view after ``event``, which made ``version`` of its stream.

    What the event does not change stays the same object; nothing is changed in place. Raises ``Broken`` for an event
    that is not known or cannot follow.
    """
    after = View(*(_copy(part) for part in (view.tournament, view.players, view.round, view.game)))
    changed = change(after, event, version)
    for part in ("tournament", "players", "round", "game"):
        if part not in changed:
            setattr(after, part, getattr(view, part))
    return after


def change(view: View, event: Message, version: int = 0) -> set[Part]:
    """Bring ``view`` to what it is after ``event``, which made ``version`` of its stream, in place.

    Gives the parts that the event changed.

    Raises ``Broken`` for an event that is not known or cannot follow; the view is then good for nothing.
    """
    changed: set[Part]
    match _OF.get(type(event)):
        case "game":
            return _change_game(view, event)
        case "round" if concerns_rounds(event):
            teams = view.players.teams if view.players is not None else ()
            view.round = change_round(view.round, event, teams, version)
            tournament = existing(view.tournament, event)
            below = mirror_round(tournament, view.round)
            below |= mark_rounds_after(tournament, event)
            changed = {"round", "tournament"} if below else {"round"}
        case "players":
            view.players = change_players(view.players, event)
            below = mirror_players(existing(view.tournament, event), view.players)
            changed = {"players", "tournament"} if below else {"players"}
        case "tournament":
            view.tournament = change_tournament(view.tournament, event)
            changed = {"tournament"}
        case _ if event.DESCRIPTOR.full_name in TYPES:
            changed = set()
        case _:
            raise Unknown("the projection of results", event)
    return changed


_OF: dict[facts.Kind, Part] = {
    **dict.fromkeys(SHOWN, "game"),
    **dict.fromkeys(facts.that_change(options.CHANGE_TOURNAMENT), "tournament"),
    **dict.fromkeys(facts.that_change(options.CHANGE_PLAYERS), "players"),
    **dict.fromkeys(facts.that_change(options.CHANGE_ROUND), "round"),
}
"""What an event changes first; one that is not among these changes no read model."""

_SCORES = facts.that_change(options.CHANGE_SCORE)


def _change_game(view: View, event: Message) -> set[Part]:
    view.game = change_game(view.game, event)
    if view.round is None:
        raise Broken(f"{event.DESCRIPTOR.name} is of a game in a round that was not paired")
    if type(event) in _SCORES and mirror_game(view.round, view.game):
        return {"game", "round"}
    return {"game"}


def _copy(part: Any) -> Any:
    if part is None:
        return None
    copy = type(part)()
    copy.CopyFrom(part)
    return copy
