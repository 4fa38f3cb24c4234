"""The standings, prizes, messages and screens of a tournament, as its readers see them.

The tables of the read models do not exist in memory: except for the standings, the answers are computed by their code
from the events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faristol.casebook.case import TOURNAMENT_ID, TOURNAMENT_STREAM, TournamentCase
from faristol.casebook.comparisons import NONE, format_list, read_words
from faristol.casebook.document import Value
from faristol.casebook.forms import moment
from faristol.casebook.world import Differences, World
from faristol.event_store import load
from faristol.kernel.spellings import name_of
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.results.v1 import results_pb2
from faristol.read_models.api.queries.messages import load_messages
from faristol.read_models.computed.awards import (
    Candidate,
    compute_awards,
    feats_of_games,
)
from faristol.read_models.computed.prizes import CRITERION_KINDS, Offered, Plays, apply_prize_event
from faristol.read_models.storage import history
from faristol.read_models.storage.lookup import Found
from faristol.read_models.storage.rows import StoredPart


async def find_standings(world: World) -> results_pb2.GetStandingsResponse:
    """Return the standings after the round that the step refers to."""
    request = results_pb2.GetStandingsRequest(round=world.after_round)
    return await world.services.query(request)


async def _find(world: World) -> Found:
    record = world.services.record
    return await history.tournament(record, TOURNAMENT_ID, history.Moment(await record.last_position()))


async def _load_prizes(world: World) -> Offered:
    return (await load(world.services.record, TOURNAMENT_STREAM, Offered(), apply_prize_event)).state


async def find_prize_lists(world: World) -> list[str]:
    """Return the names of the prize lists, in their order."""
    return [each.name for each in (await _load_prizes(world)).lists]


async def expect_awards(world: World, value: Value) -> Differences:
    """Yield the differences from the awards of prize lists by the results so far."""
    found = {each.name: [_format_award(world, award) for award in each.awards] for each in await _compute_awards(world)}
    for name, wanted in value.keys(found).items():
        lines = [] if wanted.is_text and wanted.text() == NONE else list(map(read_words, wanted.items()))
        if found[name] != lines:
            yield f"expected the awards of {name}: {format_list(lines)}; got {format_list(found[name])}"


async def _compute_awards(world: World) -> Sequence[results_pb2.AwardList]:
    assert isinstance(world.case, TournamentCase)
    offered, of = await _load_prizes(world), (await _find(world)).of
    played = [of.rounds[number] for number in sorted(of.rounds)]
    if not any(each.finished for each in played):
        return [results_pb2.AwardList(name=each.name) for each in offered.lists]
    entries = {world.names.ids[name]: entry for name, entry in world.case.entries.items()}
    candidates = [
        Candidate(line, of.players[line.player_id].category, entry.club, entry.birth_year)
        for line in (await find_standings(world)).standings
        for entry in (entries[line.player_id],)
    ]
    no_plays = Plays({}, (), recorded=False)
    feats = {criterion: feats_of_games(criterion, played, no_plays, ()) for criterion in CRITERION_KINDS}
    return compute_awards(offered, candidates, feats, {}, "en")


def _format_award(world: World, award: results_pb2.Award) -> str:
    """Return place, name, money and prizes in kind of an award: ``1 Anna 30000 Copa d'or``."""
    money = [str(award.amount)] if award.amount else []
    lot = ["by lot"] if award.by_lot else []
    return " ".join([str(award.place), world.names.name(award.player_id), *money, *award.things, *lot])


async def find_messages(world: World) -> list[str]:
    """Return the messages that are shown, the latest first: their texts, or their kinds if they have no text."""
    head = (await _find(world)).head
    now = moment(world.now_ms).ToNanoseconds()
    found = await load_messages(world.services.record, head, now, lambda message: True)
    return [each.text or name_of(events.MessageKind.DESCRIPTOR, each.kind) or "" for each in found]


async def find_pictures(world: World) -> list[str]:
    """Return the names of the pictures, in the order of addition."""
    return [picture.name for picture in (await _find(world)).head.pictures]


async def expect_screens(world: World, value: Value) -> Differences:
    """Yield the difference from all screens and their programmes."""
    head = (await _find(world)).head
    pictures = {picture.digest: picture.name for picture in head.pictures}
    found = {
        screen.name: [_format_part(StoredPart(*part), pictures) for part in screen.programme] for screen in head.screens
    }
    empty = value.is_text and value.text() == NONE
    wanted = {} if empty else {name: [part.text() for part in parts.items()] for name, parts in value.keys().items()}
    if found != wanted:
        named, shown = (
            "; ".join(f"{name} with {format_list(parts)}" for name, parts in screens.items()) or NONE
            for screens in (wanted, found)
        )
        yield f"expected the screens {named}; got {shown}"


def _format_part(part: StoredPart, pictures: Mapping[str, str]) -> str:
    """Return a part of a programme as the command has it."""
    about = part.hall or pictures.get(part.digest, part.digest) or (str(part.table) if part.table else "")
    content = name_of(events.ScreenContent.DESCRIPTOR, part.content) or ""
    return f"{content}:{about}" if about else content
