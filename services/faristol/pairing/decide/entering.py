"""Results that come from an arbiter and not from their table. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.host.errors import Invalid
from faristol.host.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.decide.corrections import check_arbiter, found_game, in_order, leaders, scores_swapped
from faristol.pairing.decide.results import record_result
from faristol.pairing.model import Decided, Pairing, Phase, Tournament
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import N_, Refusal, Ruleset
from faristol.rules.endgame import forfeit_adjustments, settle_abandonment


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
) -> list[Message]:
    """Decide a game that is not played: ``loser_ids`` lose it, one of its players or all (absent, disqualified).

    The scores are those of the book (PES ΣΤ: 150–0). Raises ``Invalid`` for losers who do not play it and without an
    arbiter, ``Refusal`` once its first turn is over: how such a game ends is entered at its table; and when a player
    gave it up by withdrawing and would not lose it.
    """
    pairing = _check_undecided(state, ruleset, game, turns, arbiter_id)
    losers = [player_id for player_id in pairing.player_ids if player_id in loser_ids]
    if not losers or len(losers) != len(set(loser_ids)):
        raise Invalid(
            "loser_ids",
            N_("are {found}; expected one of {expected}, or all of them"),
            {"found": ", ".join(sorted(loser_ids))[:200] or "–", "expected": ", ".join(pairing.player_ids)},
        )
    _check_given_up(state, ruleset, pairing, losers, "loser_ids")
    points = dict.fromkeys(pairing.player_ids, 0)
    for line in forfeit_adjustments(points, losers, ruleset):
        points[line.player] += line.points
    winners = [player_id for player_id in pairing.player_ids if player_id not in losers]
    decided = Decided(
        winner_id=winners[0] if len(winners) == 1 else "",
        lost_by_all=not winners,
        condition=game_events.END_CONDITION_FORFEIT,
        losers=tuple(losers),
        unplayed=True,
    )
    return _entered(state, ruleset, pairing, tuple(points.items()), decided, arbiter_id, note, at, now)


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
    if len(left) != len(set(abandoned_by)):
        raise Invalid(
            "abandoned_by",
            N_("are {found}; expected some of {expected}"),
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
    return _entered(state, ruleset, pairing, tuple(points.items()), decided, arbiter_id, note, at, now)


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
            N_("{game} is being played at its table, where {turns} turns are over: its end is entered there."),
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
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    found = state.find_game(pairing.game_id)
    assert found is not None, "the game was found before"
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [
        events.ResultEntered(
            round=found[0].number,
            game_id=pairing.game_id,
            arbiter_id=arbiter_id,
            note=note,
            occurred_at=occurred_at,
        ),
        *record_result(state, ruleset, game=pairing.game_id, scores=scores, occurred_at=occurred_at, decided=decided),
    ]
