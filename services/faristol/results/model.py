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
    kind = type(event)
    of = _OF.get(kind)
    if of == "game":
        return _change_game(view, event)
    changed: set[Part]
    if isinstance(event, _SANCTIONS) and not championship.takes_points(event):
        return set()
    if of == "round":
        teams = view.players.teams if view.players is not None else ()
        view.round = championship.change_round(view.round, event, teams, version)
        tournament = championship.existing(view.tournament, event)
        below = championship.mirror_round(tournament, view.round)
        below |= championship.mark_rounds_after(tournament, event)
        changed = {"round", "tournament"} if below else {"round"}
    elif of == "players":
        view.players = championship.change_players(view.players, event)
        below = championship.mirror_players(championship.existing(view.tournament, event), view.players)
        changed = {"players", "tournament"} if below else {"players"}
    elif of == "nothing":
        changed = set()
    elif of == "tournament":
        view.tournament = championship.change_tournament(view.tournament, event)
        changed = {"tournament"}
    else:
        raise Broken(f"the read models do not know the event {event.DESCRIPTOR.full_name}")
    return changed


_OF: dict[type[Message], Part | Literal["nothing"]] = {
    **dict.fromkeys(scoresheet.SHOWN + scoresheet.NOT_SHOWN, "game"),
    **dict.fromkeys(championship.OF_TOURNAMENT, "tournament"),
    **dict.fromkeys(championship.OF_PLAYERS, "players"),
    **dict.fromkeys(championship.OF_ROUND, "round"),
    **dict.fromkeys(championship.NOT_SHOWN, "nothing"),
}
"""What an event is of."""

_SANCTIONS = (pairing.PlayerSanctioned, pairing.SanctionLifted)

_NOT_SHOWN = frozenset(scoresheet.NOT_SHOWN)


def _change_game(view: View, event: Message) -> set[Part]:
    view.game = scoresheet.change_game(view.game, event)
    kind = type(event)
    if view.round is None:
        raise Broken(f"{event.DESCRIPTOR.name} is of a game in a round that was not paired")
    if kind in _NOT_SHOWN:
        return set()
    if kind in scoresheet.COUNTING and championship.mirror_game(view.round, view.game):
        return {"game", "round"}
    return {"game"}


def _copy(part: Any) -> Any:
    if part is None:
        return None
    copy = type(part)()
    copy.CopyFrom(part)
    return copy
