"""Commands of a director on adjudication: mode, judges and layers. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.adjudication.cases.model import Case
from faristol.adjudication.policy import Adjudication, evolve
from faristol.adjudication.views import AdjudicatedTournament
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules import Ruleset

JUDGE_ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
LANGUAGE_PATTERN = re.compile(r"[a-z]{2}")
MAX_JUDGE_LANGUAGES = 20
PANEL_BOUNDS = (3, 9)
LEASE_BOUNDS = (2, 600)
ESCALATION_BOUNDS = (5, 3_600)
"""The least and the most of ``PANEL_BOUNDS`` (judges), ``LEASE_BOUNDS`` and ``ESCALATION_BOUNDS`` (seconds)."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The state on which a director's command on adjudication is decided."""

    state: Adjudication
    tournament: AdjudicatedTournament
    ruleset: Ruleset
    at: Timestamp
    language: str
    """Language of the lexicon, ISO 639-1."""
    known_layers: Collection[str] = ()
    """Layers of the lexicon."""
    waiting: Collection[Case] = ()
    """Cases of the tournament that wait for a ruling."""

    @property
    def appeals_by(self) -> str:
        """The article on appeals against rulings (FISC I.10, FISE 42.4); empty if the rules have no appeal."""
        appeals = self.ruleset.game.mode != "duplicate" and self.ruleset.challenge.appeal_by != "none"
        return self.ruleset.article("challenge.appeal_by") if appeals else ""


def set_adjudication(situation: Situation, request: pb.SetAdjudicationRequest) -> list[Message]:
    """Set the mode, the panel and the times of adjudication; return no event if none of them changes.

    Raises ``Invalid`` for an invalid mode, panel or time, and ``Refusal`` if judges for challenges and appeals or a
    director are missing.
    """
    _check_mode(request)
    _check_seconds("lease_seconds", request.lease_seconds, LEASE_BOUNDS)
    _check_seconds("escalate_after_seconds", request.escalate_after_seconds, ESCALATION_BOUNDS)
    state = situation.state
    event = events.AdjudicationSet(
        mode=request.mode,
        panel={events.MODE_AUTOMATIC: 0, events.MODE_JUDGE: 1}.get(request.mode, request.panel),
        lease_seconds=request.lease_seconds or state.lease_seconds,
        escalate_after_seconds=request.escalate_after_seconds or state.escalate_after_seconds,
        occurred_at=situation.at,
    )
    after = evolve(state, event)
    _check_judges(after, situation)
    return [] if after == state else [event]


def appoint(situation: Situation, request: pb.AppointJudgeRequest) -> list[Message]:
    """Appoint a judge for ``languages``; return no event if the appointment is unchanged.

    Raises ``Invalid`` for an invalid id or language. Raises ``Refusal`` if the judge would take fewer cases than before
    and is needed for them, including cases that wait.
    """
    state, judge_id = situation.state, request.judge_id
    check_judge_id(judge_id)
    _check_languages(request)
    event = events.JudgeAppointed(
        judge_id=judge_id,
        languages=sorted(set(request.languages)),
        director=request.director,
        occurred_at=situation.at,
    )
    after = evolve(state, event)
    if judge_id in state.judges:
        _check_judges(after, situation, situation.waiting)
    return [] if after == state else [event]


def dismiss(situation: Situation, request: pb.DismissJudgeRequest) -> list[Message]:
    """Dismiss a judge.

    Raises ``Refusal`` if the judge is not appointed, or is needed, including for cases that wait: a case keeps the mode
    in which it was opened.
    """
    state, judge_id = situation.state, request.judge_id
    check_judge_id(judge_id)
    if judge_id not in state.judges:
        raise Refusal("NOT_APPOINTED", N_("{judge} is not appointed and cannot be dismissed."), {"judge": judge_id})
    event = events.JudgeDismissed(judge_id=judge_id, occurred_at=situation.at)
    _check_judges(evolve(state, event), situation, situation.waiting)
    return [event]


def choose_layers(situation: Situation, request: pb.ChooseLayersRequest) -> list[Message]:
    """Choose the layers of the lexicon that are valid.

    Raises ``Refusal`` for an unknown layer, or if the rules require an earlier choice: at the creation of the
    tournament, or before its first game (PES Α).
    """
    tournament, ruleset = situation.tournament, situation.ruleset
    chosen = tuple(sorted(set(request.layers)))
    article = ruleset.article("lexicon.frozen_on")
    if ruleset.lexicon.frozen_on == "created":
        raise Refusal(
            "LAYERS_FROZEN",
            N_("The layers of the lexicon can be chosen only when a tournament is created."),
            article=article,
        )
    if tournament.started:
        raise Refusal(
            "LAYERS_FROZEN",
            N_("The first game has begun: dictionaries can no longer be added or removed."),
            article=article,
        )
    if unknown := sorted(set(chosen) - set(situation.known_layers)):
        raise Refusal(
            "NO_SUCH_LAYER",
            N_("The lexicon {lexicon} has no layer {layers}; it has: {known}."),
            {
                "lexicon": tournament.lexicon.name,
                "layers": ", ".join(unknown),
                "known": ", ".join(sorted(situation.known_layers)) or "–",
            },
        )
    if situation.state.layers == chosen:
        return []
    return [events.LayersChosen(layers=chosen, occurred_at=situation.at)]


class AppointmentCommand(NamedTuple):
    """The function that decides a director's command."""

    decide: Callable[[Situation, Any], list[Message]]
    guarded: bool = False
    """Whether the command depends on the tournament's state, so that its stream is guarded."""


