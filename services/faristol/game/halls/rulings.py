"""Cases and rulings of a hall, before they are copied. Pure.

Judges are at the championship. A hall without a line only has the rulings of the lexicon, on cases that it opens
itself, and those of judges that it has copied. So each ruling at a table must be that of a case: one in the record, or
one that the hall sends with it and on which the lexicon may rule in this tournament.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.adjudication.cases.model import Case, evolve
from faristol.kernel.cases import case_ids_of
from faristol.kernel.pins import Pin
from faristol.kernel.times import Instant, instant
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules.challenges import play_stands
from faristol.table.game.state import Game, Phase

NOT_BY_HALL = "a hall rules by the lexicon only, in a tournament where the lexicon rules"

RULINGS = (game_events.ChallengeRuled, game_events.AppealRuled)
CASE_KINDS = (events.CaseOpened, events.CaseRuled)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the events of a table depend on beside its own streams."""

    players: Collection[str] = ()
    """Players of the tournament: one at another table may have answered a player's question (UF 28.2)."""
    cases: Mapping[str, Case] = field(default_factory=dict)
    """Cases of the table by id."""
    challenges: Mapping[int, game_events.ChallengeRaised] = field(default_factory=dict)
    """Challenges at the table by number."""
    may_lexicon_rule: bool = True
    """Whether the lexicon ruled in the tournament at some time since the table was handed over."""

    def after(self, event: Message) -> Surroundings:
        """Return the surroundings after an event of the table or of a case."""
        match event:
            case events.CaseOpened() | events.CaseRuled():
                case = evolve(self.cases.get(event.case_id, Case()), event)
                return replace(self, cases=MappingProxyType({**self.cases, event.case_id: case}))
            case game_events.ChallengeRaised():
                return replace(self, challenges=MappingProxyType({**self.challenges, event.challenge: event}))
            case _:
                return self


def may_lexicon_rule(settings: Iterable[Message], since: Instant) -> bool:
    """Check whether the lexicon ruled in a tournament at some time since an instant.

    ``settings`` are the events of its adjudication. A hall without a line rules by the settings that it has copied.
    """
    mode = events.MODE_AUTOMATIC
    for event in settings:
        if isinstance(event, events.AdjudicationSet):
            if mode == events.MODE_AUTOMATIC and instant(event.occurred_at) > since:
                return True
            mode = event.mode
    return mode == events.MODE_AUTOMATIC


def list_cases(game: Game, new_events: Iterable[Message]) -> set[str]:
    """Return the ids of the cases on which these events of a table depend."""
    numbers = {event.challenge for event in new_events if isinstance(event, (*RULINGS, *CASE_KINDS))}
    return {
        case_id
        for number in numbers
        for is_appeal in (False, True)
        for case_id in case_ids_of(game.game_id, game.seed, number, appeal=is_appeal)
    }


def find_case_problem(game: Game, around: Surroundings, event: events.CaseOpened | events.CaseRuled) -> str:
    """Return why a hall cannot have written an event of a case; empty if it can."""
    if not around.may_lexicon_rule or event.mode not in (events.MODE_AUTOMATIC, events.MODE_UNSPECIFIED):
        return NOT_BY_HALL
    raised = around.challenges.get(event.challenge)
    if raised is None or (event.game_id, event.turn) != (game.game_id, raised.turn):
        return "it is not on a challenge at this table"
    case = around.cases.get(event.case_id, Case())
    if isinstance(event, events.CaseRuled):
        return _find_ruled_problem(case, event)
    if case.open or event.case_id not in case_ids_of(game.game_id, game.seed, event.challenge):
        return "it is not the case of this challenge"
    if event.panel or event.appeal or event.barred_judge_ids:
        return NOT_BY_HALL
    if event.tournament_id != game.tournament_id or Pin.of(event.lexicon) != game.lexicon:
        return "the case has another tournament or lexicon than its table"
    return "" if list(event.words) == list(raised.words) else "other words were challenged"


def _find_ruled_problem(case: Case, event: events.CaseRuled) -> str:
    if not case.waiting or case.panel or event.judge_ids or event.director or event.appeal:
        return NOT_BY_HALL
    words = [(tuple(each.word.faces), each.valid) for each in event.words]
    if tuple(word for word, _ in words) != case.words or event.valid is not all(valid for _, valid in words):
        return "it is not a ruling on each word of its case"
    return ""


def find_ruling_problem(
    game: Game, around: Surroundings, event: game_events.ChallengeRuled | game_events.AppealRuled
) -> str:
    """Return why an event cannot be the ruling on the play of a table; empty if it can."""
    is_appeal = isinstance(event, game_events.AppealRuled)
    if (game.phase, game.ruled, game.challenges) != (Phase.CHALLENGED, None, event.challenge):
        return f"challenge {event.challenge} does not wait for a ruling"
    if game.course.appealed is not is_appeal:
        return "a ruling is on the challenge, or on the appeal if there is one"
    if isinstance(event, game_events.AppealRuled) and event.arbiter_id:
        return ""
    ids = case_ids_of(game.game_id, game.seed, event.challenge, appeal=is_appeal)
    case = next((case for case_id in ids if (case := around.cases.get(case_id, Case())).ruled), None)
    if case is None:
        return "no case has this ruling"
    valid = [ruling.valid for ruling in case.rulings] or [case.valid]
    if event.valid is not (case.valid if is_appeal else play_stands(valid)):
        return "the ruling of the case differs"
    if isinstance(event, game_events.ChallengeRuled):
        known = {ruling.word: ruling.valid for ruling in case.rulings}
        if any(known.get(tuple(each.word.faces)) is not each.valid for each in event.words):
            return "the ruling of the case on a word differs"
    return ""
