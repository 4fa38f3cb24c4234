"""Contradicting values are reported with their keys, and compatible values are accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from faristol.rules import Ruleset, load_ruleset, ruleset_names
from faristol.rules.ruleset.consistency import clash_of_teams, contradictions
from faristol.rules.ruleset.sections import NOBODY_MEETS

FISC, PES, BOX, FESTA = (load_ruleset(name) for name in ("fisc-2023", "pes-2024", "box", "festa-major"))
Changes = Mapping[str, Any]


def change_rules(rules: Ruleset, changes: Changes) -> Ruleset:
    """Return ``rules`` with other values of ``section.key``."""
    for key, value in changes.items():
        section, name = key.split(".")
        rules = replace(rules, **{section: replace(getattr(rules, section), **{name: value})})
    return rules


def problems(rules: Ruleset, changes: Changes) -> list[str]:
    """Return the keys at which ``rules`` contradict themselves with other values."""
    return [key for key, _ in contradictions(change_rules(rules, changes))]


@pytest.mark.parametrize("name", ruleset_names())
def test_no_book_contradicts_itself(name: str) -> None:
    assert problems(load_ruleset(name), {}) == []


THREE = {"game.mode": "multi", "game.players_max": 3, "game.turn_direction": "left"}
OF_SEVERAL = {"lateness.loses_with": "arbiter", "lateness.loses_after_minutes": None}
STOPPED = {"turn.steps": ("place", "stop", "write", "draw", "press"), "clock.stopped_by_mover": True}
STANDING = {"clock.runs_while_counting": False, "clock.runs_while_drawing": False}
NO_CLOCK = {
    "clock.model": "none",
    "clock.minutes": None,
    "clock.overtime_points": 0,
    "clock.overtime_cap_minutes": None,
    "turn.steps": ("place", "write", "draw"),
    "turn.complete_on": "draw",
}
PER_TURN = {**NO_CLOCK, "clock.model": "per-turn", "clock.turn_seconds": 1, "clock.turn_timeout": "turn-lost"}

SOUND: list[tuple[Ruleset, Changes]] = [
    (FISC, {**THREE, **OF_SEVERAL}),
    (FISC, {"game.mode": "multi"}),
    (FISC, {"game.turn_direction": "left"}),
    (FISC, {"lateness.loses_with": "arbiter", "lateness.loses_after_minutes": None}),
    (FISC, {"absence.untold": "game-lost"}),
    (FISC, {"absence.loses_with": "own-time-or-round"}),
    (FISC, {"absence.played_meanwhile": "questioned-on-return"}),
    (FISC, {"game.rack_size": 50}),
    (FISC, {"game.rack_size": 1, "exchange.max": 1, "first_move.tiles_min": 1}),
    (FISC, {"first_move.tiles_min": 1}),
    (FISC, {"first_move.tiles_min": 7}),
    (FISC, {**STOPPED, **STANDING, "touch.rule": "free-until-clock", "touch.line_fixed_by_first_tile": False}),
    (FISC, {**STOPPED, **STANDING, "blank.fixed_on": "clock-stopped", "exchange.stops_clock": True}),
    (FISC, {**STOPPED, **STANDING, "challenge.opens_on": "clock-stopped"}),
    (FISC, {"turn.written_by": "both", "turn.complete_on": "both-written"}),
    (FISC, {"turn.complete_on": "draw"}),
    (FISC, {"touch.line_fixed_by_first_tile": False}),
    (FISC, {"touch.rule": "until-announced", "touch.line_fixed_by_first_tile": False}),
    (FISC, {"exchange.max": 1}),
    (FISC, {"exchange.illegal": "reveal-and-choose", "exchange.limit": "seven-in-bag"}),
    (FISC, {"free_exchange.allowed": True, "free_exchange.when": "first-turn", "free_exchange.unfounded": "turn-lost"}),
    (FISC, {"passing.cannot_play": True, "passing.allowed": "empty-bag"}),
    (FISC, {"overdraw.expulsion_after_in_game": 1, "overdraw.expulsion_after_in_tournament": 1}),
    (FISC, {"overdraw.expulsion_after_in_tournament": 0}),
    (FISC, {"overdraw.expulsion_after_in_game": 1}),
    (FISC, {"found_tiles.rule": "back", "found_tiles.out_at": 7}),
    (FISC, {"clock.minutes": 1}),
    (FISC, {"clock.minutes": None}),
    (FISC, NO_CLOCK),
    (FISC, PER_TURN),
    (FISC, {"clock.resumed_on": "pressed", "clock.neutralised_by": ()}),
    (FISC, {"clock.neutralised_by": ("challenge",)}),
    (FISC, {**STANDING}),
    (FISC, {"clock.runs_while_drawing": False}),
    (FISC, {"clock.overtime_points": 1}),
    (FISC, {"clock.overtime_points": 0, "clock.overtime_cap_minutes": None}),
    (FISC, {"round_time.minutes": 60}),
    (FISC, {"round_time.twice_the_clock": True}),
    (FISC, {"round_time.rule": "none"}),
    (FISC, {"lateness.counted_from": "draw", "lateness.long_break_minutes": 60}),
    (FISC, {"challenge.appeal_by": "none", "challenge.rulings_max": 1}),
    (FISC, {"challenge.closes_on": "press"}),
    (FISC, {"challenge.closes_on": "both-write", "turn.written_by": "both"}),
    (FISC, {"challenge.closes_on": "challenger-writes", "turn.written_by": "both"}),
    (FISC, {"challenge.free_invalid": 0, "challenge.penalty": 5}),
    (FISC, {"challenge.free_invalid": 0}),
    (FISC, {"challenge.penalty_unit": "word", "challenge.ruling": "word"}),
    (FISC, {"challenge.by": "nobody"}),
    (FISC, {"challenge.unfounded_loses_turn": True}),
    (FISC, {"challenge.corrected_later": "spread", "challenge.corrected_later_points": 1}),
    (FISC, {"end.lost_turns": 1, "end.scoreless_turns": 1}),
    (FISC, {"end.lost_turns": 6}),
    (FISC, {"end.lost_turns": None, "end.lost_turn_kinds": (), "end.scoreless_turns": 1}),
    (FISC, {"end.scoreless_turns": None}),
    (FISC, {"end.racks_count_after_cap": True}),
    (FISC, {"end.racks_count_after_overtime": False}),
    (FISC, {"abandon.rule": "stands", "abandon.points_behind": 0}),
    (FISC, {"abandon.points_behind": 1}),
    (FISC, {"forfeit.loser_points": 50, "forfeit.winner_points": 50}),
    (FISC, {"scoresheet.reopen_by": "both-players", "scoresheet.final_on": "both-signed"}),
    (FISC, {"scoresheet.signers": "keeper"}),
    (FISC, {"championship.draw": 1.0, "championship.bye": 1.0}),
    (FISC, {"championship.draw": 0.0, "championship.bye": 0.0}),
    (FISC, {"championship.win": 1.5, "championship.bye": 1.5, "championship.late_entry_points": 0.0}),
    (FISC, {"championship.rounds_min": 2, "championship.long_from_rounds": 3}),
    (FISC, {"championship.not_there": "forfeit"}),
    (FISC, {"championship.not_there": "forfeit", "championship.team_boards": 4}),
    (
        FISC,
        {
            "championship.left_early": "annulled",
            "championship.not_there": "forfeit",
            "championship.system": "double-round-robin",
        },
    ),
    (FISC, {"championship.team_boards": 4}),
    *((FISC, {"championship.team_boards": 4, "championship.system": system}) for system in ("dutch", "round-robin")),
    (FISC, {"championship.team_boards": 4, "championship.system": "double-round-robin"}),
    (FISC, {"championship.system": "match", "start.method": "lot"}),
]


@pytest.mark.parametrize(
    ("rules", "changes"), SOUND, ids=lambda value: "" if isinstance(value, Ruleset) else str(value)
)
def test_values_that_can_just_hold_together_are_taken(rules: Ruleset, changes: Changes) -> None:
    assert problems(rules, changes) == []


BROKEN: list[tuple[Ruleset, Changes, list[str]]] = [
    (FISC, {"game.players_min": 1}, ["game.players_min"]),
    (FISC, {"game.players_min": 3}, ["game.players_min"]),
    (FISC, {**THREE, **OF_SEVERAL, "game.mode": "classic"}, ["game.mode"]),
    (FISC, {**THREE, **OF_SEVERAL, "game.turn_direction": "alternate"}, ["game.turn_direction"]),
    (FISC, {"game.turn_direction": "together"}, ["game.turn_direction"]),
    (FISC, THREE, ["game.players_max"]),
    (FISC, {**THREE, **OF_SEVERAL, "absence.loses_with": "own-time-or-round"}, ["game.players_max"]),
    (FISC, {**THREE, **OF_SEVERAL, "absence.untold": "game-lost"}, ["game.players_max"]),
    (
        FISC,
        {**THREE, **OF_SEVERAL, "absence.played_meanwhile": "questioned-on-return"},
        ["absence.played_meanwhile"],
    ),
    (FISC, {"game.tile_set": "ca-99"}, ["game.tile_set"]),
    (FISC, {"game.rack_size": 51}, ["game.rack_size"]),
    (FISC, {**THREE, **OF_SEVERAL, "game.rack_size": 34}, ["game.rack_size"]),
    (FISC, {"game.rack_size": 0}, ["game.rack_size", "first_move.tiles_min", "exchange.max"]),
    (FISC, {"first_move.tiles_min": 0}, ["first_move.tiles_min"]),
    (FISC, {"first_move.tiles_min": 8}, ["first_move.tiles_min"]),
    (FISC, {"turn.steps": ("announce", "place", "write", "draw", "press")}, ["turn.steps"]),
    (FISC, {"turn.steps": ()}, ["turn.steps", "turn.steps", "turn.complete_on", "clock.resumed_on"]),
    (FISC, {"turn.steps": STOPPED["turn.steps"]}, ["turn.steps"]),
    (FISC, {"clock.stopped_by_mover": True, **STANDING}, ["turn.steps"]),
    (FISC, {"turn.steps": ("place", "write", "draw"), "turn.complete_on": "draw"}, ["turn.steps"]),
    (FISC, {**NO_CLOCK, "turn.steps": ("place", "draw", "press"), "clock.resumed_on": "pressed"}, ["turn.steps"]),
    (FISC, {"turn.steps": ("place", "write", "press"), "turn.complete_on": "draw"}, ["turn.complete_on"]),
    (FISC, {**NO_CLOCK, "turn.complete_on": "press"}, ["turn.complete_on"]),
    (FISC, {"turn.complete_on": "both-written"}, ["turn.complete_on"]),
    (
        FISC,
        {"turn.complete_on": "both-written", "turn.written_by": "both", "turn.steps": ("place", "draw", "press")}
        | {"clock.resumed_on": "pressed"},
        ["turn.complete_on"],
    ),
    (FISC, {"touch.rule": "free-until-clock", "touch.line_fixed_by_first_tile": False}, ["touch.rule"]),
    (FISC, {"touch.rule": "until-announced"}, ["touch.line_fixed_by_first_tile"]),
    (FISC, {"blank.fixed_on": "clock-stopped"}, ["blank.fixed_on"]),
    (FISC, {"exchange.max": 0}, ["exchange.max"]),
    (FISC, {"exchange.max": 8}, ["exchange.max"]),
    (FISC, {"exchange.stops_clock": True}, ["exchange.stops_clock"]),
    (FISC, {"exchange.illegal": "reveal-and-choose"}, ["exchange.illegal"]),
    (FISC, {"free_exchange.allowed": True}, ["free_exchange.when"]),
    (FISC, {"free_exchange.when": "first-turn"}, ["free_exchange.when"]),
    (FISC, {"free_exchange.unfounded": "turn-lost"}, ["free_exchange.unfounded"]),
    (FISC, {"passing.cannot_play": True}, ["passing.cannot_play"]),
    (FISC, {"overdraw.expulsion_after_in_game": 0}, ["overdraw.expulsion_after_in_game"]),
    (
        FISC,
        {"overdraw.expulsion_after_in_game": 2, "overdraw.expulsion_after_in_tournament": 1},
        ["overdraw.expulsion_after_in_game"],
    ),
    (FISC, {"found_tiles.out_at": 7}, ["found_tiles.out_at"]),
    (FISC, {"clock.minutes": 0}, ["clock.minutes"]),
    (FISC, {**NO_CLOCK, "clock.minutes": 1}, ["clock.minutes"]),
    (FISC, {"clock.turn_seconds": 1}, ["clock.turn_seconds"]),
    (FISC, {**PER_TURN, "clock.turn_seconds": 0}, ["clock.turn_seconds"]),
    (FISC, {**PER_TURN, "clock.turn_seconds": None}, ["clock.turn_seconds"]),
    (FISC, {"clock.turn_timeout": "turn-lost"}, ["clock.turn_timeout"]),
    (FISC, {**PER_TURN, "clock.turn_timeout": "none"}, ["clock.turn_timeout"]),
    (FISC, STOPPED, ["clock.stopped_by_mover"]),
    (
        FISC,
        {**NO_CLOCK, **STANDING, "clock.stopped_by_mover": True, "turn.steps": ("place", "stop", "write", "draw")},
        ["clock.stopped_by_mover"],
    ),
    (FISC, {"turn.steps": ("place", "draw", "press")}, ["clock.resumed_on"]),
    (FISC, {"clock.neutralised_by": ("arbiter-call",)}, ["clock.resumed_on"]),
    (FISC, {"clock.runs_while_counting": False}, ["clock.runs_while_drawing"]),
    (FISC, {**NO_CLOCK, "clock.overtime_points": 1}, ["clock.overtime_points"]),
    (FISC, {"clock.overtime_points": 0}, ["clock.overtime_cap_minutes"]),
    (FISC, {"round_time.rule": "none", "round_time.minutes": 60}, ["round_time.minutes"]),
    (FISC, {"round_time.rule": "none", "round_time.twice_the_clock": True}, ["round_time.minutes"]),
    (FISC, {"round_time.twice_the_clock": True, "round_time.minutes": 60}, ["round_time.twice_the_clock"]),
    (FISC, {**NO_CLOCK, "round_time.twice_the_clock": True}, ["round_time.twice_the_clock"]),
    (FISC, {"lateness.counted_from": "draw"}, ["lateness.long_break_minutes"]),
    (FISC, {"lateness.long_break_minutes": 60}, ["lateness.long_break_minutes"]),
    (FISC, {"lateness.loses_with": "arbiter"}, ["lateness.loses_after_minutes"]),
    (FISC, {"lateness.loses_after_minutes": None}, ["lateness.loses_after_minutes"]),
    (FISC, {"challenge.appeal_by": "none"}, ["challenge.rulings_max"]),
    (FISC, {"challenge.rulings_max": 1}, ["challenge.rulings_max"]),
    (FISC, {**NO_CLOCK, "challenge.closes_on": "press"}, ["challenge.closes_on"]),
    (FISC, {"challenge.closes_on": "challenger-writes"}, ["challenge.closes_on"]),
    (FISC, {"challenge.closes_on": "both-write"}, ["challenge.closes_on"]),
    (FISC, {"challenge.opens_on": "clock-stopped"}, ["challenge.opens_on"]),
    (FISC, {"challenge.penalty": 1}, ["challenge.penalty"]),
    (FISC, {"challenge.penalty_unit": "word"}, ["challenge.penalty_unit"]),
    (FISC, {"challenge.by": "nobody", "challenge.free_invalid": 0, "challenge.penalty": 1}, ["challenge.by"]),
    (FISC, {"challenge.by": "nobody", "challenge.unfounded_loses_turn": True}, ["challenge.by"]),
    (FISC, {"challenge.corrected_later": "spread"}, ["challenge.corrected_later_points"]),
    (FISC, {"challenge.corrected_later_points": 1}, ["challenge.corrected_later_points"]),
    (FISC, {"end.lost_turns": 0}, ["end.lost_turns"]),
    (FISC, {"end.scoreless_turns": 0}, ["end.scoreless_turns"]),
    (FISC, {"end.lost_turn_kinds": ("pass", "play")}, ["end.lost_turn_kinds"]),
    (FISC, {"end.lost_turns": None}, ["end.lost_turn_kinds"]),
    (FISC, {"end.lost_turn_kinds": ()}, ["end.lost_turn_kinds"]),
    (FISC, {"end.lost_turns": 7}, ["end.scoreless_turns"]),
    (
        FISC,
        {"end.racks_count_after_cap": True, "end.racks_count_after_overtime": False},
        ["end.racks_count_after_cap"],
    ),
    (FISC, {"abandon.rule": "stands"}, ["abandon.points_behind"]),
    (FISC, {"forfeit.loser_points": 1}, ["forfeit.loser_points"]),
    (FISC, {"scoresheet.signers": "keeper", "scoresheet.reopen_by": "both-players"}, ["scoresheet.reopen_by"]),
    (FISC, {"scoresheet.signers": "keeper", "scoresheet.final_on": "both-signed"}, ["scoresheet.final_on"]),
    (FISC, {"championship.draw": 1.5}, ["championship.draw"]),
    (FISC, {"championship.loss": 1.0}, ["championship.draw"]),
    (FISC, {"championship.bye": 1.5}, ["championship.bye"]),
    (FISC, {"championship.win": 1.25}, ["championship.win"]),
    (FISC, {"championship.draw": 0.75}, ["championship.draw"]),
    (FISC, {"championship.loss": 0.25}, ["championship.loss"]),
    (FISC, {"championship.bye": 0.75}, ["championship.bye"]),
    (FISC, {"championship.late_entry_points": 0.25}, ["championship.late_entry_points"]),
    (FISC, {"championship.rounds_min": 1}, ["championship.buchholz_cut"]),
    (FISC, {"championship.long_from_rounds": 2}, ["championship.buchholz_cut"]),
    (FISC, {"championship.left_early": "annulled", "championship.not_there": "forfeit"}, ["championship.left_early"]),
    (FISC, {"championship.left_early": "annulled", "championship.system": "round-robin"}, ["championship.left_early"]),
    (
        FISC,
        {
            "championship.left_early": "annulled",
            "championship.not_there": "forfeit",
            "championship.system": "round-robin",
            "championship.team_boards": 4,
        },
        ["championship.left_early"],
    ),
    (FISC, {"championship.team_boards": 4, "championship.system": "match"}, ["championship.team_boards"]),
    (FISC, {"championship.team_boards": 4, "start.method": "lot"}, ["championship.team_boards"]),
]


@pytest.mark.parametrize(
    ("rules", "changes", "keys"), BROKEN, ids=lambda value: "" if isinstance(value, Ruleset) else str(value)
)
def test_values_that_cannot_hold_together_are_told_at_their_key_alone(
    rules: Ruleset, changes: Changes, keys: list[str]
) -> None:
    assert problems(rules, changes) == keys


def _numbers(rules: Ruleset) -> Iterator[object]:
    for name in ("win", "draw", "loss", "bye", "bye_spread", "late_entry_points", "buchholz_cut", "buchholz_cut_long"):
        yield getattr(rules.championship, name)


def test_duplicate_games_give_no_points_of_a_championship_and_meet_no_teams() -> None:
    duplicate = load_ruleset("fisc-2023-duplicate")
    assert duplicate.championship == NOBODY_MEETS
    assert set(_numbers(duplicate)) == {0}
    assert (NOBODY_MEETS.rounds_min, NOBODY_MEETS.long_from_rounds) == (1, 1)
    assert clash_of_teams(duplicate) is None


def test_a_clash_of_teams_names_what_was_chosen() -> None:
    clash = clash_of_teams(change_rules(FISC, {"championship.team_boards": 4, "championship.system": "match"}))
    assert clash is not None
    assert clash.params["options"] == "–"
    drawn = clash_of_teams(change_rules(FISC, {"championship.team_boards": 4, "start.method": "lot"}))
    assert drawn is not None
    assert drawn.params["method"] == "lot"
