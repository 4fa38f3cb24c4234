"""Sanctions outside tables: points of a finished game, the game itself, later rounds. Pure.

In a running game, sanctions are imposed at its table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.conditions import (
    build_game_refusal,
    build_not_in_game_error,
    check_arbiter,
    check_open,
    check_to_come,
    found_game,
)
from faristol.tournament.discipline.checks import (
    article_of,
    check_deciders,
    check_no_tribunal,
    check_not_appealed,
    check_not_lifted,
    is_lifted,
    lift_undone_by,
    sanction_of,
    sanction_undone_by,
    sanctionable,
)
from faristol.tournament.discipline.expulsions import readmit
from faristol.tournament.discipline.warnings import EXPULSION_WARNING_COUNT
from faristol.tournament.results.results import MOST_POINTS, build_correction
from faristol.tournament.situation import PairingCommand, Situation, Undo, of_game
from faristol.tournament.state import GameSanction, Pairing, RoundState, TournamentState

POINTS, GAME, ROUNDS = (
    events.SANCTION_KIND_POINTS,
    events.SANCTION_KIND_GAME,
    events.SANCTION_KIND_ROUNDS,
)

MAX_SPREAD_PENALTY_POINTS = 1_000
"""Limit of points that a sanction takes off the spread, above real scores."""


def sanction(situation: Situation, request: pb.SanctionPlayerRequest) -> list[Message]:
    """Impose a sanction on the proposal of an arbiter, by those who decide on it (FISE 49, PES Ζ).

    Points are deducted from the score of the game (FISE 49), or from the spread and the total outside its result (PES
    Ζ). A game is lost as by forfeit (PES ΣΤ: 150–0). In ``rounds`` the player is not paired. Raises ``Invalid`` for
    fields that do not fit the kind, and without deciders. Raises ``Refusal`` if the book has no sanctions, and for too
    few or too many points. Raises ``Refusal`` if a player of the table is arbiter or decider. Raises ``Refusal`` for a
    game without a result and for rounds that are not in the future.
    """
    state, player_id, game = situation.state, request.player_id, request.game_id
    _check_fields(request)
    concerned = {player_id, *(found_game(state, game)[1].player_ids if game else ())}
    check_arbiter(request.arbiter_id, concerned)
    check_deciders(request.decided_by, concerned)
    sanctionable(state, player_id)
    imposed = situation.event(
        events.PlayerSanctioned,
        request,
        round=max(len(state.played), 1),
        rounds=sorted(set(request.rounds)),
        article=article_of(situation.ruleset.law.sanctions),
    )
    if game:
        _check_game(state, request)
        imposed.round = found_game(state, game)[0].number
    if request.kind == POINTS:
        _check_points(situation, request)
    for number in imposed.rounds:
        check_to_come(state, number)
    return [imposed, *_consequences(situation, imposed)]


def _consequences(situation: Situation, imposed: events.PlayerSanctioned) -> list[Message]:
    """Return the events that a sanction has on its game; an empty list for rounds."""
    if not imposed.game_id:
        return []
    if _beside_result(situation.ruleset, imposed):
        return [_points_changed(imposed, -imposed.points)]
    played, _ = found_game(situation.state, imposed.game_id)
    added = GameSanction(0, imposed.player_id, imposed.kind, imposed.points, imposed.arbiter_id)
    return [_build_correction(situation, imposed, (*played.game_sanctions.get(imposed.game_id, ()), added))]


def _build_correction(
    situation: Situation, act: events.PlayerSanctioned, sanctions: Sequence[GameSanction]
) -> events.ResultCorrected:
    """Return the result of a sanction's game with ``sanctions``, at the time of ``act``."""
    played, pairing = found_game(situation.state, act.game_id)
    return build_correction(
        situation.ruleset,
        played.number,
        pairing,
        played.without_sanctions(act.game_id),
        sanctions,
        arbiter_id=act.arbiter_id,
        occurred_at=act.occurred_at,
    )


def _beside_result(ruleset: Ruleset, act: events.PlayerSanctioned) -> bool:
    """Check whether a sanction takes points beside the result of its game, which does not change."""
    return act.kind == POINTS and ruleset.arbiter.sanction_points_from == "spread"


