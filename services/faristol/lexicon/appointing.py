"""What a director says about adjudication: who rules, which judges there are, which layers count. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.refusal import N_, Refusal
from faristol.lexicon.adjudication import Adjudication, evolve
from faristol.lexicon.model import Case
from faristol.lexicon.views import Tournament
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Needs:
    """What a tournament needs judges for."""

    language: str
    """Of its lexicon, ISO 639-1."""
    appeals_by: str
    """The article by which a ruling is appealed (FISC I.10, FISE 42.4); empty where the rules know no appeal."""

    @classmethod
    def of(cls, ruleset: Ruleset, language: str) -> Needs:
        """The needs of a tournament with these rules and a lexicon in this language."""
        appeals = ruleset.challenge.appeal_by != "none"
        return cls(language, ruleset.article("challenge.appeal_by") if appeals else "")


def set_adjudication(
    state: Adjudication,
    mode: events.Mode.ValueType,
    panel: int,
    lease_seconds: int,
    escalate_after_seconds: int,
    needs: Needs,
    at: Timestamp,
) -> list[Message]:
    """Challenges are ruled on by ``mode`` from now on, of a panel by ``panel`` judges.

    Nothing when that is how it is. Raises ``Refusal`` when there are not enough judges for challenges and appeals, or
    no director.
    """
    fact = events.AdjudicationSet(
        mode=mode,
        panel={events.MODE_AUTOMATIC: 0, events.MODE_JUDGE: 1}.get(mode, panel),
        lease_seconds=lease_seconds,
        escalate_after_seconds=escalate_after_seconds,
        occurred_at=at,
    )
    after = evolve(state, fact)
    _check_judges(after, needs)
    return [] if after == state else [fact]


def appoint(
    state: Adjudication,
    judge_id: str,
    languages: Collection[str],
    *,
    director: bool,
    needs: Needs,
    at: Timestamp,
    waiting: Collection[Case] = (),
) -> list[Message]:
    """``judge_id`` may rule on cases, in ``languages``; nothing when he may already.

    Raises ``Refusal`` when a judge that is needed would take fewer cases than before, be it only for those ``waiting``.
    """
    fact = events.JudgeAppointed(judge_id=judge_id, languages=sorted(set(languages)), director=director, occurred_at=at)
    after = evolve(state, fact)
    if judge_id in state.judges:
        _check_judges(after, needs, waiting, before=state)
    return [] if after == state else [fact]


def dismiss(
    state: Adjudication, judge_id: str, needs: Needs, at: Timestamp, waiting: Collection[Case] = ()
) -> list[Message]:
    """``judge_id`` rules no more.

    Raises ``Refusal`` when there is no such judge, or he is needed, be it only for the cases ``waiting``: they stay as
    they were opened, whatever mode was set since.
    """
    if judge_id not in state.judges:
        raise Refusal(
            "NOT_APPOINTED", "", N_("{judge} is not appointed: there is nothing to end."), {"judge": judge_id}
        )
    fact = events.JudgeDismissed(judge_id=judge_id, occurred_at=at)
    _check_judges(evolve(state, fact), needs, waiting, before=state)
    return [fact]


def choose_layers(
    state: Adjudication,
    tournament: Tournament,
    ruleset: Ruleset,
    layers: Collection[str],
    known: Collection[str],
    at: Timestamp,
) -> list[Message]:
    """These layers of the lexicon count, of those that it has (``known``).

    Raises ``Refusal`` when there is no such layer, or when the rules want that said earlier: with the tournament, or
    before its first game (PES Α).
    """
    chosen = tuple(sorted(set(layers)))
    article = ruleset.article("lexicon.frozen_on")
    if ruleset.lexicon.frozen_on == "created":
        raise Refusal(
            "LAYERS_FROZEN", article, N_("The layers of the lexicon are chosen when a tournament is created.")
        )
    if tournament.started:
        raise Refusal("LAYERS_FROZEN", article, N_("The first game has begun: no dictionary is added or taken away."))
    if unknown := sorted(set(chosen) - set(known)):
        raise Refusal(
            "NO_SUCH_LAYER",
            "",
            N_("The lexicon {lexicon} has no layer {layers}; it has: {known}."),
            {
                "lexicon": tournament.lexicon.name,
                "layers": ", ".join(unknown),
                "known": ", ".join(sorted(known)) or "–",
            },
        )
    if state.layers == chosen:
        return []
    return [events.LayersChosen(layers=chosen, occurred_at=at)]


def _check_judges(
    state: Adjudication, needs: Needs, waiting: Collection[Case] = (), *, before: Adjudication | None = None
) -> None:
    """Raise ``Refusal``, with every reason there is, when somebody is missing for what is or may become a case.

    ``before`` is how it was until now, for the appeals among the cases ``waiting``.
    """
    panels = Counter[str]()
    for case in waiting:
        if not case.barred:
            panels[case.language] = max(panels[case.language], case.panel)
    if state.mode != events.MODE_AUTOMATIC:
        panels[needs.language] = max(panels[needs.language], state.panel)
    missing = [
        Refusal(
            "TOO_FEW_JUDGES",
            "",
            N_("Judges that are needed for {language}: {panel}; appointed: {able}. Appoint them first."),
            {"panel": panel, "language": language, "able": len(state.able(language))},
        )
        for language, panel in sorted(panels.items())
        if len(state.able(language)) < panel
    ]
    if any(panels.values()) and not state.directors:
        missing.append(
            Refusal(
                "NO_DIRECTOR",
                "",
                N_("A case that waits for too long goes to a director: appoint one with that right first."),
            )
        )
    if state.mode != events.MODE_AUTOMATIC and needs.appeals_by and not _appeals_find_a_judge(state, needs.language):
        missing.append(
            Refusal(
                "NO_JUDGE_FOR_APPEALS",
                needs.appeals_by,
                N_(
                    "An appeal goes to another judge than the first, and there would be none. Enough are: judges for "
                    "{language} who are not directors: {panel}; and a director who is no judge for {language}."
                ),
                {"panel": state.panel, "language": needs.language},
            )
        )
    missing += _lost_to_appeals(before or state, state, waiting)
    if missing:
        first, *others = missing
        raise Refusal(first.reason, first.article, first.message, first.params, others=others)


def _lost_to_appeals(before: Adjudication, after: Adjudication, waiting: Collection[Case]) -> list[Refusal]:
    """Whom appeals that wait would lose of those who did not rule first: judges, a director.

    One without the other is enough for an appeal to be opened: what it never had, it does not lose.
    """
    lost = []
    appeals = ((case.language, case.panel, case.barred, case.article) for case in waiting if case.barred)
    for language, panel, barred, article in dict.fromkeys(appeals):
        able = len(after.able(language) - barred)
        if able < panel <= len(before.able(language) - barred):
            lost.append(
                Refusal(
                    "TOO_FEW_JUDGES",
                    article,
                    N_(
                        "An appeal waits. Judges for {language} that it needs, who did not rule first: {panel}; "
                        "appointed: {able}. Appoint them first."
                    ),
                    {"panel": panel, "language": language, "able": able},
                )
            )
        if before.directors - barred and not after.directors - barred:
            lost.append(
                Refusal(
                    "NO_DIRECTOR",
                    article,
                    N_("An appeal waits, and may need a director who did not rule first: appoint one first."),
                )
            )
    return lost


def _appeals_find_a_judge(state: Adjudication, language: str) -> bool:
    """Whether somebody is left for an appeal, whoever of the judges and directors ruled first."""
    able, directors = state.able(language), state.directors
    after_judges = len(able) >= 2 * state.panel or not directors <= able or len(directors) > state.panel
    after_director = len(directors) > 1 or len(able - directors) >= state.panel
    return after_judges and after_director
