"""Reports out of the record."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record
from faristol.results import ranking, reading
from faristol.results.crosstable import crosstable
from faristol.results.report import Arrangements, complete, report
from faristol.results.teams import taking_part
from faristol.rules.trf import Edition, write_trf

_EDITIONS: Mapping[results.ReportEdition.ValueType, Edition] = {
    results.REPORT_EDITION_UNSPECIFIED: Edition.TRF26,
    results.REPORT_EDITION_TRF16: Edition.TRF16,
    results.REPORT_EDITION_TRF26: Edition.TRF26,
}

PAIRS_ALONE = N_("a report holds games of two players, and this tournament has tables with more")


async def answer(
    record: Record,
    found: reading.Tournament,
    number: int,
    edition: results.ReportEdition.ValueType,
    *,
    for_officials: bool,
) -> results.GetReportResponse:
    """The file of a tournament up to round ``number``, or up to the last that is over when that is 0.

    ``for_officials`` with the pairs kept apart and the byes granted for rounds to come, which the public is not told.

    Raises ``NotFound`` for a round that is not paired, ``Invalid`` for one of which a result is missing, and
    ``Refusal`` for a tournament of which the format cannot tell.
    """
    counted = complete(found.up_to(number))
    if number and len(counted) < number:
        raise Invalid(
            "round",
            N_("round {round} has results to come; the last that is over is {last}"),
            {"round": number, "last": len(counted)},
        )
    if any(len(table.seats) > 2 for round_ in counted for table in round_.tables):
        raise Refusal("NOT_PAIRS", "", PAIRS_ALONE)
    lines = await asyncio.to_thread(ranking.rank, found.tournament, found.players, counted, arithmetic=True)
    arrangements = Arrangements()
    for event in await record.read_stream(f"tournament-{found.tournament.tournament_id}"):
        if event.position <= found.position:
            arrangements.note(event.message)
    document = await asyncio.to_thread(
        report,
        found.tournament,
        found.players,
        crosstable(lines, found.players, counted),
        arrangements if for_officials else arrangements.public(),
        await reading.people(record, (player.player_id for player in found.players)),
        ranking.rules_of(found.tournament),
        _EDITIONS[edition],
        {(round_.round, table.seats[1].player_id) for round_ in counted for table in round_.tables},
        taking_part(found.listed.teams, counted),
    )
    return results.GetReportResponse(text=write_trf(document), round=len(counted), position=found.position)
