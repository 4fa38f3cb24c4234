"""Checks for values of a ruleset that are each well formed but contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.options import format_value
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import load_tile_set

Problem = tuple[str, str]
"""The key (``section.key``) of the contradiction, and its description."""


def of_duplicate(rules: Ruleset) -> Iterator[Problem]:
    """Yield the contradictions in rules of duplicate games."""
    yield from _of_duplicate_game(rules)
    yield from _of_racks(rules)
    yield from _of_turns(rules)
    slips, warned = rules.slips, rules.warnings
    if slips.score == "not-asked" and slips.score_missing != "nothing":
        yield "slips.score_missing", "has no effect if slips have no score (slips.score)"
    if warned.points == 0 and warned.free:
        yield "warnings.free", "has no effect if a warning costs 0 points (warnings.points)"


def _of_duplicate_game(rules: Ruleset) -> Iterator[Problem]:
    game = rules.game
    if not 1 <= game.players_min <= game.players_max:
        yield "game.players_min", f"expected 1 or more, and at most players_max ({game.players_max})"
    if game.turn_direction != "together":
        yield "game.turn_direction", "all take a turn at once in a duplicate game: expected together"
    try:
        tile_set = load_tile_set(game.tile_set)
    except LookupError as error:
        yield "game.tile_set", str(error)
    else:
        if not 1 <= game.rack_size <= tile_set.size:
            yield "game.rack_size", f"expected 1 to {tile_set.size}, the tiles of {game.tile_set}"
    if not 1 <= rules.first_move.tiles_min <= game.rack_size:
        yield "first_move.tiles_min", f"expected 1 to rack_size ({game.rack_size})"
    if rules.first_move.centre != "mandatory":
        yield "first_move.centre", "no opponent can accept a play: expected mandatory"


def _of_racks(rules: Ruleset) -> Iterator[Problem]:
    racks, size = rules.racks, rules.game.rack_size
    if racks.vowels_min + racks.consonants_min > size:
        yield "racks.vowels_min", f"with consonants_min is more than a rack of {size} holds"
    if racks.vowels_min_late > racks.vowels_min:
        yield "racks.vowels_min_late", f"is more than before that turn ({racks.vowels_min})"
    if racks.consonants_min_late > racks.consonants_min:
        yield "racks.consonants_min_late", f"is more than before that turn ({racks.consonants_min})"


def _of_turns(rules: Ruleset) -> Iterator[Problem]:
    turns = rules.turns
    if turns.seconds < 1:
        yield "turns.seconds", "a turn takes a second or more"
    if turns.turns == 0:
        yield "turns.turns", "a game has a turn or more"
    for name in ("may_warn_seconds", "must_warn_seconds"):
        before = getattr(turns, name)
        if before is not None and not 0 < before < turns.seconds:
            yield f"turns.{name}", f"expected 1 to {turns.seconds - 1}, before the end of the turn"


OF_TEAMS = ("classification", "swiss", "dutch", "round-robin", "double-round-robin")
"""Systems that can pair teams."""

ACCELERATED = frozenset({"classification", "swiss", "dutch"})
"""Systems whose first rounds can be accelerated; a first round by lot cannot."""


def contradictions(rules: Ruleset) -> Iterator[Problem]:
    """Yield the contradictions in ``rules``."""
    if rules.game.mode == "duplicate":
        yield from of_duplicate(rules)
        return
    yield from _of_game(rules)
    yield from _of_turn(rules)
    yield from _of_tiles(rules)
    yield from _of_time(rules)
    yield from _of_challenges(rules)
    yield from _of_end(rules)
    yield from _of_championship(rules)


def _of_game(rules: Ruleset) -> Iterator[Problem]:
    game = rules.game
    if not 2 <= game.players_min <= game.players_max:
        yield "game.players_min", f"expected 2 or more, and at most players_max ({game.players_max})"
    if game.mode == "classic" and game.players_max > 2:
        yield "game.mode", f"classic is a game of two, and players_max is {game.players_max}"
    if game.turn_direction == "together":
        yield "game.turn_direction", "all take a turn at once only in a duplicate game"
    if game.turn_direction == "alternate" and game.players_max > 2:
        yield "game.turn_direction", f"a turn alternates between two players, and players_max is {game.players_max}"
    late, absence = rules.lateness, rules.absence
    loses_by_clock = {late.loses_with, absence.loses_with} != {"arbiter"} or absence.untold != "none"
    if game.players_max > 2 and loses_by_clock:
        yield "game.players_max", "an arbiter decides on one of several who is not there (lateness, absence)"
    if game.players_max > 2 and absence.played_meanwhile != "stands":
        yield (
            "absence.played_meanwhile",
            "a play is questioned on return where the other player made it, in a game of two",
        )
    try:
        tile_set = load_tile_set(game.tile_set)
    except LookupError as error:
        yield "game.tile_set", str(error)
    else:
        if game.rack_size < 1 or game.rack_size * game.players_max > tile_set.size:
            yield "game.rack_size", f"{game.players_max} racks must fit into {tile_set.size} tiles"
    if not 1 <= rules.first_move.tiles_min <= game.rack_size:
        yield "first_move.tiles_min", f"expected 1 to rack_size ({game.rack_size})"


def _of_turn(rules: Ruleset) -> Iterator[Problem]:
    turn, clock, touch = rules.turn, rules.clock, rules.touch
    steps = turn.steps
    if not steps or steps[0] != "place":
        yield "turn.steps", "a turn begins with place"
    if ("stop" in steps) != clock.stopped_by_mover:
        yield "turn.steps", "has stop exactly when the mover stops the clock (clock.stopped_by_mover)"
    if "press" not in steps and clock.model == "chess":
        yield "turn.steps", "has press where there is a chess clock (clock.model)"
    if "press" in steps and clock.model == "none":
        yield "turn.steps", "has no press where there is no clock (clock.model)"
    if turn.complete_on in {"draw", "press"} and turn.complete_on not in steps:
        yield "turn.complete_on", f"{turn.complete_on} is not among the steps"
    if turn.complete_on == "both-written" and (turn.written_by != "both" or "write" not in steps):
        yield "turn.complete_on", "both write only where written_by is both and write is a step"
    if touch.rule == "free-until-clock" and not clock.stopped_by_mover:
        yield "touch.rule", "free-until-clock needs a clock that the mover stops"
    if touch.rule != "strict" and touch.line_fixed_by_first_tile:
        yield "touch.line_fixed_by_first_tile", "has no effect if tiles may be taken back"
    if rules.blank.fixed_on == "clock-stopped" and not clock.stopped_by_mover:
        yield "blank.fixed_on", "clock-stopped needs a clock that the mover stops"


def _of_tiles(rules: Ruleset) -> Iterator[Problem]:
    exchange, free, rack = rules.exchange, rules.free_exchange, rules.game.rack_size
    if not 1 <= exchange.max <= rack:
        yield "exchange.max", f"expected 1 to rack_size ({rack})"
    if exchange.stops_clock and not rules.clock.stopped_by_mover:
        yield "exchange.stops_clock", "needs a clock that the mover stops"
    if exchange.illegal == "reveal-and-choose" and exchange.limit == "bag":
        yield "exchange.illegal", "no exchange can exceed the limit if the whole bag may be exchanged"
    if free.allowed == (free.when == "never"):
        yield "free_exchange.when", "is never exactly when there is no free exchange"
    if not free.allowed and free.unfounded != "none":
        yield "free_exchange.unfounded", "has no effect if there is no free exchange"
    if rules.passing.cannot_play and rules.passing.allowed == "always":
        yield "passing.cannot_play", "has no effect if a turn can always be passed"
    game, tournament = rules.overdraw.expulsion_after_in_game, rules.overdraw.expulsion_after_in_tournament
    if game == 0 or (game is not None and tournament is not None and tournament < game):
        yield "overdraw.expulsion_after_in_game", "expected 1 or more, and not more than in a tournament"
    if rules.found_tiles.rule == "refused" and rules.found_tiles.out_at is not None:
        yield "found_tiles.out_at", "has no effect if no tile is put back"


def _of_time(rules: Ruleset) -> Iterator[Problem]:
    clock, round_time, late = rules.clock, rules.round_time, rules.lateness
    if clock.minutes == 0:
        yield "clock.minutes", "a player needs at least one minute"
    if clock.model != "chess" and clock.minutes is not None:
        yield "clock.minutes", f"belongs to a chess clock, and the model is {clock.model}"
    if (clock.model == "per-turn") != (clock.turn_seconds is not None and clock.turn_seconds > 0):
        yield "clock.turn_seconds", "is given exactly when the model is per-turn"
    if (clock.model == "per-turn") != (clock.turn_timeout != "none"):
        yield "clock.turn_timeout", "is given exactly when the model is per-turn"
    if clock.stopped_by_mover and (clock.runs_while_counting or clock.model != "chess"):
        yield "clock.stopped_by_mover", "needs a chess clock that does not run while the play is scored"
    if clock.resumed_on == "written" and ("write" not in rules.turn.steps or "challenge" not in clock.neutralised_by):
        yield "clock.resumed_on", "a score is written, and a challenge stops the clocks, where that ends their standing"
    if not clock.runs_while_counting and clock.runs_while_drawing:
        yield "clock.runs_while_drawing", "no step restarts the mover's clock between counting and drawing"
    if clock.model != "chess" and clock.overtime_points:
        yield "clock.overtime_points", "belong to a chess clock"
    if clock.overtime_cap_minutes is not None and clock.overtime_points == 0:
        yield "clock.overtime_cap_minutes", "a cap has no effect if overtime costs 0 points"
    if round_time.rule == "none" and (round_time.minutes is not None or round_time.twice_the_clock):
        yield "round_time.minutes", "has no effect if the rule is 'none'"
    if round_time.twice_the_clock and (round_time.minutes is not None or clock.model != "chess"):
        yield "round_time.twice_the_clock", "the round has a separate length, or there is no chess clock"
    if (late.counted_from == "draw") != (late.long_break_minutes is not None):
        yield "lateness.long_break_minutes", "is given exactly when minutes are counted from the draw"
    if (late.loses_with == "limit") != (late.loses_after_minutes is not None):
        yield "lateness.loses_after_minutes", "is given exactly when loses_with is limit"


def _of_challenges(rules: Ruleset) -> Iterator[Problem]:
    challenge = rules.challenge
    if (challenge.appeal_by == "none") != (challenge.rulings_max == 1):
        yield (
            "challenge.rulings_max",
            f"expected 1 exactly when no player may appeal (appeal_by is {challenge.appeal_by!r})",
        )
    if challenge.closes_on == "press" and "press" not in rules.turn.steps:
        yield "challenge.closes_on", "press is no step of a turn (turn.steps)"
    if challenge.closes_on in {"challenger-writes", "both-write"} and rules.turn.written_by != "both":
        yield "challenge.closes_on", f"{challenge.closes_on} needs players who both write (turn.written_by)"
    if challenge.opens_on == "clock-stopped" and not rules.clock.stopped_by_mover:
        yield "challenge.opens_on", "clock-stopped needs a clock that the mover stops"
    if challenge.free_invalid is None and challenge.penalty:
        yield "challenge.penalty", "is never due where every unfounded challenge is free"
    if challenge.penalty_unit == "word" and challenge.ruling == "play":
        yield "challenge.penalty_unit", "words can be counted only where each is ruled on"
    if challenge.by == "nobody" and (challenge.penalty or challenge.unfounded_loses_turn):
        yield "challenge.by", "there are no challenges, so no challenge can have a cost"
    if (challenge.corrected_later == "none") != (challenge.corrected_later_points == 0):
        yield "challenge.corrected_later_points", "are given exactly when corrected_later is not none"


def _of_end(rules: Ruleset) -> Iterator[Problem]:
    end, sheet = rules.end, rules.scoresheet
    if end.lost_turns == 0 or end.scoreless_turns == 0:
        yield "end.lost_turns" if end.lost_turns == 0 else "end.scoreless_turns", "a game cannot end before it begins"
    if "play" in end.lost_turn_kinds:
        yield "end.lost_turn_kinds", "a play that stands is not a lost turn"
    if (end.lost_turns is None) != (not end.lost_turn_kinds):
        yield "end.lost_turn_kinds", "names what is counted exactly when lost_turns is given"
    if end.lost_turns and end.scoreless_turns and end.scoreless_turns < end.lost_turns:
        yield "end.scoreless_turns", f"is reached before {end.lost_turns} lost turns of each player can be"
    if end.racks_count_after_cap and not end.racks_count_after_overtime:
        yield "end.racks_count_after_cap", "has no effect if racks are counted after no overtime"
    if rules.abandon.rule != "stands-or-behind" and rules.abandon.points_behind:
        yield "abandon.points_behind", "are taken only where the rule is stands-or-behind"
    if rules.forfeit.loser_points > rules.forfeit.winner_points:
        yield "forfeit.loser_points", "are more than those of the winner"
    if sheet.reopen_by == "both-players" and sheet.signers != "both":
        yield "scoresheet.reopen_by", "both players open a game again only where both sign it"
    if sheet.final_on == "both-signed" and sheet.signers != "both":
        yield "scoresheet.final_on", "both-signed needs both as signers"


def _of_championship(rules: Ruleset) -> Iterator[Problem]:
    champion = rules.championship
    if not champion.loss <= champion.draw <= champion.win:
        yield "championship.draw", "expected loss ≤ draw ≤ win"
    if champion.bye > champion.win:
        yield "championship.bye", f"is worth more than a win ({champion.win:g})"
    for name in ("win", "draw", "loss", "bye", "late_entry_points"):
        if getattr(champion, name) * 2 % 1:
            yield f"championship.{name}", "expected a multiple of a half"
    if champion.rounds_min <= champion.buchholz_cut or champion.long_from_rounds <= champion.buchholz_cut_long:
        yield "championship.buchholz_cut", "leaves no opponent over in the shortest championship"
    if champion.left_early == "annulled":
        if champion.system not in ("round-robin", "double-round-robin") or champion.team_boards is not None:
            yield "championship.left_early", "annulled is said of players who meet all others (championship.system)"
        elif champion.not_there != "forfeit":
            yield "championship.left_early", "a bye has no opponent whose games are annulled (championship.not_there)"
    if champion.acceleration != "none" and (champion.system not in ACCELERATED or champion.team_boards is not None):
        known = ", ".join(sorted(ACCELERATED))
        yield "championship.acceleration", f"applies to {known} between players only (championship.system)"
    if clash := clash_of_teams(rules):
        yield "championship.team_boards", str(clash)


def clash_of_teams(rules: Ruleset) -> Refusal | None:
    """Return the reason why teams cannot meet under ``rules`` although they have teams, or None.

    An organiser's options can cause it.
    """
    if rules.game.mode == "duplicate":
        return None
    champion, article = rules.championship, rules.articles.get("championship.team_boards", "")
    if champion.team_boards is None:
        return None
    options = {"options": ", ".join(f"{name} = {format_value(value)}" for name, value in rules.chosen.items()) or "–"}
    if champion.system not in OF_TEAMS:
        return Refusal(
            "OPTIONS_CLASH",
            N_("The options {options} cannot be combined: teams are paired by {known}, not by {system}."),
            {**options, "known": ", ".join(OF_TEAMS), "system": champion.system},
            article=article,
        )
    if rules.start.method != "draw":
        return Refusal(
            "OPTIONS_CLASH",
            N_(
                "The options {options} cannot be combined: if teams meet, the start of each game is drawn, not by "
                "{method}."
            ),
            {**options, "method": rules.start.method},
            article=article,
        )
    return None
