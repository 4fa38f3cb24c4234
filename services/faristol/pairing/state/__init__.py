"""The state of a tournament, folded from its events. Pure."""

from faristol.pairing.state.entries import BYES, KINDS
from faristol.pairing.state.evolution import evolve
from faristol.pairing.state.origins import NamedPerson, Origins
from faristol.pairing.state.player import Player
from faristol.pairing.state.rounds import take_off_entered
from faristol.pairing.state.rulings import Rulings, game_stream, watch
from faristol.pairing.state.team import BoardBye, Team, TeamMatch
from faristol.pairing.state.tournament import (
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
