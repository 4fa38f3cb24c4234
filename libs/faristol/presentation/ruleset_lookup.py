"""Rules of tournaments and games, if this version knows them."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.standings.prospects import decides_by_points


def known_rules(pin: game.Pin) -> Ruleset | None:
    """Return the pinned rules; None if this version does not know them."""
    try:
        return ruleset_of(pin)
    except Refusal:
        return None


def is_of_duplicate_games(tournament: pb.Tournament | pairing.GetTournamentResponse) -> bool:
    """Check whether a tournament consists of duplicate games; False for unknown rules."""
    if mode := getattr(tournament, "mode", pb.TOURNAMENT_MODE_UNSPECIFIED):  # pairing messages have no mode
        return bool(mode == pb.TOURNAMENT_MODE_DUPLICATE)
    rules = known_rules(tournament.ruleset)
    return rules is not None and rules.game.mode == "duplicate"


def has_stages(tournament: pb.Tournament) -> bool:
    """Check whether a tournament is a knock-out, or belongs to a championship with several stages."""
    rules = known_rules(tournament.ruleset)
    is_knock_out = rules is not None and rules.championship.system == "knock-out"
    return is_knock_out or any(division.stage for division in tournament.divisions)


def has_possible_places(tournament: pb.Tournament) -> bool:
    """Check whether a tournament is being played and the points of games decide its places."""
    rules = known_rules(tournament.ruleset)
    is_played = bool(tournament.played) and not tournament.over and not tournament.team_boards
    return is_played and rules is not None and decides_by_points(rules)


def tile_values(pin: game.Pin) -> Mapping[str, int]:
    """Return the points of each face under the pinned rules; empty for unknown rules."""
    rules = known_rules(pin)
    return rules.tile_set.values if rules else {}
