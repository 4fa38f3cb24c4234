"""Results that an arbiter enters instead of their table. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid, check_count
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.endgame import abandonment_adjustments
from faristol.tournament.conditions import (
    build_not_started_refusal,
    build_result_known_refusal,
    check_arbiter,
    found_game,
)
from faristol.tournament.discipline.at_tables import note_sanctions
from faristol.tournament.results.results import (
    Scores,
    final_scores,
    forfeit_scores,
    given_scores,
    leaders,
    record_result,
    scores_swapped,
    winner_by,
)
from faristol.tournament.rounds.systems import losers_by_absence
from faristol.tournament.situation import PairingCommand, Situation, name_game, of_game
from faristol.tournament.state import (
    GameDecision,
    Pairing,
    Phase,
    RoundState,
    TournamentState,
    evolve,
    take_off_entered,
)

R = TypeVar("R", pb.GameResult, pb.ShownResult)

MAX_BATCH_RESULTS = 1_000
"""Limit of results in one command: more than a round has tables."""


def give_forfeit(situation: Situation, request: pb.GiveForfeitRequest, *, field: str = "loser_ids") -> list[Message]:
    """Decide an unplayed game: its ``loser_ids``, one or more of its players or all, lose it.

    The scores are those of the book (PES ΣΤ: 150–0). Raises ``Invalid`` for losers who do not play it, and without an
    arbiter. Raises ``Refusal`` after its first turn, because such a game ends at its table. Raises ``Refusal`` if a
    player gave it up by withdrawing and would not lose it. ``field`` is the name of the losers in the request.
    """
    pairing = _find_undecided_table(situation, request.game_id, request.arbiter_id)
    given = request.loser_ids
    losers = [player_id for player_id in pairing.player_ids if player_id in given]
    if not losers or len(losers) != len(given):
        raise Invalid(
            field,
            N_("are {found}; expected one or all of {expected}, each once"),
            {"found": ", ".join(sorted(given))[:200] or "–", "expected": ", ".join(pairing.player_ids)},
        )
    _check_given_up(situation, pairing, losers, field)
    scores, decided = _compute_forfeit(situation.ruleset, pairing, losers)
    act = situation.event(events.ResultEntered, arbiter_id=request.arbiter_id, note=request.note)
    imposed = situation.tables[request.game_id].sanctions
    return _build_entry_events(situation.state, situation.ruleset, pairing, scores, decided, act, imposed)


def lost_by_absence(state: TournamentState, ruleset: Ruleset, number: int, occurred_at: Timestamp) -> list[Message]:
    """Return the results of a started round's games that players lose by absence under the rules (PES ΣΤ)."""
    new_events: list[Message] = []
    for pairing in state.played[number - 1].pairings:
        if losers := losers_by_absence(state, ruleset, number, pairing.player_ids):
            scores, decided = _compute_forfeit(ruleset, pairing, losers)
            act = events.ResultEntered(occurred_at=occurred_at)
            new_events += _build_entry_events(state, ruleset, pairing, scores, decided, act)
    return new_events


def enter_imported(
    state: TournamentState,
    ruleset: Ruleset,
    pairing: Pairing,
    scores: Scores,
    losers: Collection[str],
    occurred_at: Timestamp,
) -> list[Message]:
    """Return the result of a game of a started round that was played under another program.

    If there are ``losers``, the game was lost by their absence, and the rules define its scores.
    """
    decided = GameDecision(winner_id=winner_by(dict(scores)))
    if losers:
        scores, decided = _compute_forfeit(ruleset, pairing, losers)
    return _build_entry_events(state, ruleset, pairing, scores, decided, events.ResultEntered(occurred_at=occurred_at))


def _compute_forfeit(ruleset: Ruleset, pairing: Pairing, losers: Collection[str]) -> tuple[Scores, GameDecision]:
    """Return the scores and the decision of an unplayed game."""
    winners = [player_id for player_id in pairing.player_ids if player_id not in losers]
    decided = GameDecision(
        winner_id=winners[0] if len(winners) == 1 else "",
        lost_by_all=not winners,
        condition=game_events.END_CONDITION_FORFEIT,
        losers=tuple(losers),
        unplayed=True,
    )
    return forfeit_scores(pairing.player_ids, losers, ruleset), decided


def enter_result(situation: Situation, request: pb.EnterResultRequest) -> list[Message]:
    """Enter the result of a game that was played but not recorded at its table.

    It may be a postponed game that was not started: the agreement (PES Γ.β) sets its time, not its record. ``scores``
    are those after deductions, except points deducted by an arbiter at the table: this command deducts them. If
    players left the game (``abandoned_by``), they are the scores at that moment, and the book adjusts them (FISC I.8.E
    and F, PES ΣΤ). The highest score among the other players wins.
    Raises ``Invalid`` without an arbiter, and unless the scores are those of its players. Raises ``Refusal`` if the
    scores make a player other than ``winner_id`` win, and after the first turn at its table. Raises ``Refusal`` if a
    player gave the game up by withdrawing and is not in ``abandoned_by``.
    """
    return _build_played_result(
        situation, request, _find_undecided_table(situation, request.game_id, request.arbiter_id)
    )