def _points_changed(act: events.PlayerSanctioned, points: int) -> events.PointsAdjusted:
    """Add ``points`` beside the result of a sanction's game; below 0 they are deducted."""
    return like(events.PointsAdjusted, act, points=points)


def _check_fields(request: pb.SanctionPlayerRequest) -> None:
    """Raise ``Invalid`` for fields that do not fit the kind of a sanction."""
    kind, points = request.kind, request.points
    if kind not in (POINTS, GAME, ROUNDS):
        raise Invalid("kind", N_("is {kind}; expected one of the kinds of sanction"), {"kind": kind})
    if bool(request.game_id) is (kind == ROUNDS):
        raise Invalid(
            "game_id", N_("expected a game for a sanction in points or the loss of a game, and none for rounds")
        )
    if (kind == POINTS) is not (0 < points <= MOST_POINTS) or points < 0:
        raise Invalid(
            "points",
            N_("are {points}; expected 1 or more for a sanction in points, and 0 for any other kind"),
            {"points": points},
        )
    if bool(request.rounds) is not (kind == ROUNDS):
        raise Invalid("rounds", N_("expected rounds for an exclusion from rounds, and none for another kind"))


def _check_game(state: TournamentState, request: pb.SanctionPlayerRequest) -> None:
    """Raise ``Invalid`` if the player does not play the game, ``Refusal`` if it has no result or is already lost."""
    player_id, game = request.player_id, request.game_id
    played, pairing = found_game(state, game)
    if player_id not in pairing.player_ids:
        raise build_not_in_game_error("player_id", player_id, game)
    if game not in played.results:
        raise build_game_refusal(
            "GAME_NOT_OVER", "", N_("{game} has no result yet: impose the sanction at its table."), game
        )
    if request.kind == GAME and player_id in played.decided[game].losers:
        raise Refusal(
            "GAME_LOST",
            N_("{player} has already lost {game} by decision."),
            {"player": player_id, "game": game},
            subject=f"games/{game}",
        )


def _check_points(situation: Situation, request: pb.SanctionPlayerRequest) -> None:
    """Raise ``Refusal`` for fewer points than the book's minimum (FISE 49), or more than the player scored.

    The score is that before sanctions. The limit off the spread is ``MAX_SPREAD_PENALTY_POINTS``.
    """
    ruleset, points, game = situation.ruleset, request.points, request.game_id
    least = ruleset.arbiter.sanction_points_min or 1
    if points < least:
        raise Refusal(
            "SANCTION_TOO_SMALL",
            N_("A sanction deducts {least} {least:point|points} or more, not {points}."),
            {"least": least, "points": points},
            article=ruleset.article("arbiter.sanction_points_min"),
        )
    most = MAX_SPREAD_PENALTY_POINTS
    if ruleset.arbiter.sanction_points_from != "spread":
        played, pairing = found_game(situation.state, game)
        most = max(least, played.without_sanctions(game).scores[pairing.player_ids.index(request.player_id)])
    if points > most:
        raise Refusal(
            "SANCTION_TOO_LARGE",
            N_(
                "The sanction deducts {points} {points:point|points} from {player} in {game}; expected {least} to "
                "{most}."
            ),
            {"points": points, "player": request.player_id, "game": game, "least": least, "most": most},
            article=ruleset.article("arbiter.sanction_points_from"),
        )


def lift(situation: Situation, request: pb.LiftSanctionRequest) -> list[Message]:
    """Lift the warning, sanction or expulsion of a version.

    Points are restored and a game counts as before; missed rounds stay missed. Raises ``Invalid`` without deciders.
    Raises ``Refusal`` if a tribunal was appointed, if the version is not a sanction, or if it is already lifted.
    """
    check_deciders(request.decided_by, [sanction_of(situation, request.version).player_id])
    check_no_tribunal(situation)
    return lift_sanction(situation, request.version, request.decided_by, request.note)


