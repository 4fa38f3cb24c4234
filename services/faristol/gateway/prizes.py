"""Special prizes as JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from faristol.gateway.answers import Answer
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb

PrizeKind = Literal["bingos", "high_game", "high_play", "spread"]
KINDS: dict[pairing.PrizeKind.ValueType, PrizeKind] = {
    pairing.PRIZE_KIND_BINGOS: "bingos",
    pairing.PRIZE_KIND_HIGH_GAME: "high_game",
    pairing.PRIZE_KIND_HIGH_PLAY: "high_play",
    pairing.PRIZE_KIND_SPREAD: "spread",
}


class Winner(BaseModel):
    """Who is ahead for a prize."""

    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    game_id: str = Field(description="The game of a score or of a play; empty for what is of all games.")
    round: int = Field(description="Its round; 0 for what is of all games.")
    word: str = Field(description="The main word of a play.")
    coordinates: str = Field(description="Where it lies, in the notation of the rules.")


class Prize(BaseModel):
    """A special prize."""

    kind: PrizeKind
    value: int = Field(description="How much the best have: bingos, or points.")
    winners: list[Winner] = Field(description="More than one where they are equal; nobody while there is nothing.")
    unrecorded: bool = Field(
        description="No play of the tournament is on the record, as results were entered by hand: nobody can be told."
    )


class Prizes(Answer):
    """The special prizes, in the order in which the organiser named them."""

    prizes: list[Prize]
    over: bool = Field(description="Every round is closed: nobody else can come ahead.")

    @classmethod
    def of(cls, answer: pb.GetPrizesResponse) -> Prizes:
        """From the contract's message."""
        prizes = [
            Prize(
                kind=KINDS[prize.kind],
                value=prize.value,
                unrecorded=prize.unrecorded,
                winners=[
                    Winner(
                        player_id=winner.player_id,
                        name=winner.name,
                        game_id=winner.game_id,
                        round=winner.round,
                        word=winner.word,
                        coordinates=winner.coordinates,
                    )
                    for winner in prize.winners
                ],
            )
            for prize in answer.prizes
        ]
        return cls(position=answer.position, prizes=prizes, over=answer.over)


def nobody(prize: pb.Prize, *, over: bool) -> str:
    """What is said of a prize that nobody is ahead for, to be translated."""
    if not over:
        return N_("Nobody yet.")
    return N_("Not recorded: there are no plays on the record.") if prize.unrecorded else N_("Nobody.")
