"""Special prizes as JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from faristol.gateway.api.answers import Answer, Shown, word_of
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb

PrizeKind = Annotated[str, word_of(pairing.PrizeKind)]


class Winner(Shown):
    """Leader for a prize."""

    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    game_id: str = Field(description="Game of a score or of a play; empty for a value of all games.")
    round: int = Field(description="Round of the game; 0 for a value of all games.")
    word: str = Field(description="The main word of a play.")
    coordinates: str = Field(description="Position of the play, in the notation of the rules.")


class Prize(Shown):
    """Special prize."""

    kind: PrizeKind
    value: int = Field(description="Best value: bingos or points.")
    winners: list[Winner] = Field(
        description="Leading players, several if they are tied; empty before the first value."
    )
    unrecorded: bool = Field(
        description="No play of the tournament is recorded, because results were entered by hand; the leader is "
        "unknown."
    )


class Prizes(Answer):
    """Special prizes, in the order chosen by the organiser."""

    prizes: list[Prize]
    over: bool = Field(description="Every round is closed, so the leader is final.")


def nobody(prize: pb.Prize, *, over: bool) -> str:
    """Return the text for a prize without a leader, to be translated."""
    if not over:
        return N_("None yet.")
    return N_("Not recorded: the record has no plays.") if prize.unrecorded else N_("None.")
