"""JSON of rulings on challenges of closed rounds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field

from faristol.gateway.api.answers import TOTAL, Answer, Pin, Read, Shown, word_of
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import events_pb2 as events

Mode = Annotated[str, word_of(events.Mode, "RulingMode")]

MODE_LABELS: Mapping[events.Mode.ValueType, str] = {
    events.MODE_AUTOMATIC: N_("the lexicon"),
    events.MODE_JUDGE: N_("a judge"),
    events.MODE_PANEL: N_("a panel of judges"),
}


class WordRuling(Shown):
    """Ruling on one word."""

    faces: Annotated[list[str], Read(lambda ruled: ruled.word.faces)] = Field(description="Its tiles.")
    valid: bool


class Ruling(Shown):
    """Ruling."""

    round: int = Field(description="Round, from 1.")
    game_id: str
    turn: int = Field(description="Turn of the play, from 1.")
    challenge: int = Field(description="Number of the challenge in the game, from 1.")
    words: Annotated[list[list[str]], Read(lambda ruling: [word.faces for word in ruling.words])] = Field(
        description="The words challenged, each as its tiles."
    )
    valid: bool = Field(description="The play stands.")
    ruled_words: list[WordRuling] = Field(
        description="Word by word, where the rules let players know so much (PES Δ.ε); empty elsewhere (FISC I.10)."
    )
    lexicon: Pin = Field(description="The lexicon that was pinned.")
    edition: str = Field(description="Edition of its source; empty when it is no longer installed.")
    layers: list[str] = Field(description="Layers that were switched on.")
    article: str = Field(description="The article that says what a ruling is.", examples=["FISC I.10"])
    appeal: bool = Field(description="It was the second ruling on the play, and the last.")
    mode: Mode = Field(description="Who ruled.")
    ruled_at: datetime


class Rulings(Answer):
    """Rulings of closed rounds, in the order of rounds and of time."""

    rulings: list[Ruling]
    next_page_token: str = Field(description="Where the next page begins; empty when this is the last.")
    total: int = TOTAL
