"""The JSON of the form that a game's scoresheet has."""

from __future__ import annotations

from pydantic import BaseModel, Field

from faristol.pb.results.v1 import results_pb2 as pb


class SheetSide(BaseModel):
    """What a player has on the sheet beside its lines."""

    player_id: str
    bingos: int = Field(description="How many bingos stand.")
    blanks: list[str] = Field(description="Letters of the blanks, where the sheet has a field for them.")
    signs: bool = Field(description="The player signs.")


class Sheet(BaseModel):
    """The form of the scoresheet that the rules ask for."""

    sides: list[SheetSide] = Field(description="In the order of the pairing.")
    words: bool = Field(description="Plays stand on it with their words; otherwise with their scores alone.")
    bingos: bool = Field(description="It says how many bingos each player had.")
    blanks: bool = Field(description="It has a field for the blanks of each player.")

    @classmethod
    def of(cls, sheet: pb.Sheet) -> Sheet:
        """From the contract's message."""
        sides = [
            SheetSide(player_id=side.player_id, bingos=side.bingos, blanks=list(side.blanks), signs=side.signs)
            for side in sheet.sides
        ]
        return cls(sides=sides, words=sheet.words, bingos=sheet.bingos, blanks=sheet.blanks)
