"""A tournament as its facts tell it. Pure."""

from faristol.pairing.model.appeal import Appeal, AppealPhase, Member
from faristol.pairing.model.division import Division
from faristol.pairing.model.entries import BYES, KINDS
from faristol.pairing.model.evolution import evolve
from faristol.pairing.model.origins import Origins
from faristol.pairing.model.player import Player
from faristol.pairing.model.rulings import Ruled, Rulings, game_stream, watch
from faristol.pairing.model.team import BoardBye, Team, TeamMatch
from faristol.pairing.model.tournament import (
    Decided,
    GameSanction,
    Hall,
    Pairing,
    Phase,
    Round,
    Tournament,
    Unsanctioned,
    game_id,
    stream,
)
