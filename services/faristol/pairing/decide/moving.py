"""Players who move from one division of a championship to another. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.decide.players import check_in, check_out, register, reinstate, withdraw
from faristol.pairing.model import Tournament, evolve
from faristol.rules import Ruleset


def move(
    leaving: Tournament,
    entering: Tournament,
    ruleset: Ruleset,
    *,
    player_id: str,
    divisions: Sequence[Tournament],
    note: str,
    at: datetime | None,
    now: datetime,
) -> tuple[list[Message], list[Message]]:
    """A player leaves one division for another: the facts of both, ``ruleset`` being that of the one entered.

    The player comes with their rating, and checked in if they were; who had been in the division before comes back as
    they were. ``divisions`` are all others of the championship. Raises ``Invalid`` where the two are one, ``Refusal``
    where they are not of one championship, once the first round of either is paired, and while a sanction stands on the
    player, which would be left behind.
    """
    if leaving.tournament_id == entering.tournament_id:
        raise Invalid(
            "to_tournament_id", N_("expected another division than {given}"), {"given": entering.tournament_id}
        )
    if leaving.first_division != entering.first_division:
        raise Refusal(
            "OTHER_CHAMPIONSHIP",
            "",
            N_("{tournament} and {other} are not divisions of one championship."),
            {"tournament": leaving.tournament_id, "other": entering.tournament_id},
        )
    for one in (leaving, entering):
        if one.played:
            raise Refusal(
                "ROUND_PAIRED",
                "",
                N_("{player} cannot be moved: round 1 of division {division} has been paired."),
                {"player": player_id, "division": one.division},
                subject=f"tournaments/{one.tournament_id}",
            )
    moment = max(now, leaving.latest, entering.latest)
    left = withdraw(leaving, player_id=player_id, note=note, at=at, now=moment)
    player = leaving.player(player_id)
    assert player is not None, "somebody has just been withdrawn"
    if player.warnings or player.excluded:
        raise Refusal(
            "SANCTIONED",
            "",
            N_("{player} has been sanctioned in division {division}: lift that first, and impose it where they play."),
            {"player": player_id, "division": leaving.division},
            subject=f"players/{player_id}",
        )
    if entering.player(player_id) is None:
        rating = None if player.unrated else player.rating
        entered = register(
            entering,
            ruleset,
            player_id=player_id,
            rating=rating,
            category=player.category,
            divisions=divisions,
            at=at,
            now=moment,
        )
    else:
        entered = reinstate(entering, player_id=player_id, divisions=divisions, at=at, now=moment)
    after = entering
    for fact in entered:
        after = evolve(after, fact)
    there = after.player(player_id)
    assert there is not None, "somebody has just entered"
    if there.checked_in != player.checked_in:
        check = check_in if player.checked_in else check_out
        entered = [*entered, *check(after, player_id=player_id, at=at, now=moment)]
    return left, entered
