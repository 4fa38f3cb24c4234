"""Data that the events of a hall depend on beside the streams of their tables, loaded from the record."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from google.protobuf.message import Message

from faristol.adjudication import policy
from faristol.adjudication.cases.model import Case, evolve
from faristol.adjudication.views import AdjudicatedGame, watch_game
from faristol.event_store import Record, load
from faristol.game.halls.rulings import Surroundings, list_cases, may_lexicon_rule
from faristol.game.halls.tables import load_tournament
from faristol.host.halls.identity import CASE
from faristol.host.table_store import Settled, game_stream


async def load_surroundings(
    record: Record, tournament_id: str, tables: Mapping[str, Settled], new_events: Mapping[str, Sequence[Message]]
) -> Mapping[str, Surroundings]:
    """Load the surroundings of tables by game; cases and settings only for tables whose new events depend on them."""
    players = (await load_tournament(record, tournament_id)).players
    around = dict.fromkeys(tables, Surroundings(players))
    settings: Sequence[Message] | None = None
    for game_id, settled in tables.items():
        case_ids = list_cases(settled.game, new_events.get(game_id, ()))
        if not case_ids:
            continue
        if settings is None:
            settings = await record.events(policy.stream(tournament_id))
        around[game_id] = Surroundings(
            players,
            await _load_cases(record, case_ids),
            (await load(record, game_stream(game_id), AdjudicatedGame(), watch_game)).state.challenges,
            may_lexicon_rule(settings, settled.game.handed_at),
        )
    return around


async def _load_cases(record: Record, case_ids: Collection[str]) -> Mapping[str, Case]:
    """Return the cases with these ids that are open."""
    cases: dict[str, Case] = {}
    for stream, event in await record.events_after({f"{CASE}{case_id}": 0 for case_id in sorted(case_ids)}):
        case_id = stream.removeprefix(CASE)
        cases[case_id] = evolve(cases.get(case_id, Case()), event)
    return cases
