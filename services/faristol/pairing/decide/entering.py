"""Results that come from an arbiter and not from their table. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import reduce
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, systems
from faristol.pairing.decide.corrections import (
    check_arbiter,
    forfeit_scores,
    found_game,
    in_order,
    leaders,
    scores_swapped,
)
from faristol.pairing.decide.results import record_result
from faristol.pairing.model import Decided, Pairing, Phase, Tournament, evolve
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.endgame import settle_abandonment


def give_forfeit(
    state: Tournament,
    ruleset: Ruleset,
    *,
    game: str,
    turns: int,
    loser_ids: Collection[str],
    arbiter_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
    field: str = "loser_ids",
) -> list[Message]:
    """Decide a game that is not played: ``loser_ids`` lose it, one of its players or all (absent, disqualified).

    The scores are those of the book (PES ΣΤ: 150–0). Raises ``Invalid`` for losers who do not play it and without an
    arbiter, ``Refusal`` once its first turn is over: how such a game ends is entered at its table; and when a player
    gave it up by withdrawing and would not lose it. ``field`` is what the caller calls the losers.
    """
    pairing = _check_undecided(state, ruleset, game, turns, arbiter_id)
    losers = [player_id for player_id in pairing.player_ids if player_id in loser_ids]
    if not losers or len(losers) != len(loser_ids):
        raise Invalid(
            field,
            N_("are {found}; expected one of {expected}, or all of them, each once"),
            {"found": ", ".join(sorted(loser_ids))[:200] or "–", "expected": ", ".join(pairing.player_ids)},
        )
    _check_given_up(state, ruleset, pairing, losers, field)
    scores, decided = _forfeited(ruleset, pairing, losers)
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return _entered(state, ruleset, pairing, scores, decided, arbiter_id, note, occurred_at)


def lost_by_absence(state: Tournament, ruleset: Ruleset, number: int, occurred_at: Timestamp) -> list[Message]:
    """The results of a round that is started whose players are not there for it, where that loses the game (PES ΣΤ)."""
    facts: list[Message] = []
    for pairing in state.played[number - 1].pairings:
        if losers := systems.losers_by_absence(state, ruleset, number, pairing.player_ids):
            scores, decided = _forfeited(ruleset, pairing, losers)
            facts += _entered(state, ruleset, pairing, scores, decided, "", "", occurred_at)
    return facts


def _forfeited(
    ruleset: Ruleset, pairing: Pairing, losers: Collection[str]
) -> tuple[Sequence[tuple[str, int]], Decided]:
    """The scores of a game that is not played, and what decided it."""
    winners = [player_id for player_id in pairing.player_ids if player_id not in losers]
    decided = Decided(
        winner_id=winners[0] if len(winners) == 1 else "",
        lost_by_all=not winners,
        condition=game_events.END_CONDITION_FORFEIT,
        losers=tuple(losers),
        unplayed=True,
    )
    return forfeit_scores(pairing.player_ids, losers, ruleset), decided


def enter_result(
    state: Tournament,
    ruleset: Ruleset,
    *,
    game: str,
    turns: int,
    scores: Sequence[tuple[str, int]],
    abandoned_by: Collection[str],
    winner_id: str,
    arbiter_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """The result of a game that was played and not kept at its table.

    A postponed game is one of them, unless it was started: what was agreed (PES Γ.β) is when it is played, and not that
    its table keeps it.
    ``scores`` are those after the deductions, and where players left the game, ``abandoned_by``, those at that moment:
    what they come to is what the book says of it (FISC I.8.E and F, PES ΣΤ). The highest score of who stayed wins.
    Raises ``Invalid`` for scores that are not of its players, in any order, and without an arbiter;
    ``Refusal`` for scores by which another than ``winner_id`` wins, for a player who gave the game up by withdrawing
    and is not in ``abandoned_by``, and once the first turn of the game is over at its table.
    """
    pairing = _check_undecided(state, ruleset, game, turns, arbiter_id)
    scores = in_order(pairing, scores)
    left = [player_id for player_id in pairing.player_ids if player_id in abandoned_by]
    if len(left) != len(abandoned_by):
        raise Invalid(
            "abandoned_by",
            N_("are {found}; expected some of {expected}, each once"),
            {"found": ", ".join(sorted(abandoned_by))[:200], "expected": ", ".join(pairing.player_ids)},
        )
    _check_given_up(state, ruleset, pairing, left, "abandoned_by")
    points = settle_abandonment(dict(scores), left, ruleset).scores if left else dict(scores)
    stayed = {player_id: score for player_id, score in points.items() if player_id not in left}
    best = leaders(stayed)
    if winner_id and best != [winner_id]:
        raise scores_swapped(winner_id, scores)
    abandoned = game_events.END_CONDITION_ABANDONED if stayed else game_events.END_CONDITION_ALL_ABANDONED
    decided = Decided(
        winner_id=best[0] if len(best) == 1 else "",
        lost_by_all=not stayed,
        condition=abandoned if left else game_events.END_CONDITION_UNSPECIFIED,
        losers=tuple(left),
    )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    settled = tuple((player_id, points[player_id]) for player_id, _ in scores)
    changed = scores if settled != scores else ()
    return _entered(state, ruleset, pairing, settled, decided, arbiter_id, note, occurred_at, scores_given=changed)


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a game as an arbiter gives it, see ``enter_result``; or who loses it by forfeit."""

    game: str
    scores: Sequence[tuple[str, int]] = ()
    abandoned_by: Collection[str] = ()
    winner_id: str = ""
    forfeited_by: Collection[str] = ()


