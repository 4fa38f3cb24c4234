"""The state of a tournament, folded from its events. Pure."""

from faristol.pairing.model.entries import BYES, KINDS
from faristol.pairing.model.evolution import evolve
from faristol.pairing.model.origins import NamedPerson, Origins
from faristol.pairing.model.player import Player
from faristol.pairing.model.rounds import take_off_entered
from faristol.pairing.model.rulings import Rulings, game_stream, watch
from faristol.pairing.model.team import BoardBye, Team, TeamMatch
from faristol.pairing.model.tournament import (
    Appeal,
    AppealPhase,
    DataRequest,
    Decided,
    GameSanction,
    Hall,
    Pairing,
    Phase,
    ResultCheck,
    Round,
    Tournament,
    Unsanctioned,
    game_id,
    stream,
)
