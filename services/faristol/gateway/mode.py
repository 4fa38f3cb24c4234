"""The rules of tournaments and games, as far as this version knows them."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules import Ruleset


def known_rules(pin: game.Pin) -> Ruleset | None:
    """The rules that are pinned; None when this version does not know them."""
    try:
        return ruleset_of(pin)
    except Refusal:
        return None


def is_of_duplicate_games(tournament: pb.Tournament | pairing.GetTournamentResponse) -> bool:
    """Whether the rounds of a tournament are duplicate games; not where this version does not know its rules."""
    if mode := getattr(tournament, "mode", pb.TOURNAMENT_MODE_UNSPECIFIED):  # that of the pairing service has none
        return bool(mode == pb.TOURNAMENT_MODE_DUPLICATE)
    rules = known_rules(tournament.ruleset)
    return rules is not None and rules.game.mode == "duplicate"


def tile_values(pin: game.Pin) -> Mapping[str, int]:
    """Points of each face under the rules that are pinned; nothing when this version does not know them."""
    rules = known_rules(pin)
    return rules.tile_set.values if rules else {}
