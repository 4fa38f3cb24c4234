"""Messages for a person at a table about a failed step: in the person's language, with names, and a remedy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import grpc

from faristol.casebook.commands import TURN_STEPS
from faristol.client.problems import info_of
from faristol.kernel.refusal import N_, Param
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.presentation.table_commands import FIELD_LABELS, label_of
from faristol.table_terminal.table.offers import ShownTable
from faristol.text import cite, join_list, say, translations, with_article

REFUSED_BECAUSE = N_("Refused: %(problem)s")

MISSES_CENTRE = N_("The play misses the centre: the opponent must accept it or declare it invalid.")
OFF_CENTRE = N_("The opponent decides about the play: `{opponent}: decide-off-centre yes` accepts it, `no` does not.")
ENTER_AGAIN = N_("Is the entry wrong? `arbiter: take-back-entries {turn}` takes it back; then enter it again.")
STEP_BY_STEP = N_(
    "A turn typed as a whole, such as `h8 casa` or `turn …`, is complete and can no longer be "
    "challenged. To allow a challenge, type `place-play …`, and then `challenge …` or {steps}."
)
TURN_ENTERED_AGAIN = N_(
    "Turn {turn} is being re-entered as it was played. The press of its clock is unchanged, and the "
    "time counts from there."
)
TAKE_BACK = N_("Is the entry wrong? `arbiter: take-back-entries {turn}` takes it back.")
CORRECT_PLAY = N_("To correct the score of a play: `arbiter: correct-play, with: {{turn: {turn}, score: …}}`.")
CORRECT_TOTAL = N_(
    "The score of a play is fixed; to correct a total: `arbiter: correct-total, with: {{player: …, total: …}}`."
)
CORRECT_CLOCK = N_(
    "Is the time wrong? `arbiter: correct-clock 12:30, with: {{player: {mover}, reason: device}}` sets it."
)

UNTOLD: Mapping[str, str] = {
    "disqualified": N_("With `no` {who} is disqualified, and the game is over at once."),
    "game-lost": N_("With `no` {who} loses the game, and it is over at once."),
    "none": N_("With `no` it is refused, and no state changes."),
}
"""The penalty for leaving without telling, by ``absence.untold``."""


def format_refusal(problem: grpc.aio.AioRpcError, names: Mapping[str, str], language: str) -> str:
    """Return the sentence of a refusal, with names for ids, and its article."""
    info = info_of(problem)
    template = info.metadata.get("message")
    sentence = problem.details() or problem.code().name
    if template:
        params = {key: _replace_ids(value, names, language) for key, value in info.metadata.items()}
        sentence = say(template, params, language)
    if field := info.metadata.get("field"):
        label = label_of(FIELD_LABELS, "", field)
        sentence = f"{say(label, {}, language) if label else field}: {sentence}" if template else sentence
    article = info.metadata.get("article")
    text = translations(language).gettext(REFUSED_BECAUSE) % {"problem": sentence}
    return f"{text} ({cite(article, language)})" if article else text


def notices(shown: ShownTable, names: Mapping[str, str], language: str) -> Iterator[str]:
    """Yield pending decisions about a play on the board, without a refusal."""
    if shown.table.phase == game_pb2.PHASE_OFF_CENTRE:
        yield with_article(say(MISSES_CENTRE, {}, language), shown.ruleset.article("first_move.centre"), language)
        yield from hints("", shown, {}, names, language)
    if shown.entered_again:
        yield say(TURN_ENTERED_AGAIN, {"turn": shown.table.turn}, language)


def _replace_ids(value: str, names: Mapping[str, str], language: str) -> str:
    """Return ``value`` with names for ids, if it consists only of ids."""
    ids = value.replace("'", "").split(", ")
    if not value:
        return "–"
    return join_list([names[player] for player in ids], language) if all(player in names for player in ids) else value


def hints(
    reason: str, shown: ShownTable, params: Mapping[str, Param], names: Mapping[str, str], language: str
) -> Iterator[str]:
    """Yield the remedy for a refusal, unless the list of next steps shows it; ``params`` are those of the refusal."""
    table, ruleset = shown.table, shown.ruleset
    mover = names.get(table.turn_player_id, "")
    lies = table.HasField("pending") and table.keeping == events.KEEPING_RECORDED
    if table.phase == game_pb2.PHASE_OFF_CENTRE:
        others = ", ".join(names[player] for player in shown.others(table.turn_player_id))
        yield say(OFF_CENTRE, {"opponent": others}, language)
    if lies and reason in ("OFF_CENTRE_OPEN", "TURN_TAKEN"):
        yield say(ENTER_AGAIN, {"turn": table.turn}, language)
    if reason == "TOLD_NOT_SAID":
        article = ruleset.article("absence.untold") or ruleset.article("absence.told")
        yield with_article(say(UNTOLD[ruleset.absence.untold], params, language), article, language)
    closed = ruleset.challenge.closes_on != "next-turn"
    if reason == "NOTHING_TO_CHALLENGE" and closed and table.phase == game_pb2.PHASE_TURN and table.turn > 1:
        steps = ", ".join(f"`{TURN_STEPS[step]}`" for step in ruleset.turn.steps if step in TURN_STEPS)
        yield say(STEP_BY_STEP, {"steps": steps}, language)
    if reason == "NEXT_TURN_BEGUN":
        yield say(TAKE_BACK, {"turn": table.turn}, language)
    if reason == "TURN_OVER":
        stands = ruleset.scoresheet.plays_until == "completed"
        text, article = (CORRECT_TOTAL, "totals_until") if stands else (CORRECT_PLAY, "plays_until")
        cited = ruleset.article(f"scoresheet.{article}") or ruleset.law.correction
        hint = say(text, {"turn": params.get("turn", "")}, language)
        yield f"{hint} ({cited})" if cited else hint
    if reason == "TURN_TIMED_OUT" and ruleset.clock.model == "chess":
        yield say(CORRECT_CLOCK, {"mover": mover}, language)