def lift_sanction(situation: Situation, version: int, decided_by: Sequence[str], note: str) -> list[Message]:
    """Lift a sanction on appeal or after a mistake, which needs no deciders."""
    state = situation.state
    check_open(state)
    act = sanction_of(situation, version)
    check_not_lifted(situation, act, version)
    if isinstance(act, events.PlayerExpelled):
        return readmit(situation, act.player_id, decided_by, note)
    occurred_at = situation.occurred_at
    if isinstance(act, events.PlayerWarned) or (isinstance(act, events.TableSanctionNoted) and act.count):
        player = state.player(act.player_id)
        assert player is not None, "a warned player is registered"
        return [
            events.WarningLifted(
                player_id=act.player_id,
                round=max(len(state.played), 1),
                version=version,
                count=player.warnings - 1,
                decided_by=decided_by,
                note=note,
                occurred_at=occurred_at,
            )
        ]
    if isinstance(act, events.TableSanctionNoted):
        return _lifted_at_table(situation, act, version, decided_by, note)
    return [
        events.SanctionLifted(
            player_id=act.player_id,
            round=act.round,
            version=version,
            kind=act.kind,
            game_id=act.game_id,
            rounds=sorted(_to_come(state, act) - _kept_by_others(situation.past_events, version, act.player_id)),
            decided_by=decided_by,
            note=note,
            occurred_at=occurred_at,
        ),
        *_restore_result(situation, version, situation.again(act)),
    ]


def _lifted_at_table(
    situation: Situation, act: events.TableSanctionNoted, version: int, decided_by: Sequence[str], note: str
) -> list[Message]:
    """Lift a sanction that an arbiter imposed at a table. Points are restored; a lost turn or game stays lost.

    Raises ``Refusal`` for points of a game without a result.
    """
    played, pairing = found_game(situation.state, act.game_id)
    if act.points and act.game_id not in played.results:
        raise build_game_refusal(
            "GAME_NOT_OVER",
            act.article,
            N_(
                "{game} has no result yet: its arbiter corrects the total at the table, "
                "or the sanction is lifted after the game."
            ),
            act.game_id,
        )
    lift = situation.event(
        events.SanctionLifted,
        player_id=act.player_id,
        round=act.round,
        version=version,
        kind=_OF_TABLES.get(act.kind, events.SANCTION_KIND_UNSPECIFIED),
        game_id=act.game_id,
        decided_by=decided_by,
        note=note,
    )
    return [lift, *_restored_at_table(situation, played, pairing, act, version)]


_OF_TABLES: Mapping[game_events.SanctionKind.ValueType, events.SanctionKind.ValueType] = {
    game_events.SANCTION_KIND_POINTS: POINTS,
    game_events.SANCTION_KIND_GAME: GAME,
}
"""Kinds of sanctions at a table that the tournament also has."""


def _restored_at_table(
    situation: Situation, played: RoundState, pairing: Pairing, act: events.TableSanctionNoted, version: int
) -> list[Message]:
    """Return the game's result after the points of a sanction at its table are restored."""
    game, occurred_at = act.game_id, situation.occurred_at
    standing = played.game_sanctions.get(game, ())
    result = played.without_sanctions(game) if act.points else None
    if result is None:
        return []
    if any(each.version == version for each in standing):
        standing = tuple(each for each in standing if each.version != version)
    elif not any(each.version == version for each in played.at_table.get(game, ())):
        return []  # the result was entered before the sanction was noted, and has these points
    elif game in played.entered:
        return [like(events.PointsAdjusted, act, round=played.number, occurred_at=occurred_at)]
    else:
        result = result.give_back(pairing, act.player_id, act.points)
    return [
        build_correction(
            situation.ruleset,
            played.number,
            pairing,
            result,
            standing,
            arbiter_id=act.arbiter_id,
            occurred_at=occurred_at,
        )
    ]


def _to_come(state: TournamentState, act: events.PlayerSanctioned) -> set[int]:
    """Return the rounds of a sanction that are not started; a paired one can be paired again."""
    return {number for number in act.rounds if number >= state.next_to_start}


def _kept_by_others(past_events: Sequence[Message], version: int, player_id: str) -> set[int]:
    """Return the rounds that other sanctions exclude the player from."""
    return {
        number
        for other, event in enumerate(past_events, start=1)
        if isinstance(event, events.PlayerSanctioned) and event.player_id == player_id and other != version
        if not is_lifted(event, past_events, other)
        for number in event.rounds
    }


