"""The move of a player from one division of a championship to another. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.administration.divisions import check_one_championship
from faristol.tournament.players.check_in import check_in, check_out
from faristol.tournament.players.registration import register
from faristol.tournament.players.withdrawal import reinstate, withdraw
from faristol.tournament.situation import Situation
from faristol.tournament.state import TournamentState, evolve


def move(leaving: Situation, entering: Situation, request: pb.MovePlayerRequest) -> tuple[list[Message], list[Message]]:
    """Move a player from one division to another. Returns the events of both.

    The player keeps rating, category and check-in; a player who was in the division before is reinstated. The
    ``divisions`` of ``entering`` are all others of the championship. Raises ``Invalid`` if both divisions are the same.
    Raises ``Refusal`` if they are not of one championship, or if a round of either is paired. Raises ``Refusal`` if the
    player has a sanction in force, which would stay behind.
    """
    left_state, entered_state, player_id = leaving.state, entering.state, request.player_id
    _check_divisions(left_state, entered_state, player_id)
    now = max(leaving.now, left_state.latest, entered_state.latest)
    leaving, entering = replace(leaving, now=now), replace(entering, now=now)
    left = withdraw(leaving, pb.WithdrawPlayerRequest(player_id=player_id, note=request.note))
    player = left_state.player(player_id)
    assert player is not None, "the player has just been withdrawn"
    if player.warnings or player.excluded:
        raise Refusal(
            "SANCTIONED",
            N_(
                "{player} has been sanctioned in division {division}: lift the sanction first, and impose it in "
                "the new division."
            ),
            {"player": player_id, "division": left_state.division},
            subject=f"players/{player_id}",
        )
    if entered_state.player(player_id) is None:
        rating = None if player.unrated else player.rating
        entry = pb.RegisterPlayerRequest(player_id=player_id, rating=rating, category=player.category)
        entered = register(entering, entry)
    else:
        entered = reinstate(entering, pb.ReinstatePlayerRequest(player_id=player_id))
    after = reduce(evolve, entered, entered_state)
    there = after.player(player_id)
    assert there is not None, "the player has just entered"
    arrived = replace(entering, state=after)
    if player.checked_in and not there.checked_in:
        entered += check_in(arrived, pb.CheckInPlayerRequest(player_id=player_id))
    if there.checked_in and not player.checked_in:
        entered += check_out(arrived, pb.CheckOutPlayerRequest(player_id=player_id))
    return left, entered


def _check_divisions(left_state: TournamentState, entered_state: TournamentState, player_id: str) -> None:
    """Raise ``Invalid`` or ``Refusal`` unless players can move from one division to the other."""
    if left_state.tournament_id == entered_state.tournament_id:
        raise Invalid(
            "to_tournament_id", N_("expected a division other than {given}"), {"given": entered_state.tournament_id}
        )
    check_one_championship(left_state, entered_state)
    for state in (left_state, entered_state):
        if state.played:
            raise Refusal(
                "ROUND_PAIRED",
                N_("{player} cannot be moved: round 1 of division {division} has been paired."),
                {"player": player_id, "division": state.division},
                subject=f"tournaments/{state.tournament_id}",
            )
