"""Queries of the messages of officials, of screens with their pictures, of stream slots and claims."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from sqlalchemy.exc import IntegrityError

from faristol.access_control.credential import Credential
from faristol.access_control.roles import ARBITER, DIRECTOR, FEDERATION
from faristol.event_store import Record
from faristol.host.rpc.dispatch import Context
from faristol.host.security.authorization import caller, is_asked
from faristol.kernel.errors import NotFound
from faristol.kernel.likeness import like
from faristol.kernel.screens import code_of_screen
from faristol.kernel.times import timestamp
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data import people
from faristol.read_models.api.queries.standings import get_standings
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage import lookup, screen_reports
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.rows import Round, StoredMessage, StoredPart, StoredScreen, StoredSlot, Tournament
from faristol.read_models.storage.screen_reports import ScreenReport
from faristol.read_models.storage.store import Reader


async def list_messages(
    models: ReadModels, request: results.ListMessagesRequest, context: Context
) -> results.ListMessagesResponse:
    """List the messages that are shown now and that the caller may read, the latest first."""
    found = await models.find_current(request, context)
    messages = await load_readable_messages(models, found.head)
    return results.ListMessagesResponse(messages=messages, position=found.position)


async def load_readable_messages(models: ReadModels, head: Tournament) -> Sequence[results.Message]:
    """Return the messages of a tournament that are shown now and that the caller may read, the latest first.

    Callers other than officials get only themselves among the players of a message.
    """
    asking = caller()

    def may_read(message: StoredMessage) -> bool:
        return message.public or not is_asked() or may_read_private(asking, head, message)

    messages = await load_messages(models.record, head, models.now_ns(), may_read)
    if is_asked() and (asking is None or asking.role not in _OFFICIALS):
        for message in messages:
            own = [player for player in message.player_ids if asking is not None and player == asking.player]
            del message.player_ids[:]
            message.player_ids.extend(own)
    return messages


_OFFICIALS = frozenset((ARBITER, DIRECTOR, FEDERATION))


def may_read_private(asking: Credential | None, head: Tournament, message: StoredMessage) -> bool:
    """Check whether a caller may read a message to players: they and the officials of the tournament may.

    An official of some halls reads the messages of these halls.
    """
    if asking is None or not asking.scope.touches(head.tournament_id):
        return False
    if asking.player and asking.player in message.player_ids:
        return True
    scope = asking.scope
    in_scope = scope.holds(head.tournament_id) or (
        bool(message.hall) and scope.holds_halls(head.tournament_id, [message.hall])
    )
    return asking.role in _OFFICIALS and in_scope


async def load_messages(
    record: Record,
    head: Tournament,
    now: int,
    may_read: Callable[[StoredMessage], bool] = lambda message: message.public,
) -> Sequence[results.Message]:
    """Return the messages of a tournament that are not expired at ``now``, the latest first, with their texts.

    ``now`` is in nanoseconds since 1970. By default, only public messages are returned.
    """
    shown = [each for each in reversed(head.messages) if each.expires_at > now and may_read(each)]
    texts = await record.notes_at([each.text_at for each in shown]) if shown else {}
    return [like(results.Message, each, text=texts.get(each.text_at, "")) for each in shown]


async def list_slots(
    models: ReadModels, request: results.ListSlotsRequest, context: Context
) -> results.ListSlotsResponse:
    """List the slots of a tournament by number, each with the game that it shows."""
    await models.reach(request.min_position, context)

    async def look(reader: Reader) -> tuple[list[StoredSlot], dict[int, Round]]:
        head = await lookup.find_head(reader, request.tournament_id)
        if not head.slots:
            return [], {}
        _, rounds = await reader.tournament(request.tournament_id)
        slots, last = list(itertools.starmap(StoredSlot, head.slots)), max(rounds, default=0)
        for number in {slot.for_round or last for slot in slots} & rounds.keys():
            await reader.add_tables(rounds, request.tournament_id, only=number, teams=False)
        return slots, rounds

    (slots, rounds), position = await read_now(models.record, look, request.tournament_id)
    check_reached(request.min_position, position)
    last = max(rounds, default=0)
    most = max((slot.rank for slot in slots), default=0)
    ranked = await _rank_players(models, request, context, last - 1, most) if most and last > 1 else []
    return results.ListSlotsResponse(
        slots=[to_slot(slot, rounds.get(slot.for_round or last), ranked) for slot in slots], position=position
    )


async def _rank_players(
    models: ReadModels, request: results.ListSlotsRequest, context: Context, after: int, most: int
) -> list[str]:
    """Return the players of the first lines of the standings after a round, as far as the caller may know them."""
    asked = results.GetStandingsRequest(tournament_id=request.tournament_id, round=after, page_size=most)
    return [line.player_id for line in (await get_standings(models, asked, context)).standings]


def to_slot(slot: StoredSlot, round_: Round | None, ranked: Sequence[str] = ()) -> results.Slot:
    """Return a slot as shown, with the game at its table or of its rank in a round, or without a game.

    ``ranked`` are the players in the standings before the round. Without them, in the first round, a rank is the place
    in the order of the pairings.
    """
    games = sorted(round_.games, key=lambda game: game.place) if round_ else []
    if not slot.rank:
        found = next((game for game in games if game.table == slot.table), None)
        return like(results.Slot, slot, game_id=found.game_id if found else "")
    if ranked:
        player_id = ranked[slot.rank - 1] if slot.rank <= len(ranked) else ""
        found = next((game for game in games if game.seat(player_id)), None)
    else:
        found = games[slot.rank - 1] if slot.rank <= len(games) else None
    return like(results.Slot, slot, table=found.table if found else 0, game_id=found.game_id if found else "")


async def list_claims(
    models: ReadModels, request: results.ListClaimsRequest, context: Context
) -> results.ListClaimsResponse:
    """List the claimed tables with the names of the annotators."""
    found = await models.find_current(request, context)
    known = await people.names(models.record, {claim.annotator_id for claim in found.head.claims})
    names = {person_id: person.name for person_id, person in known.items()}
    claims = [
        results.Claim(table=each.table, annotator_id=each.annotator_id, name=names.get(each.annotator_id, ""))
        for each in found.head.claims
    ]
    return results.ListClaimsResponse(claims=claims, position=found.position)


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
    found = await models.find_current(request, context)
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
