"""The end of a game: by agreement, its publication, its final results, the end of its embargo (FISC II.1 to II.9)."""

from __future__ import annotations

from faristol.duplicate_game.draws import END_NUMBERS
from faristol.duplicate_game.ownership import take_back_slips
from faristol.duplicate_game.preparation import embargo_is_elsewhere
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent, reason_given
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game.finish import DuplicateEndReason


def end_and_reveal(situation: Situation, reason: DuplicateEndReason) -> list[StreamEvent]:
    """End the game, and reveal its sealed game and its seed."""
    ended = events.DuplicateEnded(
        end=events.DuplicateEnd.ValueType(END_NUMBERS[reason]),
        turns=len(situation.game.turns),
    )
    return [(GAME_STREAM_NUMBER, ended), *reveal_draws(situation)]


def reveal_draws(situation: Situation) -> list[StreamEvent]:
    """Return the key of the sealed game and the seed, as far as they exist and are not on the record."""
    revealed: list[StreamEvent] = []
    if situation.sealed is not None:
        revealed.append((GAME_STREAM_NUMBER, events.SealOpened(key=situation.sealed.key)))
    if situation.hidden_seed:
        revealed.append((GAME_STREAM_NUMBER, events.GameSeedRevealed(seed=situation.hidden_seed)))
    return revealed


def lift_embargo(situation: Situation, request: pb.LiftEmbargoRequest) -> list[StreamEvent]:
    """Lift the embargo at the first of its games; its reruns follow."""
    game = situation.game
    if game.embargo is None or game.embargo.lifted:
        raise Refusal("NO_EMBARGO", N_("The game is under no embargo."))
    if game.embargo.game_ids[0] != game.game_id:
        raise embargo_is_elsewhere(game.game_id)
    return [(GAME_STREAM_NUMBER, build_embargo_lifted(situation, reason_given(request.reason)))]


def build_embargo_lifted(situation: Situation, reason: str = "") -> events.EmbargoLifted:
    """Return the event that an embargo is over."""
    return events.EmbargoLifted(reason=reason, occurred_at=timestamp(situation.at))


def end_game(situation: Situation, request: pb.EndGameRequest) -> list[StreamEvent]:
    """End the game as the judge, in agreement with the players. A turn that is not scored does not count."""
    situation.running()
    if not situation.ruleset.finish.agreement:
        raise Refusal(
            "NO_AGREEMENT",
            N_("Under these rules no game ends by decision."),
            article=situation.ruleset.article("finish.agreement"),
        )
    ended = events.DuplicateEnded(
        end=events.DUPLICATE_END_AGREEMENT,
        turns=sum(turn.completed for turn in situation.game.turns),
        reason=reason_given(request.reason),
        arbiter_id=request.arbiter_id,
    )
    return [(GAME_STREAM_NUMBER, ended), *reveal_draws(situation)]


def validate_results(situation: Situation, request: pb.ValidateResultsRequest) -> list[StreamEvent]:
    """Make the results final. Raises ``Refusal`` while the game runs, a hall is not scored, or a claim is open.

    Slips that the cell of a hall has are taken back: later events of the hall cannot change final results. The same
    refusal applies under an embargo: the results are hidden, and the time for claims has not begun.
    """
    situation.not_final()
    situation.check_not_embargoed()
    article = situation.ruleset.law.result_final
    game = situation.game
    if not game.end:
        raise Refusal("GAME_RUNS", N_("The game is not over."), article=article)
    halls = [hall for hall in situation.halls.values() if hall.seats]
    for turn in game.turns:
        unscored = [hall.name or "–" for hall in halls if turn.completed and not hall.turn(turn.number).scores]
        if unscored:
            raise Refusal(
                "HALLS_OPEN",
                N_("Round {turn} is not scored in {halls}."),
                {"turn": turn.number, "halls": ", ".join(unscored)},
                article=article,
            )
    if waiting := sum(not claim.decided for hall in halls for claim in hall.claims.values()):
        raise Refusal(
            "CLAIMS_OPEN",
            N_("{count} {count:claim waits|claims wait} for a decision."),
            {"count": waiting},
            article=article,
        )
    validated = events.ResultsValidated(arbiter_id=request.arbiter_id)
    taken_back = [(hall.number, event) for hall in halls for event in take_back_slips(hall, "", situation.at)]
    return [(GAME_STREAM_NUMBER, validated), *taken_back]
