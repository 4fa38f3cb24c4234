"""The JSON of the form that a game's scoresheet has."""

from __future__ import annotations

from pydantic import Field

from faristol.gateway.answers import Shown


class SheetSide(Shown):
    """What a player has on the sheet beside its lines."""

    player_id: str
    bingos: int = Field(description="How many bingos stand.")
    blanks: list[str] = Field(description="Letters of the blanks, where the sheet has a field for them.")
    signs: bool = Field(description="The player signs.")


class Sheet(Shown):
    """The form of the scoresheet that the rules ask for."""

    sides: list[SheetSide] = Field(description="In the order of the pairing.")
    words: bool = Field(description="Plays stand on it with their words; otherwise with their scores alone.")
    bingos: bool = Field(description="It says how many bingos each player had.")
    blanks: bool = Field(description="It has a field for the blanks of each player.")
