"""Sanctions on a player as such: warnings and expulsion. Pure.

What an arbiter imposes in a game is done at its table. A warning is FISE's yellow card (FISE 47), which no other book
knows; an expulsion is its red one, the disqualification of UF 28 and the total exclusion of PES Ζ.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.decide.corrections import check_arbiter
from faristol.pairing.decide.players import withdraw
from faristol.pairing.identity import checked_id
from faristol.pairing.model import Player, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import Ruleset
from faristol.rules.officials import check_not_concerned

WARNINGS = 2
"""Warnings after which expulsion is put forward (FISE 47: who offends again)."""


def warn(
    state: Tournament,
    ruleset: Ruleset,
    *,
    player_id: str,
    arbiter_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Warn a player; from the second time on the fact puts expulsion forward, which the organisation decides."""
    check_arbiter(arbiter_id, [player_id])
    player = sanctionable(state, player_id)
    count = player.warnings + 1
    return [
        events.PlayerWarned(
            player_id=player_id,
            round=max(len(state.played), 1),
            count=count,
            expulsion_proposed=count >= WARNINGS,
            article=article_of(ruleset.law.warning),
            arbiter_id=arbiter_id,
            note=note,
            occurred_at=to_timestamp(conditions.moment(state, at, now)),
        )
    ]


def expel(
    state: Tournament,
    ruleset: Ruleset,
    *,
    player_id: str,
    arbiter_id: str,
    decided_by: Sequence[str],
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Expel a player on the proposal of an arbiter, by those who decide that (FISE 49, PES Ζ).

    A game that is being played is lost, and the player is not paired any more. Raises ``Invalid`` when nobody decided
    it.
    """
    check_arbiter(arbiter_id, [player_id])
    check_deciders(decided_by, [player_id])
    player = sanctionable(state, player_id)
    article = article_of(ruleset.law.sanctions)
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    leaving: list[Message] = []
    if player.withdrawn is None:
        leaving = withdraw(
            state, player_id=player_id, note="", running_game=pairing.RUNNING_GAME_GIVEN_UP, at=at, now=now
        )
    elif state.open_round is not None and (game := state.open_round.running_game(player_id)):
        leaving = [
            events.PlayerWithdrawn(player_id=player_id, round=player.withdrawn, game_id=game, occurred_at=occurred_at)
        ]
    return [
        events.PlayerExpelled(
            player_id=player_id,
            round=max(len(state.played), 1),
            article=article,
            arbiter_id=arbiter_id,
            decided_by=decided_by,
            note=note,
            occurred_at=occurred_at,
        ),
        *leaving,
    ]


def sanctionable(state: Tournament, player_id: str) -> Player:
    """A player on whom a sanction can be imposed. Refuses whoever is none, was expelled, or moved away."""
    player = conditions.registered(state, player_id)
    if player.expelled:
        raise conditions.expelled(player)
    if state.division and player.never_came:
        raise Refusal(
            "LEFT_DIVISION",
            "",
            N_("{player} left division {division} before any round: impose it where they play."),
            {"player": player_id, "division": state.division},
            subject=f"players/{player_id}",
        )
    return player


def article_of(law: str) -> str:
    """The article by which officials impose a sanction. Refuses where the book knows none."""
    if not law:
        raise Refusal("NO_SANCTIONS", "", N_("These rules provide for no sanctions beyond the game."))
    return law


def check_deciders(decided_by: Sequence[str], concerned: Collection[str]) -> None:
    """Refuse an act that nobody decided, or a player whom it concerns. Raises ``Invalid`` for nobody and no ids."""
    if not decided_by:
        raise Invalid("decided_by", N_("expected the ids of those who decided it"))
    for one in decided_by:
        checked_id("decided_by", one)
    check_not_concerned("decided_by", decided_by, concerned)