COMMANDS: Mapping[type[Message], AppointmentCommand] = {
    pb.SetAdjudicationRequest: AppointmentCommand(set_adjudication),
    pb.AppointJudgeRequest: AppointmentCommand(appoint),
    pb.DismissJudgeRequest: AppointmentCommand(dismiss),
    pb.ChooseLayersRequest: AppointmentCommand(choose_layers, guarded=True),
}


def check_judge_id(judge_id: str) -> None:
    """Raise ``Invalid`` for an invalid id of a judge."""
    if not JUDGE_ID_PATTERN.fullmatch(judge_id):
        raise Invalid(
            "judge_id",
            N_("{judge} is not a judge id: expected 1 to 40 of a-z, 0-9 and -, not beginning with -"),
            {"judge": repr(judge_id[:64])},
        )


def _check_mode(request: pb.SetAdjudicationRequest) -> None:
    if request.mode not in {events.MODE_AUTOMATIC, events.MODE_JUDGE, events.MODE_PANEL}:
        raise Invalid("mode", N_("expected automatic, judge or panel"))
    least, most = PANEL_BOUNDS
    if request.mode == events.MODE_PANEL and not (least <= request.panel <= most and request.panel % 2):
        raise Invalid(
            "panel",
            N_("{panel} judges cannot form a panel: expected an odd number from {least} to {most}"),
            {"panel": request.panel, "least": least, "most": most},
        )
    if request.mode != events.MODE_PANEL and request.panel > 1:
        raise Invalid("panel", N_("is {given}; only a panel has more than one judge"), {"given": request.panel})


def _check_seconds(field: str, given: int, limits: tuple[int, int]) -> None:
    least, most = limits
    if given and not least <= given <= most:
        raise Invalid(
            field,
            N_("are {given}; expected {least} to {most}, or 0 to leave the number unchanged"),
            {"given": given, "least": least, "most": most},
        )


def _check_languages(request: pb.AppointJudgeRequest) -> None:
    if not request.languages and not request.director:
        raise Invalid("languages", N_("are missing; expected one or more, such as ca"))
    if len(request.languages) > MAX_JUDGE_LANGUAGES:
        raise Invalid(
            "languages",
            N_("are {given}; expected {most} at most"),
            {"given": len(request.languages), "most": MAX_JUDGE_LANGUAGES},
        )
    for language in request.languages:
        if not LANGUAGE_PATTERN.fullmatch(language):
            raise Invalid(
                "languages",
                N_("{language} is not a language: expected an ISO 639-1 code such as ca"),
                {"language": repr(language[:20])},
            )


def _check_judges(state: Adjudication, situation: Situation, waiting: Collection[Case] = ()) -> None:
    """Raise ``Refusal``, with every reason, if judges or directors are missing for present or future cases.

    ``state`` is the adjudication after the command, ``waiting`` the cases that must remain rulable.
    """
    language, appeals_by = situation.language, situation.appeals_by
    panels = Counter[str]()
    for case in waiting:
        if not case.barred:
            panels[case.language] = max(panels[case.language], case.panel)
    if state.mode != events.MODE_AUTOMATIC:
        panels[language] = max(panels[language], state.panel)
    missing = [
        Refusal(
            "TOO_FEW_JUDGES",
            N_("Judges required for {language}: {panel}; appointed: {able}. Appoint them first."),
            {"panel": panel, "language": needed, "able": len(state.able(needed))},
        )
        for needed, panel in sorted(panels.items())
        if len(state.able(needed)) < panel
    ]
    if any(panels.values()) and not state.directors:
        missing.append(
            Refusal(
                "NO_DIRECTOR",
                N_("A case that waits too long is escalated to a director: first appoint a director with that right."),
            )
        )
    if state.mode != events.MODE_AUTOMATIC and appeals_by and not _appeals_find_a_judge(state, language):
        missing.append(
            Refusal(
                "NO_JUDGE_FOR_APPEALS",
                N_(
                    "An appeal needs a different judge, and no judge would be left. Required: judges for {language} "
                    "who are not directors: {panel}; and a director who is not a judge for {language}."
                ),
                {"panel": state.panel, "language": language},
                article=appeals_by,
            )
        )
    missing += _lost_to_appeals(situation.state, state, waiting)
    if missing:
        first, *others = missing
        raise Refusal(first.reason, first.message, first.params, article=first.article, others=others)


def _lost_to_appeals(before: Adjudication, after: Adjudication, waiting: Collection[Case]) -> list[Refusal]:
    """Return refusals for the judges or the director that waiting appeals would lose.

    Judges or a director of the first ruling do not count. An appeal needs only one of the two to be opened: it does not
    lose the one that it never had.
    """
    lost = []
    appeals = ((case.language, case.panel, case.barred, case.article) for case in waiting if case.barred)
    for language, panel, barred, article in dict.fromkeys(appeals):
        able = len(after.able(language) - barred)
        if able < panel <= len(before.able(language) - barred):
            lost.append(
                Refusal(
                    "TOO_FEW_JUDGES",
                    N_(
                        "An appeal is pending. Judges required for {language} who did not rule first: {panel}; "
                        "appointed: {able}. Appoint them first."
                    ),
                    {"panel": panel, "language": language, "able": able},
                    article=article,
                )
            )
        if before.directors - barred and not after.directors - barred:
            lost.append(
                Refusal(
                    "NO_DIRECTOR",
                    N_("An appeal is pending and may require a director who did not rule first: appoint one first."),
                    article=article,
                )
            )
    return lost


def _appeals_find_a_judge(state: Adjudication, language: str) -> bool:
    """Check whether an appeal finds a judge or director in any case, by whichever of them the first ruling was made."""
    able, directors = state.able(language), state.directors
    after_judges = len(able) >= 2 * state.panel or not directors <= able or len(directors) > state.panel
    after_director = len(directors) > 1 or len(able - directors) >= state.panel
    return after_judges and after_director
