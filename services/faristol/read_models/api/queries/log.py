"""Queries of the log of the record: its checkpoint, its tiles, and proofs."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message

from faristol.bus.envelope import is_whole
from faristol.event_store import Record, Recorded
from faristol.event_store.stored import of_recorded
from faristol.event_store.transparency import log_store
from faristol.event_store.transparency.entry import disclose_event
from faristol.event_store.transparency.signed_note import MAX_LOG_SIZE, SignedNote
from faristol.event_store.transparency.tiles import MAX_TILE_LEVEL_NUMBER, TILE_SIZE, TileName
from faristol.event_store.transparency.tlog_proof import LogProof
from faristol.host.held_events import find_told, hears_late, load_held_refusal
from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import Invalid, NotFound, check_range
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.projections.model import tournament_of
from faristol.read_models.storage.models import ReadModels

NOT_YET_PROVEN = N_(
    "Event {position} has no published checkpoint yet: it follows within a minute, or when enough witnesses answer."
)

RESULT_TYPES = (pairing.ResultRecorded, pairing.ResultCorrected)


async def get_log_checkpoint(
    models: ReadModels, request: results.GetLogCheckpointRequest, context: Context
) -> results.GetLogCheckpointResponse:
    """Return the newest published checkpoint."""
    published = await _load_published(models.record)
    return results.GetLogCheckpointResponse(note=str(published.note), size=published.checkpoint.size)


async def get_log_tile(
    models: ReadModels, request: results.GetLogTileRequest, context: Context
) -> results.GetLogTileResponse:
    """Return a tile, or the entries under a tile of level 0, if a published checkpoint requires it."""
    check_range("level", request.level, 0, 0 if request.entries else MAX_TILE_LEVEL_NUMBER)
    check_range("number", request.number, 0, MAX_LOG_SIZE // TILE_SIZE)
    check_range("width", request.width, 1, TILE_SIZE)
    published = await _load_published(models.record)
    tile = TileName(request.level, request.number)
    # Hashes beyond the published size could be those of events that are not published by any other way.
    if tile.width_at(published.checkpoint.size) < request.width:
        raise NotFound("log tile", f"{request.level}/{request.number}, {request.width}")
    async with models.record.reading() as connection:
        if request.entries:
            entries = await log_store.read_entries(connection, tile.number, request.width)
            content = b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)
        else:
            content = (await log_store.read_tile(connection, tile))[: request.width * 32]
    return results.GetLogTileResponse(content=content)


async def get_proof(models: ReadModels, request: results.GetProofRequest, context: Context) -> results.GetProofResponse:
    """Return the proof of the last event of a subject."""
    event = await _find_event(models.record, request)
    await _refuse_held(models.record, event)
    async with models.record.reading() as connection:
        found = await log_store.first_checkpoint_with(connection, event.position)
        if found is None:
            raise Refusal("NOT_YET_PROVEN", NOT_YET_PROVEN, {"position": event.position})
        hashes = await log_store.prove_inclusion(connection, event.position - 1, found.checkpoint.size)
    shown = disclose_event(of_recorded(event))
    proof = LogProof(event.position - 1, hashes, found.note, shown.to_extra())
    return results.GetProofResponse(
        proof=str(proof),
        position=event.position,
        type=event.type,
        size=found.checkpoint.size,
        origin=found.checkpoint.origin,
        witnesses=_list_witnesses(found.note, found.checkpoint.origin),
    )


def _list_witnesses(note: SignedNote, origin: str) -> list[str]:
    return sorted({line.name for line in note.signatures if line.name != origin})


async def _load_published(record: Record) -> log_store.StoredCheckpoint:
    async with record.reading() as connection:
        published = await log_store.newest_checkpoint(connection, is_published=True)
    if published is None:
        raise NotFound("log", "checkpoint")
    return published


async def _find_event(record: Record, request: results.GetProofRequest) -> Recorded:
    """Return the last public event of the subject of a proof. Raises ``NotFound`` and ``Invalid``."""
    match request.subject:
        case results.PROOF_SUBJECT_SHEET:
            return await _find_sheet_event(record, request.game_id)
        case results.PROOF_SUBJECT_RESULT:
            return await _find_result(record, request.game_id)
        case results.PROOF_SUBJECT_ROUND:
            closed = await _list_events(record, request.tournament_id, pairing.RoundClosed)
            wanted = [each for each in closed if request.round in (0, _round_of(each))]
            return _last(wanted, f"{request.tournament_id}/{request.round or ''}".rstrip("/"))
        case results.PROOF_SUBJECT_STANDINGS:
            published = await _list_events(record, request.tournament_id, pairing.StandingsPublished)
            return _last(published, request.tournament_id)
        case _:
            raise Invalid("subject", N_("the subject of a proof is required"))


def _round_of(event: Recorded) -> int:
    message = event.message
    return message.round if isinstance(message, pairing.RoundClosed) else 0


async def _find_sheet_event(record: Record, game_id: str) -> Recorded:
    """Return the last public event of a table. A duplicate game may be under an embargo, so it has no such proof."""
    if stream := await record.read_stream(f"game-{game_id}"):
        return _last(stream, game_id)
    raise NotFound("game", game_id)


async def _find_result(record: Record, game_id: str) -> Recorded:
    opened = await record.last_events([f"game-{game_id}"])
    tournament = next((event.tournament for event in opened.values()), tournament_of(game_id))
    found = [
        event
        for event in await _list_events(record, tournament, *RESULT_TYPES)
        if isinstance(event.message, RESULT_TYPES) and event.message.game_id == game_id
    ]
    return _last(found, game_id)


async def _list_events(record: Record, tournament_id: str, *types: type[Message]) -> list[Recorded]:
    """Return all events of some types of a tournament."""
    names = {kind.DESCRIPTOR.full_name for kind in types}
    return [event for event in await record.read_whole_stream(f"tournament-{tournament_id}") if event.type in names]


def _last(events: Iterable[Recorded], wanted: str) -> Recorded:
    """Return the last event that every reader may see whole. Raises ``NotFound`` without one."""
    public = [event for event in events if is_whole(event)]
    if not public:
        raise NotFound("provable event", wanted)
    return public[-1]


async def _refuse_held(record: Record, event: Recorded) -> None:
    """Raise ``Refusal`` for an event that the delay of a broadcast holds back from the caller."""
    if not hears_late(event.tournament):
        return
    told = await find_told(record, event.tournament, await record.last_position())
    if told is not None and event.position > told:
        raise await load_held_refusal(record, event.tournament)
