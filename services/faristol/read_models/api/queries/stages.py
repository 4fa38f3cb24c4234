"""The query of the stages of a championship."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable

from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import NotFound
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.mode import check_has_tables
from faristol.read_models.computed.stages import (
    PlayedStage,
    are_finished,
    connect_stages,
    describe_stage,
    list_final_table,
)
from faristol.read_models.computed.standings import rank, rules_of
from faristol.read_models.storage import history
from faristol.read_models.storage.lookup import Found, Part
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.names import load_player_names


async def get_stages(
    models: ReadModels, request: results.GetStagesRequest, context: Context
) -> results.GetStagesResponse:
    """Return the stages that are connected with a tournament, their brackets, and the final table.

    Raises ``Refusal`` for a tournament of duplicate games.
    """
    found = await _find(models, request, context, request.tournament_id)
    check_has_tables(found.head)
    by_id = {request.tournament_id: found}
    for division in found.divisions:
        if division.tournament_id not in by_id:
            try:
                by_id[division.tournament_id] = await _find(models, request, context, division.tournament_id)
            except NotFound:
                continue  # removed, or not yet there at the moment of the request
    connected = connect_stages((each.head for each in by_id.values()), request.tournament_id)
    stages = await asyncio.to_thread(_rank, [by_id[head.tournament_id] for head in connected])
    has_table = len(stages) > 1 or stages[0].ruleset.championship.system == "knock-out"
    described = await asyncio.to_thread(lambda: [describe_stage(stage) for stage in stages])
    answer = results.GetStagesResponse(
        stages=described,
        final_table=list_final_table(stages) if has_table else (),
        finished=await asyncio.to_thread(are_finished, stages),
        position=min(each.position for each in by_id.values()),
        division=found.head.division,
        tournament_id=request.tournament_id,
    )
    await _add_names(models, answer)
    return answer


async def _find(models: ReadModels, request: results.GetStagesRequest, context: Context, tournament_id: str) -> Found:
    """Return a tournament with its players and tables as of the moment of the request."""
    asked = results.GetStagesRequest()
    asked.CopyFrom(request)
    asked.tournament_id = tournament_id
    return await models.find_tournament(asked, context, history.games, Part.PLAYERS | Part.TABLES)


def _rank(found: Iterable[Found]) -> list[PlayedStage]:
    return [
        PlayedStage(
            each.head,
            rules_of(each.head),
            each.of.players,
            each.rounds,
            rank(each.head, each.of.players.values(), each.rounds),
        )
        for each in found
    ]


async def _add_names(models: ReadModels, answer: results.GetStagesResponse) -> None:
    """Fill the names, which tell namesakes of a tournament apart."""
    of_stage: defaultdict[str, list[results.MatchSide | results.FinalLine]] = defaultdict(list)
    for stage in answer.stages:
        of_stage[stage.tournament_id] += [side for match in stage.matches for side in match.sides if side.player_id]
    for line in answer.final_table:
        of_stage[line.tournament_id].append(line)
    for tournament_id, named in of_stage.items():
        names = await load_player_names(models.record, {each.player_id for each in named}, tournament_id)
        for each in named:
            each.name = names[each.player_id]