def enter_reported(situation: Situation, request: pb.ReportResultRequest) -> list[Message]:
    """Enter the result that a player of the game reports. Raises as ``enter_result`` does."""
    played, pairing = found_game(situation.state, request.game_id)
    _check_undecided(situation, played, request.game_id)
    _check_no_turns(situation, request.game_id)
    asked = pb.EnterResultRequest(game_id=request.game_id, scores=request.scores)
    return _build_played_result(situation, asked, pairing, player_id=request.player_id)


def enter_signed_sheet(situation: Situation, request: pb.EnterSignedSheetRequest) -> list[Message]:
    """Enter the result of a game by its signed sheet, instead of the record of its table.

    FISC I.8: the sheet is what is signed. The events of the table stay on the record without effect. Raises as
    ``enter_result`` does, but allows turns at the table.
    """
    pairing = _due(situation, request.game_id, request.arbiter_id)
    return _build_played_result(situation, request, pairing, turns_given_up=situation.tables[request.game_id].turns)


def _build_played_result(
    situation: Situation,
    request: pb.EnterResultRequest | pb.EnterSignedSheetRequest,
    pairing: Pairing,
    *,
    turns_given_up: int = 0,
    player_id: str = "",
) -> list[Message]:
    """Return the events of a played game's result, by the scores of an arbiter, or of one of its players."""
    scores = given_scores(pairing, request.scores)
    left = [player_id for player_id in pairing.player_ids if player_id in request.abandoned_by]
    if len(left) != len(request.abandoned_by):
        raise Invalid(
            "abandoned_by",
            N_("are {found}; expected some of {expected}, each once"),
            {"found": ", ".join(sorted(request.abandoned_by))[:200], "expected": ", ".join(pairing.player_ids)},
        )
    _check_given_up(situation, pairing, left, "abandoned_by")
    points = dict(scores)
    for line in abandonment_adjustments(points, left, situation.ruleset) if left else ():
        points[line.player] += line.points
    stayed = {player_id: score for player_id, score in points.items() if player_id not in left}
    if request.winner_id and leaders(stayed) != [request.winner_id]:
        raise scores_swapped(request.winner_id, scores)
    abandoned = game_events.END_CONDITION_ABANDONED if stayed else game_events.END_CONDITION_ALL_ABANDONED
    decided = GameDecision(
        winner_id=winner_by(stayed),
        lost_by_all=not stayed,
        condition=abandoned if left else game_events.END_CONDITION_UNSPECIFIED,
        losers=tuple(left),
    )
    settled = tuple((player_id, points[player_id]) for player_id, _ in scores)
    act = situation.event(
        events.ResultEntered,
        arbiter_id=request.arbiter_id,
        note=request.note,
        scores_given=final_scores(scores if settled != scores else ()),
        turns_given_up=turns_given_up,
        player_id=player_id,
    )
    imposed = situation.tables[request.game_id].sanctions
    return _build_entry_events(situation.state, situation.ruleset, pairing, settled, decided, act, imposed)


def enter_results(situation: Situation, request: pb.EnterResultsRequest) -> list[Message]:
    """Enter the results of several games, all or none.

    Raises ``Invalid`` for an empty or too long list, and as ``enter_result`` and ``give_forfeit`` do. Raises
    ``Refusal`` with the reasons of all refused results.
    """
    return decide_each(
        situation, request.results, lambda before, result: _enter(before, result, request.arbiter_id, request.note)
    )


def decide_each(
    situation: Situation, results: Sequence[R], decide: Callable[[Situation, R], list[Message]]
) -> list[Message]:
    """Decide about several results, each after those before, all or none.

    Raises ``Invalid`` for an empty or too long list, and with the place of an invalid result. Raises ``Refusal`` with
    the reasons of all refused results.
    """
    check_count("results", results, MAX_BATCH_RESULTS)
    new_events: list[Message] = []
    refusals: list[Refusal] = []
    for place, result in enumerate(results):
        try:
            decided = decide(situation, result)
        except Refusal as refusal:
            refusals += _list_reasons_about(result.game_id, refusal)
            continue
        except Invalid as problem:
            raise _locate_in_results(situation.state, place, result.game_id, problem) from problem
        situation = replace(situation, state=reduce(evolve, decided, situation.state))
        new_events += decided
    check_none(refusals)
    return new_events


def _enter(situation: Situation, result: pb.GameResult, arbiter_id: str, note: str) -> list[Message]:
    game, losers = result.game_id, result.forfeited_by
    if not losers:
        entry = like(pb.EnterResultRequest, result, arbiter_id=arbiter_id, note=note)
        return enter_result(situation, entry)
    if result.scores or result.abandoned_by or result.winner_id:
        raise Invalid("forfeited_by", N_("expected no player, or no scores: the rules define the scores of a forfeit"))
    forfeit = pb.GiveForfeitRequest(game_id=game, loser_ids=losers, arbiter_id=arbiter_id, note=note)
    return give_forfeit(situation, forfeit, field="forfeited_by")


