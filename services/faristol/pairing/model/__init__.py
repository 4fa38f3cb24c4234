"""A tournament as its facts tell it. Pure."""

from faristol.pairing.model.division import Division
from faristol.pairing.model.evolution import BYES, KINDS, evolve
from faristol.pairing.model.tournament import (
    Decided,
    Hall,
    Pairing,
    Phase,
    Pin,
    Player,
    Round,
    Tournament,
    game_id,
    stream,
)

__all__ = [
    "BYES",
    "KINDS",
    "Decided",
    "Division",
    "Hall",
    "Pairing",
    "Phase",
    "Pin",
    "Player",
    "Round",
    "Tournament",
    "evolve",
    "game_id",
    "stream",
]