def _restore_result(situation: Situation, version: int, act: events.PlayerSanctioned) -> list[Message]:
    """Return the result of the game of ``act`` without it; ``act`` is the sanction of ``version``."""
    if not act.game_id:
        return []
    if _beside_result(situation.ruleset, act):
        return [_points_changed(act, act.points)]
    played, _ = found_game(situation.state, act.game_id)
    return [
        _build_correction(
            situation, act, [left for left in played.game_sanctions[act.game_id] if left.version != version]
        )
    ]


def _list_concerned(state: TournamentState, request: pb.SanctionPlayerRequest) -> Collection[str]:
    return {request.player_id, *of_game(state, request)}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SanctionPlayerRequest: PairingCommand(sanction, of_tables=True, concerned=_list_concerned),
    pb.LiftSanctionRequest: PairingCommand(lift, of_tables=True, needs_past_events=True, divisions=True),
}


def _lift_mistake(situation: Situation, version: int, note: str) -> list[Message]:
    check_not_appealed(situation.state, situation.ruleset, version)
    return lift_sanction(situation, version, (), note)


def _impose_again(situation: Situation, version: int, note: str) -> list[Message]:
    """Impose again a sanction that was lifted by mistake.

    Raises ``Refusal`` if all of its rounds are over.
    """
    lift = situation.act(version)
    check_not_appealed(situation.state, situation.ruleset, lift.version)
    act = sanction_of(situation, lift.version)
    player = sanctionable(situation.state, act.player_id)
    if isinstance(act, events.PlayerSanctioned):
        again = situation.again(act, note)
        again.rounds[:] = sorted(_to_come(situation.state, act))
        if act.rounds and not again.rounds:
            raise Refusal(
                "ROUND_NOT_TO_COME",
                N_("No round with an exclusion of {player} is left to play."),
                {"player": act.player_id},
            )
        return [again, *_consequences(situation, again)]
    assert isinstance(act, events.PlayerWarned), "an expulsion is lifted by another event"
    warned = situation.again(act, note)
    warned.count = player.warnings + 1
    warned.expulsion_proposed = warned.count >= EXPULSION_WARNING_COUNT
    return [warned]


def _expulsion_rests(act: events.PlayerExpelled, later: Message) -> bool:
    lost = isinstance(later, events.ResultRecorded) and act.player_id in later.loser_ids
    return lost or (isinstance(later, events.RoundPaired) and later.round > act.round)


def _rests(act: events.PlayerSanctioned | events.SanctionLifted, later: Message) -> bool:
    if isinstance(act, events.SanctionLifted) and isinstance(later, events.PlayerSanctioned):
        # Undone already, or imposed again: either way the player has the sanction.
        return (later.player_id, later.kind, later.game_id) == (act.player_id, act.kind, act.game_id)
    return isinstance(later, events.RoundPaired) and later.round in act.rounds


def _warned_again(act: events.WarningLifted, later: Message) -> bool:
    return isinstance(later, events.PlayerWarned) and later.player_id == act.player_id


_LIFTED = ("lifted", "version")

UNDO: Mapping[type[Message], Undo] = {
    events.PlayerWarned: Undo(pb.LiftSanctionRequest, _lift_mistake, now=sanction_undone_by),
    events.PlayerSanctioned: Undo(pb.LiftSanctionRequest, _lift_mistake, rests=_rests, now=sanction_undone_by),
    events.TableSanctionNoted: Undo(pb.LiftSanctionRequest, _lift_mistake, now=sanction_undone_by),
    events.PlayerExpelled: Undo(pb.LiftExpulsionRequest, _lift_mistake, rests=_expulsion_rests, now=sanction_undone_by),
    events.WarningLifted: Undo(
        pb.WarnPlayerRequest, _impose_again, thing=_LIFTED, rests=_warned_again, now=lift_undone_by
    ),
    events.SanctionLifted: Undo(
        pb.SanctionPlayerRequest, _impose_again, thing=_LIFTED, rests=_rests, now=lift_undone_by
    ),
}
