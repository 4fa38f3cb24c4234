"""Checks before a demonstration begins: suitable rules, and a lexicon with their tiles."""

from __future__ import annotations

from collections.abc import Iterable

from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.demo.plan import Plan
from faristol.host import Settings, StartError
from faristol.kernel.pins import LEXICONS
from faristol.kernel.refusal import N_, Refusal
from faristol.rules.championship import check_first_round, check_rounds
from faristol.rules.ruleset.file import ruleset_names
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.with_options import check_settled
from faristol.table_terminal.shared.common import localize
from faristol.text import cite_refusal
from faristol.text.terminal import language_of_terminal
from faristol.tournament.engines.match import MATCH_PLAYERS
from faristol.tournament.rounds.systems import (
    CYCLES,
    most_rounds,
    not_a_match,
    too_many_rounds,
    wrong_rounds,
)
from faristol.words import Library, WordGraph

MAX_DEMO_PLAYERS = 400
"""Limit of players at tables: each table has a separate game."""


def options_of(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Parse ``--options``, with commas as for `faristol tournament create`.

    Raises ``StartError`` if a part is not NAME=VALUE.
    """
    chosen: dict[str, str] = {}
    for choice in ",".join(given).split(","):
        name, equals, value = choice.partition("=")
        if not equals and choice:
            text = N_("{field} cannot be {given}: expected {expected}")
            raise StartError(localize(text, field="options", given=repr(choice), expected="NAME=VALUE,…"))
        if choice:
            chosen[name] = value
    return tuple(chosen.items())


def check(plan: Plan) -> None:
    """Raise ``StartError`` before anything is created, if the services would refuse the championship."""
    duplicate = isinstance(plan, DuplicatePlan)
    suited = ruleset_names("duplicate") if duplicate else ruleset_names("classic", "multi")
    if plan.ruleset not in ruleset_names():
        raise StartError(f"there is no ruleset {plan.ruleset!r}: choose one of {', '.join(suited)}")
    if plan.ruleset not in suited:
        what = "duplicate games" if duplicate else "rounds of tables"
        raise StartError(f"there are no {what} by {plan.ruleset!r}: choose one of {', '.join(suited)}")
    if isinstance(plan, DuplicatePlan):
        _check_duplicate(plan)
        return
    if plan.players > MAX_DEMO_PLAYERS:
        raise StartError(f"{plan.players} players are too many for rounds at tables: {MAX_DEMO_PLAYERS} at most")
    try:
        rules = plan.rules
        check_settled(rules)
        check_rounds(plan.rounds, rules)
        check_first_round(plan.rounds, rules)
    except Refusal as refusal:
        raise _cannot_begin(cite_refusal(refusal, language_of_terminal())) from refusal
    if rules.championship.team_boards is not None:
        text = N_("the players of the demonstration are not in teams: omit the option {option}")
        raise _cannot_begin(localize(text, option="teams"))
    if rules.round_time.minutes is not None and rules.round_time.last_turn_seconds is not None:
        text = N_("the players of the demonstration do not support a last turn against time: omit the option {option}")
        raise _cannot_begin(localize(text, option="round_minutes"))
    _check_most(plan, rules)


def _check_duplicate(plan: DuplicatePlan) -> None:
    """Raise ``StartError`` if there are more halls than players, or if options are unknown or missing."""
    if plan.halls > plan.players:
        raise StartError(f"{plan.halls} halls are too many for {plan.players} players")
    try:
        check_settled(plan.rules)
    except Refusal as refusal:
        raise _cannot_begin(cite_refusal(refusal, language_of_terminal())) from refusal


def open_lexicon(settings: Settings, plan: Plan) -> tuple[str, WordGraph]:
    """Return the name and graph of a lexicon with the tiles of the rules, the default of their language first.

    Raises ``StartError`` with the command to run if none is installed, ``LexiconError`` if it is damaged.
    """
    library, tile_set = Library(settings.lexicons), plan.rules.tile_set
    usual = LEXICONS[tile_set.language]
    names = [lexicon.name for lexicon in library.list() if lexicon.header.tile_set == tile_set.name]
    if not names:
        text = N_(
            "no lexicon in {folder} uses the tiles {tiles}, which {ruleset} requires: run `faristol lexicon "
            "install {name}`"
        )
        where = {"folder": str(settings.lexicons), "tiles": tile_set.name, "ruleset": plan.ruleset, "name": usual}
        raise StartError(localize(text, **where))
    name = usual if usual in names else names[0]
    return name, library.open(name)


def _check_most(plan: Plan, rules: Ruleset) -> None:
    """Raise ``StartError`` if the players cannot be paired in this number of rounds."""
    system, expected = rules.championship.system, most_rounds(plan.players, rules)
    if system == "match" and plan.players != MATCH_PLAYERS:
        refusal: Refusal | None = not_a_match(plan.players, rules)
    elif system in CYCLES and plan.rounds != expected:
        refusal = wrong_rounds(plan.players, expected, plan.rounds, rules)
    else:
        refusal = too_many_rounds(plan.players, plan.rounds, rules)
    if refusal:
        raise _cannot_begin(cite_refusal(refusal, language_of_terminal()))


def _cannot_begin(why: str) -> StartError:
    return StartError(localize(N_("the championship cannot begin: {why}"), why=why.rstrip(".")))
