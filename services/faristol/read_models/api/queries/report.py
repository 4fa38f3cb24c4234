"""The query for a tournament as a file for pairing and rating programs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.computed import standings
from faristol.read_models.computed.crosstable import crosstable
from faristol.read_models.computed.mode import check_has_tables
from faristol.read_models.computed.report import Arrangements, complete, report
from faristol.read_models.computed.teams import taking_part
from faristol.read_models.storage import history, lookup
from faristol.read_models.storage.lookup import Part
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.names import load_people
from faristol.rules.trf import Edition, write_trf

_EDITIONS: Mapping[results.ReportEdition.ValueType, Edition] = {
    results.REPORT_EDITION_UNSPECIFIED: Edition.TRF26,
    results.REPORT_EDITION_TRF16: Edition.TRF16,
    results.REPORT_EDITION_TRF26: Edition.TRF26,
}

PAIRS_ALONE = N_("a report supports only games of two players, and this tournament has tables with more")


async def get_report(
    models: ReadModels, request: results.GetReportRequest, context: Context
) -> results.GetReportResponse:
    """Return the TRF file of a tournament up to a round, or up to the last complete one.

    Only officials get the pairs kept apart and the byes granted for later rounds.

    Raises ``NotFound`` for a round that is not paired, and ``Invalid`` for one with a missing result. Raises
    ``Refusal`` for a tournament that the format cannot express.
    """
    found = await models.find_tournament(request, context, history.games, Part.PLAYERS | Part.TEAMS | Part.TABLES)
    check_has_tables(found.head)
    number = request.round
    counted = complete(found.up_to(number))
    if number and len(counted) < number:
        raise Invalid(
            "round",
            N_("round {round} has missing results; the last complete round is {last}"),
            {"round": number, "last": len(counted)},
        )
    if any(len(game.seats) > standings.PAIR_TABLE_PLAYERS for round_ in counted for game in round_.games):
        raise Refusal("NOT_PAIRS", PAIRS_ALONE)
    lines = await asyncio.to_thread(answers.standings, found.of, counted, arithmetic=True)
    arrangements = Arrangements()
    for event in await models.record.read_stream(f"tournament-{found.of.id}"):
        if event.position <= found.position:
            arrangements.note(event.message)
    described = found.tournament
    await lookup.add_words(models.record, [(described, found.head)])
    document = await asyncio.to_thread(
        report,
        found.head,
        found.of.players.values(),
        crosstable(lines, found.of.players, counted),
        arrangements if request.for_officials else arrangements.public(),
        await load_people(models.record, found.of.players),
        standings.rules_of(found.head),
        _EDITIONS[request.edition],
        {(round_.round, game.seats[1].player_id) for round_ in counted for game in round_.games},
        taking_part(found.of.teams_in_order(), counted),
        described.arbiters,
        counted,
    )
    return results.GetReportResponse(text=write_trf(document), round=len(counted), position=found.position)
