"""The next steps at a table, from the commands that its services accept."""

from __future__ import annotations

from typing import Any

from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import load_ruleset
from faristol.table_terminal.table.guide import GUIDES
from faristol.table_terminal.table.offers import NEXT_VERBS, ShownTable, list_next_steps
from faristol.table_terminal.table.services import VERBS

PLAYERS = ("anna", "blai")


def show(*accepted: tuple[str, str], ruleset: str = "fise", judged: bool = False, **table: Any) -> ShownTable:
    """Build a table that accepts these methods of these players; an empty one is the arbiter."""
    sides = [game_pb2.Side(player_id=player) for player in PLAYERS]
    offers = [game_pb2.Offer(method=method, player_id=who, by_arbiter=not who) for method, who in accepted]
    shown = game_pb2.GetGameResponse(**{"phase": game_pb2.PHASE_TURN, "sides": sides, **table})
    return ShownTable(shown, clock_pb2.GetClockResponse(), load_ruleset(ruleset), offers, judged)


def test_every_next_verb_is_a_command_with_a_help_text() -> None:
    assert set(NEXT_VERBS) <= VERBS.keys() & GUIDES.keys()


def test_a_turn_is_listed_before_its_steps_and_verbs_in_the_order_of_a_turn() -> None:
    shown = show(("Pass", "anna"), ("LayTiles", "anna"), ("PlacePlay", "anna"), ("CallArbiter", "anna"))
    assert list_next_steps(shown) == [("anna", ["turn", "place-play", "pass"])]


def test_players_come_in_their_order_and_then_the_arbiter() -> None:
    shown = show(("Resume", ""), ("ImposeSanction", ""), ("WriteScore", "blai"), ("WriteScore", "anna"))
    assert list_next_steps(shown) == [("anna", ["write-score"]), ("blai", ["write-score"]), ("arbiter", ["resume"])]


def test_an_arbiter_is_assigned_before_the_game_if_the_rules_require_one() -> None:
    begin = game_pb2.PHASE_UNSPECIFIED
    assign = ("AssignArbiter", "")
    assert list_next_steps(show(assign, ruleset="pes-2024", phase=begin)) == [("arbiter", ["assign-arbiter"])]
    assert list_next_steps(show(assign, ruleset="pes-2024")) == []
    assert list_next_steps(show(assign, phase=begin)) == []


def test_an_appeal_that_a_judge_rules_on_is_not_offered_to_the_arbiter() -> None:
    phase = game_pb2.PHASE_CHALLENGED
    appealed = list_next_steps(show(("RuleAppeal", ""), phase=phase))
    assert appealed == [("judge", ["rule"]), ("arbiter", ["rule-appeal"])]
    assert list_next_steps(show(("RuleAppeal", ""), phase=phase, judged=True)) == [("judge", ["rule"])]
