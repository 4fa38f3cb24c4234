"""Values of omitted arguments and options: rules that the catalogue names in braces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from faristol.cli.client import ServiceClient
from faristol.pb.game.v1 import duplicate_pb2 as duplicate
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.tournament_commands import Command
from faristol.table_terminal.shared.names import TournamentNames


class Omission(NamedTuple):
    """Command line that omits a value."""

    given: Mapping[str, Any]
    """Parameters of the command line, by the names of their fields."""
    known: TournamentNames | None
    """Tournament of the command; None for commands that are not of the pairing service."""
    client: ServiceClient

    def round_in(self, phase: pairing.RoundPhase.ValueType) -> int:
        """Return the first round in a phase, by default the last one paired. Raises ``Unclear`` without one."""
        assert self.known is not None, "only a round of a tournament that there is can be left out"
        played = self.known.tournament.played
        return next((entry.round for entry in played if entry.phase == phase), 0) or self.known.round().round

    def round_to_unpair(self) -> int:
        """Return the round that is paired and not started; else the next one, which may be a draft."""
        assert self.known is not None, "only a round of a tournament that there is can be left out"
        played = self.known.tournament.played
        paired = (entry.round for entry in played if entry.phase == pairing.ROUND_PHASE_PAIRED)
        return next(paired, len(played) + 1)


class Rule(NamedTuple):
    """Rule for an omitted value."""

    help: str
    """Text that follows the help of the field."""
    value: Callable[[Omission], Any]


RULES: Mapping[str, Rule] = {
    "{next}": Rule("Default: the next round.", lambda at: len(at.known.tournament.played) + 1 if at.known else 0),
    "{paired}": Rule(
        "Default: the round that is paired and not started.", lambda at: at.round_in(pairing.ROUND_PHASE_PAIRED)
    ),
    "{unstarted}": Rule(
        "Default: the round that is paired and not started, or the draft.", lambda at: at.round_to_unpair()
    ),
    "{started}": Rule("Default: the round being played.", lambda at: at.round_in(pairing.ROUND_PHASE_STARTED)),
    "{last}": Rule("Default: the last one paired.", lambda at: at.round_in(pairing.ROUND_PHASE_UNSPECIFIED)),
    "{judges}": Rule("Default: 3 for a panel.", lambda at: 3 if at.given.get("mode") == "panel" else None),
    "{called}": Rule(
        "Default: the last one called.", lambda at: len(load_duplicate(at.given["game_id"], at.client).turns)
    ),
    "{scored}": Rule(
        "Default: the last one scored.", lambda at: last_scored(load_duplicate(at.given["game_id"], at.client))
    ),
    "{of-player}": Rule(
        "Default: that of the player.",
        lambda at: load_sheet(at.given["game_id"], at.client, player_id=at.given["player_id"]).hall.name,
    ),
    "{with-reason}": Rule("", lambda at: bool(at.given.get("reason"))),
}


def add_defaults(
    act: Command, given: Mapping[str, Any], known: TournamentNames | None, client: ServiceClient
) -> dict[str, Any]:
    """Add the values of omitted fields. Raises ``StartError`` if a service is unreachable."""
    at = Omission(given, known, client)
    omitted = {name: value for name, value in act.defaults.items() if not given.get(name)}
    return {**given, **{name: RULES[value].value(at) if value in RULES else value for name, value in omitted.items()}}


def load_duplicate(game_id: str, client: ServiceClient) -> duplicate.GetDuplicateResponse:
    """Load a duplicate game as its officials see it."""
    return client.answer_to(duplicate.GetDuplicateRequest(game_id=game_id, inside=True))


def load_sheet(
    game_id: str, client: ServiceClient, *, hall: str = "", player_id: str = ""
) -> duplicate.GetHallSheetResponse:
    """Load the sheet of a hall, by its name or one of its players, as its officials see it."""
    request = duplicate.GetHallSheetRequest(game_id=game_id, hall=hall, player_id=player_id, inside=True)
    return client.answer_to(request)


def last_scored(game: duplicate.GetDuplicateResponse) -> int:
    """Return the last scored turn; without one, the last one called."""
    return max((turn.turn for turn in game.turns if turn.scored), default=len(game.turns))
