"""Sanctions beside the tables: points of a game that is over, the game itself, rounds to come. Pure.

In a game that is being played they are imposed at its table.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.decide.corrections import MOST_POINTS, check_arbiter, found_game
from faristol.pairing.decide.counting import counting
from faristol.pairing.decide.players import check_to_come
from faristol.pairing.decide.sanctions import article_of, check_deciders, sanctionable
from faristol.pairing.model import GameSanction, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset

POINTS, GAME, ROUNDS = (
    events.SANCTION_KIND_POINTS,
    events.SANCTION_KIND_GAME,
    events.SANCTION_KIND_ROUNDS,
)

MOST_OFF_SPREAD = 1_000
"""Points that a sanction takes off the spread, at the most: more than anybody scores in a game."""


def sanction(
    state: Tournament,
    ruleset: Ruleset,
    *,
    player_id: str,
    kind: events.SanctionKind.ValueType,
    game: str,
    points: int,
    rounds: Sequence[int],
    arbiter_id: str,
    decided_by: Sequence[str],
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Impose a sanction on the proposal of an arbiter, by those who decide that (FISE 49, PES Ζ).

    Points come off the score of the game (FISE 49), or off the spread and the total beside its result (PES Ζ). A game
    is lost as by forfeit (PES ΣΤ: 150–0). In ``rounds`` the player is not paired. Raises ``Invalid`` for what does not
    go with the kind and when nobody decided it, ``Refusal`` where the book knows no sanctions, for too few or too many
    points, where a player of the table is arbiter or decides, for a game without a result and for rounds that are not
    to come.
    """
    _check_fields(kind, game, points, rounds)
    concerned = {player_id, *(found_game(state, game)[1].player_ids if game else ())}
    check_arbiter(arbiter_id, concerned)
    check_deciders(decided_by, concerned)
    sanctionable(state, player_id)
    fact = events.PlayerSanctioned(
        player_id=player_id,
        round=max(len(state.played), 1),
        kind=kind,
        game_id=game,
        points=points,
        rounds=sorted(set(rounds)),
        article=article_of(ruleset.law.sanctions),
        arbiter_id=arbiter_id,
        decided_by=decided_by,
        note=note,
        occurred_at=to_timestamp(conditions.moment(state, at, now)),
    )
    if game:
        _check_game(state, kind, player_id, game)
        fact.round = found_game(state, game)[0].number
    if kind == POINTS:
        _check_points(state, ruleset, player_id, game, points)
    for number in fact.rounds:
        check_to_come(state, number)
    return [fact, *consequences(state, ruleset, fact)]


def consequences(state: Tournament, ruleset: Ruleset, sanction: events.PlayerSanctioned) -> list[Message]:
    """What a sanction does to the game that it names: nothing to rounds."""
    if not sanction.game_id:
        return []
    if beside_result(ruleset, sanction):
        return [points_changed(sanction, -sanction.points)]
    one, pairing = found_game(state, sanction.game_id)
    imposed = GameSanction(0, sanction.player_id, sanction.kind, sanction.points, sanction.arbiter_id)
    return [
        counting(
            ruleset,
            one.number,
            pairing,
            one.without_sanctions(sanction.game_id),
            (*one.game_sanctions.get(sanction.game_id, ()), imposed),
            arbiter_id=sanction.arbiter_id,
            occurred_at=sanction.occurred_at,
        )
    ]


def beside_result(ruleset: Ruleset, sanction: events.PlayerSanctioned) -> bool:
    """Whether a sanction takes points beside the result of its game, which stays."""
    return sanction.kind == POINTS and ruleset.arbiter.sanction_points_from == "spread"


def points_changed(sanction: events.PlayerSanctioned, points: int) -> events.PointsAdjusted:
    """``points`` more for the player of a sanction beside the result of its game, below 0 for fewer."""
    return events.PointsAdjusted(
        round=sanction.round,
        game_id=sanction.game_id,
        player_id=sanction.player_id,
        points=points,
        article=sanction.article,
        occurred_at=sanction.occurred_at,
    )


def _check_fields(kind: events.SanctionKind.ValueType, game: str, points: int, rounds: Sequence[int]) -> None:
    """Refuse fields that do not go with the kind of a sanction. Raises ``Invalid``."""
    if kind not in (POINTS, GAME, ROUNDS):
        raise Invalid("kind", N_("is {kind}; expected one of the kinds of sanction"), {"kind": kind})
    if bool(game) is (kind == ROUNDS):
        raise Invalid("game_id", N_("expected a game for points and for a game, and none for rounds"))
    if (kind == POINTS) is not (0 < points <= MOST_POINTS) or points < 0:
        raise Invalid(
            "points", N_("are {points}; a sanction in points takes off 1 or more, and no other any"), {"points": points}
        )
    if bool(rounds) is not (kind == ROUNDS):
        raise Invalid("rounds", N_("expected rounds that the player is not paired in, and none for another kind"))


def _check_game(state: Tournament, kind: events.SanctionKind.ValueType, player_id: str, game: str) -> None:
    """Refuse a game that the player does not play, one that has no result yet, and to take one that is lost already."""
    one, pairing = found_game(state, game)
    if player_id not in pairing.player_ids:
        raise Invalid("player_id", N_("{found} does not play in {game}"), {"found": player_id, "game": game})
    if game not in one.results:
        raise Refusal(
            "GAME_NOT_OVER",
            "",
            N_("{game} has no result yet: a sanction in it is imposed at its table."),
            {"game": game},
            subject=f"games/{game}",
        )
    if kind == GAME and player_id in one.decided[game].losers:
        raise Refusal(
            "GAME_LOST",
            "",
            N_("{player} has lost {game} by decision already."),
            {"player": player_id, "game": game},
            subject=f"games/{game}",
        )


def _check_points(state: Tournament, ruleset: Ruleset, player_id: str, game: str, points: int) -> None:
    """Refuse fewer points than the book's least (FISE 49), and more than the player scored before sanctions.

    Off the spread, which is beside the game, no more than ``MOST_OFF_SPREAD``.
    """
    least = ruleset.arbiter.sanction_points_min or 1
    if points < least:
        raise Refusal(
            "SANCTION_TOO_SMALL",
            ruleset.article("arbiter.sanction_points_min"),
            N_("A sanction takes off {least} {least:point|points} or more, not {points}."),
            {"least": least, "points": points},
        )
    most = MOST_OFF_SPREAD
    if ruleset.arbiter.sanction_points_from != "spread":
        one, pairing = found_game(state, game)
        most = max(least, one.without_sanctions(game).scores[pairing.player_ids.index(player_id)])
    if points > most:
        raise Refusal(
            "SANCTION_TOO_LARGE",
            ruleset.article("arbiter.sanction_points_from"),
            N_("The sanction takes {points} {points:point|points} off {player} in {game}; expected {least} to {most}."),
            {"points": points, "player": player_id, "game": game, "least": least, "most": most},
        )
