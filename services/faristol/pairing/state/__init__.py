"""The state of a tournament, folded from its events. Pure."""

from faristol.pairing.state.evolution import evolve
from faristol.pairing.state.origins import Origins
from faristol.pairing.state.player import PlayerState
from faristol.pairing.state.rounds import take_off_entered
from faristol.pairing.state.rulings import TableRulings, game_stream, watch
from faristol.pairing.state.team import BoardBye, TeamMatch, TeamState
from faristol.pairing.state.tournament import (
    Appeal,
    AppealPhase,
    DataRequest,
    GameDecision,
    GameSanction,
    HallRange,
    Pairing,
    Phase,
    ResultCheck,
    RoundState,
    TournamentState,
    Unsanctioned,
    game_id,
    stream,
)
