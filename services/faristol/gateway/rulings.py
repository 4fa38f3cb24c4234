"""The JSON of rulings: what was challenged in closed rounds, and what was said of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from faristol.gateway.answers import Answer, Pin, moment
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events

Mode = Literal["automatic", "judge", "panel"]

MODES: Mapping[events.Mode.ValueType, Mode] = {
    events.MODE_AUTOMATIC: "automatic",
    events.MODE_JUDGE: "judge",
    events.MODE_PANEL: "panel",
}
MODE_LABELS: Mapping[events.Mode.ValueType, str] = {
    events.MODE_AUTOMATIC: N_("the lexicon"),
    events.MODE_JUDGE: N_("a judge"),
    events.MODE_PANEL: N_("a panel of judges"),
}


class RuledWord(BaseModel):
    """What was found of one word."""

    faces: list[str] = Field(description="Its tiles.")
    valid: bool


class Ruling(BaseModel):
    """A ruling."""

    round: int = Field(description="Round, from 1.")
    game_id: str
    turn: int = Field(description="Turn of the play, from 1.")
    challenge: int = Field(description="Number of the challenge in the game, from 1.")
    words: list[list[str]] = Field(description="The words challenged, each as its tiles.")
    valid: bool = Field(description="The play stands.")
    ruled_words: list[RuledWord] = Field(
        description="Word by word, where the rules let players know so much (PES Δ.ε); empty elsewhere (FISC I.10)."
    )
    lexicon: Pin = Field(description="The lexicon that was pinned.")
    edition: str = Field(description="Edition of its source; empty when it is no longer installed.")
    layers: list[str] = Field(description="Layers that were switched on.")
    article: str = Field(description="The article that says what a ruling is.", examples=["FISC I.10"])
    appeal: bool = Field(description="It was the second ruling on the play, and the last.")
    mode: Mode = Field(description="Who ruled.")
    ruled_at: datetime

    @classmethod
    def of(cls, ruling: pb.PublicRuling) -> Ruling:
        """From the contract's message."""
        return cls(
            round=ruling.round,
            game_id=ruling.game_id,
            turn=ruling.turn,
            challenge=ruling.challenge,
            words=[list(word.faces) for word in ruling.words],
            valid=ruling.valid,
            ruled_words=[RuledWord(faces=list(word.word.faces), valid=word.valid) for word in ruling.ruled_words],
            lexicon=Pin.of(ruling.lexicon),
            edition=ruling.edition,
            layers=list(ruling.layers),
            article=ruling.article,
            appeal=ruling.appeal,
            mode=MODES[ruling.mode],
            ruled_at=moment(ruling.ruled_at),
        )


class Rulings(Answer):
    """The rulings of closed rounds, in the order of rounds and of time."""

    rulings: list[Ruling]
    next_page_token: str = Field(description="Where the next page begins; empty when this is the last.")

    @classmethod
    def of(cls, answer: pb.ListRulingsResponse) -> Rulings:
        """From the contract's message."""
        rulings = [Ruling.of(ruling) for ruling in answer.rulings]
        return cls(position=answer.position, rulings=rulings, next_page_token=answer.next_page_token)