def _list_reasons_about(game: str, refusal: Refusal) -> list[Refusal]:
    """Return the reasons of a refusal, each with its game as the subject."""
    return [reason.replace(subject=f"games/{game}", others=()) for reason in (refusal, *refusal.others)]


def _locate_in_results(state: TournamentState, place: int, game: str, problem: Invalid) -> Invalid:
    """Add the index of a result, from 0, and its table to an error of one of its fields.

    Errors of the shared fields, such as the arbiter and the time, do not change.
    """
    if problem.field not in pb.GameResult.DESCRIPTOR.fields_by_name:
        return problem
    found = state.find_game(game)
    table = found[1].table if found else 0
    params = {**problem.params, "game": game, "table": table}
    return Invalid(
        f"results[{place}].{problem.field}", problem.problem, params, where=N_("table {table}") if table else ""
    )


def _due(situation: Situation, game: str, arbiter_id: str) -> Pairing:
    """Return the table of a game in a started round without a result. Raises ``Refusal``."""
    played, pairing = found_game(situation.state, game)
    check_arbiter(arbiter_id, pairing.player_ids)
    _check_undecided(situation, played, game)
    return pairing


def _check_undecided(situation: Situation, played: RoundState, game: str) -> None:
    """Raise ``Refusal`` if a game has a result, or if its round is not started."""
    if game in played.results:
        raise build_result_known_refusal(game, situation.ruleset.law.result_final)
    if played.phase is not Phase.STARTED:
        raise build_not_started_refusal(played.number)


def _find_undecided_table(situation: Situation, game: str, arbiter_id: str) -> Pairing:
    """Return the table of such a game without a finished turn. Raises ``Refusal``."""
    pairing = _due(situation, game, arbiter_id)
    _check_no_turns(situation, game)
    return pairing


def _check_no_turns(situation: Situation, game: str) -> None:
    """Raise ``Refusal`` for a game with a finished turn at its table."""
    if turns := situation.tables[game].turns:
        raise Refusal(
            "GAME_BEGUN",
            N_(
                "{game} is being played at its table, where {turns} {turns:turn is|turns are} over: enter its end "
                "there, or have an arbiter enter the result from the signed sheet."
            ),
            {"game": game, "turns": turns},
            subject=f"games/{game}",
        )


def _check_given_up(situation: Situation, pairing: Pairing, losers: Collection[str], field: str) -> None:
    """Raise ``Refusal`` if a player who gave the game up by withdrawing is not one of its losers."""
    if missing := [player_id for player_id in situation.state.gave_up(pairing) if player_id not in losers]:
        raise Refusal(
            "GAME_GIVEN_UP",
            N_("{players} withdrew and gave up {game}: give {field} with {players}, or reinstate them first."),
            {"players": ", ".join(missing), "game": pairing.game_id, "field": field},
            article=situation.ruleset.article("abandon.rule"),
            subject=f"games/{pairing.game_id}",
        )


def _build_entry_events(
    state: TournamentState,
    ruleset: Ruleset,
    pairing: Pairing,
    scores: Scores,
    decided: GameDecision,
    act: events.ResultEntered,
    imposed: Iterable[tuple[int, game_events.SanctionImposed]] = (),
) -> list[Message]:
    """Return the event of the entry with its result, and the adjustments by sanctions.

    The sanctions ``imposed`` at its table are noted, and their points are deducted.
    """
    game = pairing.game_id
    state, noted = note_sanctions(state, ruleset, game, imposed)
    played, _ = found_game(state, game)
    act.round, act.game_id = played.number, game
    off = played.at_table.get(game, ())
    if not (act.scores_given or decided.unplayed or all(each.beside_result for each in off)):
        act.scores_given.extend(final_scores(scores))
    recorded = record_result(
        take_off_entered(state, played.number, game),
        ruleset,
        game=game,
        scores=scores,
        occurred_at=act.occurred_at,
        decided=decided,
    )
    beside = [
        events.PointsAdjusted(
            round=played.number,
            game_id=game,
            player_id=each.player_id,
            points=-each.points,
            article=ruleset.law.sanctions,
            occurred_at=act.occurred_at,
        )
        for each in off
        if each.beside_result
    ]
    return [*noted, act, *recorded, *beside]


def _all_games(state: TournamentState, request: pb.EnterResultsRequest) -> Iterable[str]:
    return [result.game_id for result in request.results]


def _players(state: TournamentState, request: pb.EnterResultsRequest) -> Collection[str]:
    return {player_id for result in request.results for player_id in of_game(state, result)}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.GiveForfeitRequest: PairingCommand(
        give_forfeit, of_tables=True, tells=events.ResultRecorded, games=name_game, concerned=of_game
    ),
    pb.EnterResultRequest: PairingCommand(
        enter_result, of_tables=True, tells=events.ResultRecorded, games=name_game, concerned=of_game
    ),
    pb.EnterSignedSheetRequest: PairingCommand(
        enter_signed_sheet, of_tables=True, tells=events.ResultRecorded, games=name_game, concerned=of_game
    ),
    pb.EnterResultsRequest: PairingCommand(enter_results, of_tables=True, games=_all_games, concerned=_players),
}
