"""The output for a person at a table: the state of the game, and the next steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faristol.kernel.refusal import N_
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.presentation import labels
from faristol.presentation.game_view import minutes
from faristol.rules import Ruleset
from faristol.table_terminal.shared.sheet import format_points
from faristol.table_terminal.table.offers import NextStep, ShownTable
from faristol.text import cite, say, translations, with_article

RUNS = "▶"
"""The sign after the time of a running clock."""

NEXT = N_("Next: %(steps)s")
NOT_STARTED = N_("The game has not started.")
"""Printed before the first turn."""

RULINGS: Mapping[tuple[bool, bool], str] = {
    (False, True): N_("Ruling: the play {word} of turn {turn} is valid."),
    (False, False): N_("Ruling: the play {word} of turn {turn} is invalid."),
    (True, True): N_("Ruling on the appeal: the play {word} of turn {turn} is valid."),
    (True, False): N_("Ruling on the appeal: the play {word} of turn {turn} is invalid."),
}
"""The sentence of a ruling, by whether it was made on an appeal and whether the play stands."""
VALID, INVALID = N_("{word}: valid"), N_("{word}: invalid")
"""The same of one word."""

AWAY_FROM_TABLE = N_("away from the table")
COUNTED = N_("{word} scores {points} {points:point|points}.")
SKIPPED = N_("Turn {turn} of {player} is lost: {reason}.")

ENDED_BY: Mapping[events.EndCondition.ValueType, str] = {
    events.END_CONDITION_LOST_TURNS: "end.lost_turns",
    events.END_CONDITION_SCORELESS_TURNS: "end.scoreless_turns",
    events.END_CONDITION_OVERTIME: "clock.overtime_cap_minutes",
    events.END_CONDITION_ROUND_TIME: "round_time.rule",
    events.END_CONDITION_AGREEMENT: "end.agreement",
    events.END_CONDITION_ABANDONED: "abandon.rule",
    events.END_CONDITION_FORFEIT: "forfeit.begun",
}
"""The rule of a book behind each end."""

WON = N_("{winner} wins {scores}. The result is final.")
DRAWN = N_("A draw, {scores}. The result is final.")
LOST_BY_ALL = N_("All players lose, {scores}. The result is final.")


def standing(shown: ShownTable, names: Mapping[str, str], now: Instant, language: str) -> Iterator[str]:
    """Yield the state of a table: turn, bag, and each player's points, time left and number of tiles."""
    table, clock, read = shown.table, shown.clock, translations(language)
    gone = dict.fromkeys(clock.away_player_ids, AWAY_FROM_TABLE) | dict.fromkeys(
        clock.absent_player_ids, labels.ABSENT_LABEL
    )
    turn = read.gettext("Turn %(number)s") % {"number": table.turn}
    bag = read.ngettext("%(num)s tile in the bag", "%(num)s tiles in the bag", table.bag_left)
    yield f"{turn} · {bag % {'num': table.bag_left}}" if table.turn else read.gettext(NOT_STARTED)
    used = {side.player_id: side.used_ms for side in clock.times}
    for clocked in clock.running:
        used[clocked.player_id] += max(0, now - instant(clocked.since)) // NANOSECONDS_PER_MS
    running = {clocked.player_id for clocked in clock.running}
    for side in table.sides:
        allowance = clock.turn_ms or clock.allowance_ms
        left = allowance - (clock.turn_used_ms if clock.turn_ms else used.get(side.player_id, 0))
        time = f"{'−' if left < 0 else ''}{minutes(abs(left))}"
        runs = f" {RUNS}" if side.player_id in running else ""
        mark = f"  [{read.gettext(gone[side.player_id])}]" if side.player_id in gone else ""
        yield f"  {names[side.player_id]}: {format_points(side.score)}  ({time}{runs})  {'▢' * side.rack_size}{mark}"
    if table.end_condition:
        key = ENDED_BY.get(table.end_condition, "")
        article = shown.ruleset.article(key) if key else ""
        yield with_article(read.gettext(labels.ENDS[table.end_condition]), article, language)
    if clock.reason:
        yield read.gettext(labels.NEUTRALISED[clock.reason])


def format_next_steps(steps: Sequence[NextStep], names: Mapping[str, str], language: str) -> str:
    """Return the next steps in one line; empty without any."""
    if not steps:
        return ""
    steps_text = "; ".join(f"{names.get(who, who)}: {', '.join(verbs)}" for who, verbs in steps)
    return translations(language).gettext(NEXT) % {"steps": steps_text}


def format_ruling(ruling: game_pb2.Ruling, ruleset: Ruleset, language: str) -> Iterator[str]:
    """Yield a ruling with its article, and word by word if the book reveals it to players."""
    params: dict[str, str | int] = {"word": "".join(ruling.word.faces), "turn": ruling.turn}
    appealed = ruleset.article("challenge.appeal_by") if ruling.appeal else ""
    article = appealed or ruleset.article("challenge.ruling") or ruleset.law.challenge_words
    text = say(RULINGS[ruling.appeal, ruling.valid], params, language)
    yield f"{text} ({cite(article, language)})" if article else text
    for word in ruling.words:
        yield "  " + say(VALID if word.valid else INVALID, {"word": "".join(word.word.faces)}, language)


def format_score(answer: game_pb2.PlacePlayResponse, language: str) -> str:
    """Return the score of a laid play as a sentence."""
    word = "".join(answer.words[0].word.faces)
    return say(COUNTED, {"word": word, "points": answer.score}, language)


def format_skipped_turns(
    game: results_pb2.GetGameResponse, since: int, names: Mapping[str, str], language: str
) -> Iterator[str]:
    """Yield the turns from ``since`` on that were lost without an action, with the reason."""
    for line in game.entries:
        if line.turn >= since and line.kind == results_pb2.ENTRY_KIND_LOST_TURN and line.lost_for:
            reason = translations(language).gettext(labels.LOST[line.lost_for])
            player = names.get(line.player_id, line.player_id)
            text = say(SKIPPED, {"turn": line.turn, "player": player, "reason": reason}, language)
            yield with_article(text, line.article, language)


def outcome(game: results_pb2.GetGameResponse, language: str) -> str:
    """Return the winner of a final game, with the winner's score first; empty before."""
    if not game.final:
        return ""
    seats = sorted(game.seats, key=lambda seat: (seat.player_id != game.winner_id, -seat.score))
    winner = seats[0].name or seats[0].player_id
    text = WON if game.winner_id else LOST_BY_ALL if game.lost_by_all else DRAWN
    dash = " – " if any(seat.score < 0 for seat in seats) else "–"
    scores = dash.join(format_points(seat.score) for seat in seats)
    return say(text, {"scores": scores, "winner": winner}, language)
