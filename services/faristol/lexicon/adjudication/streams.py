"""Loading of cases, adjudications and tournaments from the record."""

from __future__ import annotations

from faristol.adjudication import policy
from faristol.adjudication.cases.model import Case, evolve, stream
from faristol.adjudication.policy import Adjudication
from faristol.adjudication.views import (
    AdjudicatedGame,
    AdjudicatedTournament,
    game_stream,
    tournament_stream,
    watch_game,
    watch_tournament,
)
from faristol.event_store import Loaded, Record, load
from faristol.kernel.cases import case_ids_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_


async def load_case(record: Record, case_id: str) -> Loaded[Case]:
    """Load the case with that id; if absent, it is not open and has version 0."""
    return await load(record, stream(case_id), Case(), evolve)


async def case_of(record: Record, game: AdjudicatedGame, challenge: int, *, appeal: bool = False) -> Loaded[Case]:
    """Load the case of a game's challenge with this number, or of the appeal in it; not open if absent."""
    for case_id in case_ids_of(game.game_id, game.seed, challenge, appeal=appeal):
        case = await load_case(record, case_id)
        if case.version:
            return case
    return Loaded(Case(), 0)


async def case_named(record: Record, case_id: str) -> Loaded[Case]:
    """Load the case that a caller names. Raises ``Invalid`` without an id, ``NotFound`` if it is absent."""
    if not case_id:
        raise Invalid("case_id", N_("is empty; expected the id of a case"))
    case = await load_case(record, case_id)
    if not case.state.open:
        raise NotFound("case", case_id)
    return case


async def last_case_of(record: Record, game_id: str) -> Loaded[Case]:
    """Load the case of a game's last challenge, or of the appeal in it.

    Raises ``NotFound`` if the game is absent, or has no case (yet).
    """
    game = (await load(record, game_stream(game_id), AdjudicatedGame(), watch_game)).state
    if not game.game_id:
        raise NotFound("game", game_id)
    last = max(game.challenges, default=0)
    for appeal in (True, False):
        case = await case_of(record, game, last, appeal=appeal)
        if case.version:
            return case
    raise NotFound("case of the game", game_id)


async def load_adjudication(record: Record, tournament_id: str) -> Loaded[Adjudication]:
    """Load the adjudication of a tournament; by default the lexicon rules."""
    return await load(record, policy.stream(tournament_id), Adjudication(), policy.evolve)


async def tournament_named(record: Record, tournament_id: str) -> Loaded[AdjudicatedTournament]:
    """Load the tournament that a caller names. Raises ``NotFound`` if it is absent."""
    found = await load(record, tournament_stream(tournament_id), AdjudicatedTournament(), watch_tournament)
    if not found.version:
        raise NotFound("tournament", tournament_id)
    return found
