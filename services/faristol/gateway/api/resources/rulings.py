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
        description="Ruling on each word, if the rules disclose it to players (PES Δ.ε); empty otherwise (FISC I.10)."
    )
    lexicon: Pin = Field(description="The pinned lexicon.")
    edition: str = Field(description="Edition of its source; empty if it is no longer installed.")
    layers: list[str] = Field(description="Active layers.")
    article: str = Field(description="Article that governs rulings.", examples=["FISC I.10"])
    appeal: bool = Field(description="The ruling was made on appeal and is final.")
    mode: Mode = Field(description="Authority of the ruling.")
    ruled_at: datetime


class Rulings(Answer):
    """Rulings of closed rounds, in the order of rounds and of time."""

    rulings: list[Ruling]
    next_page_token: str = Field(description="Token of the next page; empty on the last page.")
    total: int = TOTAL
