"""Summary of a rule book in three lines, each with its article: the time, invalid words, the tournament. Pure."""

from __future__ import annotations

from typing import NamedTuple

from faristol.gateway.consoles.director.option_names import value_name
from faristol.kernel.refusal import N_, Param
from faristol.presentation.labels import TIE_BREAKS
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.text import say

CHESS_CLOCK = N_("{players} players at each table, {minutes} minutes each. Overtime costs {points} points a minute.")
CHESS_CLOCK_OPEN = N_(
    "{players} players at each table. You choose the minutes of each player. Overtime costs {points} points a minute."
)
TURN_TIMER = N_("{players} players at each table, {seconds} seconds a turn.")
NO_CLOCK = N_("{players} players at each table, without a clock.")
SAME_RACKS = N_("All players have the same rack and write their best play on a slip, {seconds} seconds a turn.")

CHALLENGE_FREE = N_("Plays stand unless they are challenged. A challenge of valid words has no cost.")
CHALLENGE_FREE_UP_TO = N_(
    "Plays stand unless they are challenged. After {free} failed challenges, each valid word costs the challenger "
    "{points} points."
)
CHALLENGE_COSTS_POINTS = N_(
    "Plays stand unless they are challenged. A challenge of valid words costs the challenger {points} points."
)
CHALLENGE_COSTS_TURN = N_(
    "Plays stand unless they are challenged. A challenge of valid words costs the challenger a turn."
)
SLIPS_CHECKED = N_("A slip with an invalid play scores 0. Each turn continues with the play that the judge chooses.")

TOURNAMENT = N_("Pairing: {system}. Tie-breaks: {tie_breaks}.")
SINGLE_GAMES = N_("The instructions are for single tables. Rounds are paired by the Swiss system.")
BY_PERCENTAGE = N_("The standings show the points of the slips. There is no pairing: all players play each game.")


class SummaryLine(NamedTuple):
    """Line of a summary, in the language of the reader."""

    text: str
    article: str
    """Article of the rule book; empty if the book is silent."""


def summarise_ruleset(ruleset: Ruleset, language: str) -> list[SummaryLine]:
    """Return the three lines that tell a director which rule book this is."""
    if ruleset.game.mode == "duplicate":
        return [
            _line(ruleset, language, SAME_RACKS, "turns.seconds", seconds=ruleset.turns.seconds),
            _line(ruleset, language, SLIPS_CHECKED, "slips.word"),
            _line(ruleset, language, BY_PERCENTAGE, "game.mode"),
        ]
    return [_time(ruleset, language), _challenge(ruleset, language), _tournament(ruleset, language)]


def _time(ruleset: Ruleset, language: str) -> SummaryLine:
    game, clock = ruleset.game, ruleset.clock
    text = {"chess": CHESS_CLOCK if clock.minutes else CHESS_CLOCK_OPEN, "per-turn": TURN_TIMER}.get(
        clock.model, NO_CLOCK
    )
    key = {"chess": "clock.minutes", "per-turn": "clock.turn_seconds"}.get(clock.model, "game.players_max")
    return _line(
        ruleset,
        language,
        text,
        key,
        players="–".join(map(str, sorted({game.players_min, game.players_max}))),
        minutes=clock.minutes or 0,
        seconds=clock.turn_seconds or 0,
        points=clock.overtime_points,
    )


def _challenge(ruleset: Ruleset, language: str) -> SummaryLine:
    law = ruleset.challenge
    if law.unfounded_loses_turn:
        return _line(ruleset, language, CHALLENGE_COSTS_TURN, "challenge.unfounded_loses_turn")
    if not law.penalty:
        return _line(ruleset, language, CHALLENGE_FREE, "challenge.penalty")
    text = CHALLENGE_FREE_UP_TO if law.free_invalid else CHALLENGE_COSTS_POINTS
    return _line(ruleset, language, text, "challenge.penalty", free=law.free_invalid or 0, points=law.penalty)


def _tournament(ruleset: Ruleset, language: str) -> SummaryLine:
    law = ruleset.championship
    if law.system == "none":
        return _line(ruleset, language, SINGLE_GAMES, "championship.system")
    return _line(
        ruleset,
        language,
        TOURNAMENT,
        "championship.system",
        system=say(value_name("pairing", law.system), {}, language),
        tie_breaks=", ".join(say(TIE_BREAKS[each][0], {}, language) for each in law.tie_breaks),
    )


def _line(ruleset: Ruleset, language: str, text: str, key: str, **params: Param) -> SummaryLine:
    return SummaryLine(say(text, params, language), ruleset.articles.get(key, ""))