MOST_RESULTS = 1_000
"""Results in one act: more than a round has tables."""


def enter_results(
    state: Tournament,
    ruleset: Ruleset,
    *,
    results: Sequence[GameResult],
    turns: Mapping[str, int],
    arbiter_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """The results of several games, all of them or none. ``turns`` says how many are over at the table of each game.

    Raises ``Invalid`` for none or for too many, and as ``enter_result`` and ``give_forfeit`` do; ``Refusal`` with
    everything that speaks against any of them.
    """
    if not 1 <= len(results) <= MOST_RESULTS:
        raise Invalid("results", N_("are {count}; expected 1 to {most}"), {"count": len(results), "most": MOST_RESULTS})
    facts: list[Message] = []
    refusals: list[Refusal] = []
    for place, one in enumerate(results):
        given = {"game": one.game, "turns": turns[one.game], "arbiter_id": arbiter_id, "note": note}
        try:
            decided = _decided(state, ruleset, one, given, at, now)
        except Refusal as refusal:
            refusals += _about(one.game, refusal)
            continue
        except Invalid as problem:
            raise _in_result(state, place, one.game, problem) from problem
        state = reduce(evolve, decided, state)
        facts += decided
    conditions.check_none(refusals)
    return facts


def _decided(
    state: Tournament,
    ruleset: Ruleset,
    one: GameResult,
    given: Mapping[str, Any],
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    if not one.forfeited_by:
        return enter_result(
            state,
            ruleset,
            scores=one.scores,
            abandoned_by=one.abandoned_by,
            winner_id=one.winner_id,
            at=at,
            now=now,
            **given,
        )
    if one.scores or one.abandoned_by or one.winner_id:
        raise Invalid("forfeited_by", N_("expected nobody, or no scores: those of a forfeit are in the book"))
    losers = one.forfeited_by
    return give_forfeit(state, ruleset, loser_ids=losers, at=at, now=now, field="forfeited_by", **given)


def _about(game: str, refusal: Refusal) -> list[Refusal]:
    """All reasons of a refusal, which say which game they are about."""
    return [
        Refusal(reason.reason, reason.article, reason.message, reason.params, subject=f"games/{game}")
        for reason in (refusal, *refusal.others)
    ]


def _in_result(state: Tournament, place: int, game: str, problem: Invalid) -> Invalid:
    """A problem of a field of one result among several, with its place there, from 0, and the table of its game.

    What the results have in common, the arbiter and the time, has no place among them.
    """
    if problem.field not in {field.name for field in fields(GameResult)}:
        return problem
    found = state.find_game(game)
    table = found[1].table if found else 0
    params = {**problem.params, "game": game, "table": table}
    return Invalid(
        f"results[{place}].{problem.field}", problem.problem, params, where=N_("table {table}") if table else ""
    )


def _check_undecided(state: Tournament, ruleset: Ruleset, game: str, turns: int, arbiter_id: str) -> Pairing:
    """The table of a game that is due and has not been decided or begun. Refuses any other."""
    one, pairing = found_game(state, game)
    check_arbiter(arbiter_id, pairing.player_ids)
    if game in one.results:
        raise conditions.result_known(game, ruleset.law.result_final)
    if one.phase is not Phase.STARTED:
        raise Refusal(
            "ROUND_NOT_STARTED",
            "",
            N_("Round {round} has not been started."),
            {"round": one.number},
            subject=f"rounds/{one.number}",
        )
    if turns:
        raise Refusal(
            "GAME_BEGUN",
            "",
            N_(
                "{game} is being played at its table, where {turns} {turns:turn is|turns are} over: "
                "its end is entered there."
            ),
            {"game": game, "turns": turns},
            subject=f"games/{game}",
        )
    return pairing


def _check_given_up(state: Tournament, ruleset: Ruleset, pairing: Pairing, losers: Collection[str], field: str) -> None:
    """Refuse a result by which somebody does not lose who gave the game up by withdrawing; ``field`` says who loses."""
    if missing := [player_id for player_id in state.gave_up(pairing) if player_id not in losers]:
        raise Refusal(
            "GAME_GIVEN_UP",
            ruleset.article("abandon.rule"),
            N_("{players} withdrew and gave {game} up: give {field} with {players}, or reinstate them first."),
            {"players": ", ".join(missing), "game": pairing.game_id, "field": field},
            subject=f"games/{pairing.game_id}",
        )


def _entered(
    state: Tournament,
    ruleset: Ruleset,
    pairing: Pairing,
    scores: Sequence[tuple[str, int]],
    decided: Decided,
    arbiter_id: str,
    note: str,
    occurred_at: Timestamp,
    *,
    scores_given: Sequence[tuple[str, int]] = (),
) -> list[Message]:
    found = state.find_game(pairing.game_id)
    assert found is not None, "the game was found before"
    return [
        events.ResultEntered(
            round=found[0].number,
            game_id=pairing.game_id,
            arbiter_id=arbiter_id,
            note=note,
            occurred_at=occurred_at,
            scores_given=[
                game_events.FinalScore(player_id=player_id, score=score) for player_id, score in scores_given
            ],
        ),
        *record_result(state, ruleset, game=pairing.game_id, scores=scores, occurred_at=occurred_at, decided=decided),
    ]
