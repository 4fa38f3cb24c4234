"""The state of a tournament, folded from its events. Pure."""

from faristol.tournament.state.drafts import draft_pairing, publish_draft
from faristol.tournament.state.evolution import evolve
from faristol.tournament.state.origins import Origins
from faristol.tournament.state.player import PlayerState
from faristol.tournament.state.rounds import take_off_entered
from faristol.tournament.state.rulings import TableRulings, game_stream, watch
from faristol.tournament.state.team import BoardBye, TeamMatch, TeamState
from faristol.tournament.state.tournament import (
    Appeal,
    AppealPhase,
    ChangeProposal,
    DataRequest,
    Draft,
    GameDecision,
    GameSanction,
    HallRange,
    MessageState,
    Pairing,
    Phase,
    PlayerActs,
    PlayerRequest,
    ResultCheck,
    RoundState,
    Sanction,
    Stage,
    TournamentState,
    Unsanctioned,
    game_id,
    stream,
)
