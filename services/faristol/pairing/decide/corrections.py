"""What is put right after a game: its result, and rulings on its plays. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.decide.counting import after_sanctions
from faristol.pairing.identity import checked_id
from faristol.pairing.model import Decided, Pairing, Round, Tournament, Unsanctioned
from faristol.pairing.rulings import Rulings
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.challenges import spread_correction
from faristol.rules.corrections import check_result_correction
from faristol.rules.endgame import forfeit_adjustments
from faristol.rules.officials import check_not_concerned

MOST_POINTS = 100_000
"""Far more than anybody scores in a game."""


def correct_result(
    state: Tournament,
    ruleset: Ruleset,
    *,
    game: str,
    scores: Sequence[tuple[str, int]],
    winner_id: str,
    lost_by_all: bool,
    unplayed: bool,
    player_ids: Sequence[str],
    arbiter_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
    scores_before: Sequence[tuple[str, int]] = (),
) -> list[Message]:
    """Another result in place of one on the record, whatever became of its round since.

    Scores are those of the game: what sanctions that stand on it take comes off them in a fact of its own.
    ``unplayed`` says that it is a forfeit, which is no game for pairing, tie-breaks and ratings; without scores it has
    those of the book.

    FISC I.8 and PES Ε.α let no result be touched; under FISE 44 all its players ask; elsewhere the arbiter decides.
    What is final is the sheet: an arbiter who entered a result wrongly puts that right under every book.
    Who left the game, or lost it by decision, goes on losing it unless ``winner_id`` names them.
    Raises ``Invalid`` for scores that are not of both players, in any order, and without an arbiter;
    ``Refusal`` for scores by which another than ``winner_id`` wins, unless nobody played or all had lost the game, and
    where others stand on the record than ``scores_before``, which the caller took for those to be corrected.
    """
    one, pairing = found_game(state, game)
    check_arbiter(arbiter_id, pairing.player_ids)
    if game not in one.results:
        raise Refusal(
            "NO_RESULT",
            "",
            N_("{game} has no result yet: there is nothing to correct."),
            {"game": game},
            subject=f"games/{game}",
        )
    if scores_before:
        _check_unchanged(one.results[game], game, in_order(pairing, scores_before))
    names = pairing.player_ids
    if unplayed and not scores and (winner_id in names or lost_by_all):
        scores = forfeit_scores(names, [one for one in names if one != winner_id], ruleset)
    scores = in_order(pairing, scores)
    if (winner_id and winner_id not in names) or (winner_id and lost_by_all):
        raise Invalid("winner_id", N_("expected one of the players, or none when all lost"))
    if strangers := set(player_ids) - set(pairing.player_ids):
        raise Invalid(
            "player_ids",
            N_("{found} does not play in {game}"),
            {"found": ", ".join(sorted(strangers))[:200], "game": game},
        )
    if game not in one.entered:
        check_result_correction(player_ids, pairing.player_ids, ruleset)
    points = tuple(score for _, score in scores)
    unsanctioned = one.without_sanctions(game)
    before = unsanctioned.decided
    if winner_id and not unplayed:
        _check_winner(before, winner_id, scores)
    if not winner_id and not lost_by_all:
        winner_id = _winner(before, game, scores)
    if unplayed and not winner_id and not lost_by_all:
        raise Invalid("unplayed", N_("expected a winner, or that all lost: a game that nobody played is no draw"))
    known = (unsanctioned.scores, before.winner_id, before.lost_by_all, before.unplayed)
    if known == (points, winner_id, lost_by_all, unplayed):
        raise Refusal("SAME_RESULT", "", N_("This is the result of {game} already."), {"game": game})
    corrected = events.ResultCorrected(
        round=one.number,
        game_id=game,
        scores=[game_events.FinalScore(player_id=player_id, score=score) for player_id, score in scores],
        winner_id=winner_id,
        lost_by_all=lost_by_all,
        player_ids=player_ids,
        arbiter_id=arbiter_id,
        note=note,
        occurred_at=to_timestamp(conditions.moment(state, at, now)),
        unplayed=unplayed,
        condition=_condition(before, unplayed=unplayed),
        loser_ids=_losers(before, names, winner_id, unplayed=unplayed),
    )
    result = Unsanctioned(points, before.corrected(corrected))
    return [corrected, *after_sanctions(one, pairing, ruleset, result, corrected.occurred_at)]


def forfeit_scores(player_ids: Sequence[str], losers: Collection[str], ruleset: Ruleset) -> tuple[tuple[str, int], ...]:
    """The scores that the book gives a game that is not played (PES ΣΤ: 150–0), in the order of ``player_ids``."""
    points = dict.fromkeys(player_ids, 0)
    for line in forfeit_adjustments(points, losers, ruleset):
        points[line.player] += line.points
    return tuple(points.items())


def _check_unchanged(standing: Sequence[int], game: str, before: Sequence[tuple[str, int]]) -> None:
    """Refuse to correct a result that somebody else has corrected since the caller looked."""
    seen = tuple(score for _, score in before)
    if tuple(standing) != seen:
        raise Refusal(
            "RESULT_CHANGED",
            "",
            N_("{game} stands at {standing} by now, and not at {seen}: somebody else has corrected it."),
            {"game": game, "standing": _written(standing), "seen": _written(seen)},
            subject=f"games/{game}",
        )


def _written(scores: Sequence[int]) -> str:
    return "–".join(map(str, scores))


def _winner(before: Decided, game: str, scores: Sequence[tuple[str, int]]) -> str:
    """Who wins by other scores of a game, empty for a draw. Refuses to say it where all had lost what they played."""
    stayed = _stayed(before, scores)
    if not stayed:
        raise Refusal(
            "WINNER_NOT_SAID",
            "",
            N_("All players of {game} left it or lost it by decision: give winner_id, or lost_by_all."),
            {"game": game},
            subject=f"games/{game}",
        )
    best = leaders(stayed)
    return best[0] if len(best) == 1 else ""


def _check_winner(before: Decided, winner_id: str, scores: Sequence[tuple[str, int]]) -> None:
    """Refuse scores by which another wins, whether or not who had left the game, or lost it by decision, still did.

    Where all had, the arbiter says who did not.
    """
    stayed = _stayed(before, scores)
    if stayed and [winner_id] not in (leaders(stayed), leaders(dict(scores))):
        raise scores_swapped(winner_id, scores)


def _stayed(before: Decided, scores: Sequence[tuple[str, int]]) -> dict[str, int]:
    """The scores of those who had neither left a game that was played nor lost it by decision."""
    lost = () if before.unplayed else before.losers
    return {player_id: score for player_id, score in scores if player_id not in lost}


def leaders(scores: Mapping[str, int]) -> list[str]:
    """Who has the highest of the scores, in their order; nobody where there are none."""
    return [player_id for player_id, score in scores.items() if score == max(scores.values())]


def scores_swapped(winner_id: str, scores: Sequence[tuple[str, int]]) -> Refusal:
    """What is answered to scores by which another wins than who is said to."""
    return Refusal(
        "SCORES_SWAPPED",
        "",
        N_("{winner} did not win by {scores}: have the scores been swapped?"),
        {"winner": winner_id, "scores": ", ".join(f"{player_id} {score}" for player_id, score in scores)},
    )


def _condition(before: Decided, *, unplayed: bool) -> game_events.EndCondition.ValueType:
    """What ended the game, as far as that is known: a forfeit that turns out to be a game ended somehow."""
    if unplayed:
        return game_events.END_CONDITION_FORFEIT
    return game_events.END_CONDITION_UNSPECIFIED if before.unplayed else before.condition


def _losers(before: Decided, players: Sequence[str], winner_id: str, *, unplayed: bool) -> list[str]:
    """Who left or lost by decision: of a forfeit all but the winner, of a game those who did, if none won."""
    if unplayed:
        return [player_id for player_id in players if player_id != winner_id]
    return [] if before.unplayed or winner_id in before.losers else list(before.losers)


def correct_ruling(
    state: Tournament,
    ruleset: Ruleset,
    rulings: Rulings,
    *,
    game: str,
    turn: int,
    arbiter_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """The spread of who laid a play that was ruled on wrongly (PES Δ.ε): its points and thirty more, the same day.

    The day is that of the halls. Raises ``Refusal`` where the book corrects nothing, before the game has a result, on
    another day, for a play that was not ruled on, and for one that was put right already.
    """
    one, table = found_game(state, game)
    check_arbiter(arbiter_id, table.player_ids)
    if game not in one.results:
        raise Refusal(
            "GAME_NOT_OVER",
            ruleset.article("challenge.corrected_later"),
            N_("{game} has no result yet: a wrong ruling is put right after the game."),
            {"game": game},
            subject=f"games/{game}",
        )
    if turn < 1:
        turns = ", ".join(map(str, sorted(rulings.ruled))) or "–"
        raise Invalid(
            "turn", N_("expected the turn of the play that was ruled on; of this game: {turns}"), {"turns": turns}
        )
    ruled = rulings.ruled.get(turn)
    if ruled is None:
        raise Refusal(
            "NOT_RULED",
            ruleset.article("challenge.corrected_later"),
            N_("There was no ruling on a play of turn {turn} of {game}."),
            {"turn": turn, "game": game},
        )
    if (game, turn) in one.corrected_rulings:
        raise Refusal(
            "RULING_CORRECTED",
            ruleset.article("challenge.corrected_later"),
            N_("The ruling on the play of turn {turn} has been put right already."),
            {"turn": turn},
        )
    when = conditions.moment(state, at, now)
    halls = ZoneInfo(state.time_zone)
    same_day = when.astimezone(halls).date() == ruled.at.astimezone(halls).date()
    points = spread_correction(ruled.points, wrongly_refused=not ruled.valid, same_day=same_day, ruleset=ruleset)
    return [
        events.SpreadAdjusted(
            round=one.number,
            game_id=game,
            turn=turn,
            player_id=ruled.player_id,
            points=points,
            article=ruleset.article("challenge.corrected_later"),
            arbiter_id=arbiter_id,
            note=note,
            occurred_at=to_timestamp(when),
        )
    ]


def undo_correction(
    state: Tournament, act: events.SpreadAdjusted, *, note: str, at: datetime | None, now: datetime
) -> list[Message]:
    """Take the correction of a ruling back, which was a slip; the ruling can be corrected again."""
    found_game(state, act.game_id)
    undone = events.SpreadAdjusted()
    undone.CopyFrom(act)
    undone.points, undone.note = -act.points, note
    undone.occurred_at.CopyFrom(to_timestamp(conditions.moment(state, at, now)))
    return [undone]


def found_game(state: Tournament, game: str) -> tuple[Round, Pairing]:
    """The round and the table of a game of a tournament that is not over. Refuses any other."""
    if state.over:
        raise conditions.over(state)
    found = state.find_game(game)
    if found is None:
        raise Refusal(
            "GAME_NOT_PAIRED",
            "",
            N_("{game} is not a game of {tournament}."),
            {"game": game, "tournament": state.tournament_id},
        )
    return found


def in_order(pairing: Pairing, scores: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Scores as they were given, in the order of the table. Raises ``Invalid`` unless each of its players has one."""
    names = [player_id for player_id, _ in scores]
    if not names:
        raise Invalid(
            "scores",
            N_("are missing; expected those of {expected}, each once"),
            {"expected": ", ".join(pairing.player_ids)},
        )
    if sorted(names) != sorted(pairing.player_ids):
        raise Invalid(
            "scores",
            N_("are of {found}; expected those of {expected}, each once"),
            {"found": ", ".join(names)[:200], "expected": ", ".join(pairing.player_ids)},
        )
    if any(abs(score) > MOST_POINTS for _, score in scores):
        raise Invalid("scores", N_("expected at most {most} points"), {"most": MOST_POINTS})
    points = dict(scores)
    return tuple((player_id, points[player_id]) for player_id in pairing.player_ids)


def check_arbiter(arbiter_id: str, concerned: Collection[str]) -> None:
    """Refuse an act that needs an arbiter and names none, or one of the players whom it concerns.

    Nobody is judge of their own game. Raises ``Invalid`` for what is missing and what is no id.
    """
    if not arbiter_id:
        raise Invalid("arbiter_id", N_("expected the id of the arbiter"))
    checked_id("arbiter_id", arbiter_id)
    check_not_concerned("arbiter_id", [arbiter_id], concerned)
