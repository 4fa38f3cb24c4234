"""Screens: their reports, programmes and pictures."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError

from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import NotFound
from faristol.kernel.likeness import like
from faristol.kernel.screens import code_of_screen
from faristol.kernel.times import timestamp
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage import lookup, screen_reports
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.rows import StoredPart, StoredScreen, Tournament
from faristol.read_models.storage.screen_reports import ScreenReport
from faristol.read_models.storage.store import Reader


async def report_screen(
    models: ReadModels, request: results.ReportScreenRequest, context: Context
) -> results.ReportScreenResponse:
    """Store the report of a screen, and return its programme in the tournament that named it last."""
    code = code_of_screen(request.token)

    async def look(reader: Reader) -> tuple[Tournament, StoredScreen] | None:
        table = reader.tables[Tournament]
        found = [
            (head, screen)
            for head in await reader.rows(Tournament, table.c.screens.is_not(()) & (table.c.removed.is_(False)))
            for screen in head.screens
            if screen.code == code
        ]
        return max(found, key=lambda each: each[1].set_at, default=None)

    found, position = await read_now(models.record, look)
    tournament_id = found[0].tournament_id if found else ""
    await _store(models, code, tournament_id, ScreenReport(models.now_ns(), request.showing))
    answer = results.ReportScreenResponse(code=code, tournament_id=tournament_id, position=position)
    if found:
        answer.screen.CopyFrom(to_screen(found[1]))
    return answer


async def _store(models: ReadModels, code: str, tournament_id: str, report: ScreenReport) -> None:
    await models.prepare_reports()
    try:
        async with models.record.writing() as connection:
            await screen_reports.store(connection, code, tournament_id, report)
    except IntegrityError:
        pass  # two reports of one screen at a time: the other one is as good


async def list_screens(
    models: ReadModels, request: results.ListScreensRequest, context: Context
) -> results.ListScreensResponse:
    """List the screens of a tournament by name with their last reports, its pictures, and free screens."""
    await models.reach(request.min_position, context)
    found = await lookup.tournament(models.record, request.tournament_id)
    check_reached(request.min_position, found.position)
    await models.prepare_reports()
    async with models.record.reading() as connection:
        reports = await screen_reports.load(connection, [screen.code for screen in found.head.screens])
        free = await screen_reports.list_free(connection, models.now_ns())
    return results.ListScreensResponse(
        screens=[
            to_screen(screen, reports.get(screen.code))
            for screen in sorted(found.head.screens, key=lambda each: each.name.casefold())
        ],
        pictures=[like(results.Picture, picture) for picture in found.head.pictures],
        free_codes=free,
        position=found.position,
    )


def to_screen(screen: StoredScreen, report: ScreenReport | None = None) -> results.Screen:
    """Return a screen as shown."""
    parts = [like(pairing.ScreenPart, StoredPart(*part)) for part in screen.programme]
    answer = results.Screen(code=screen.code, name=screen.name, programme=parts, seconds=screen.seconds)
    if report is not None:
        answer.seen_at.CopyFrom(timestamp(report.seen_at))
        answer.showing = pairing.ScreenContent.ValueType(report.showing)
    return answer


async def get_picture(
    models: ReadModels, request: results.GetPictureRequest, context: Context
) -> results.GetPictureResponse:
    """Return the content of a picture of a tournament. Raises ``NotFound`` for any other digest."""
    found = await lookup.tournament(models.record, request.tournament_id)
    if request.digest not in {picture.digest for picture in found.head.pictures}:
        raise NotFound("picture", request.digest[:64])
    for event in await models.record.events(f"picture-{request.digest}"):
        if isinstance(event, pairing.PictureStored):
            return results.GetPictureResponse(content=event.content)
    raise NotFound("picture", request.digest)
