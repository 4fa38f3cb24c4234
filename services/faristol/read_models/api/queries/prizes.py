"""Queries of special prizes, and of prize lists with their awards."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from faristol.event_store import Record, load
from faristol.host.held_events import load_held_refusal
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.host.ruleset_store import load_pinned
from faristol.kernel import event_types
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.computed.awards import (
    Candidate,
    Feat,
    Feats,
    compute_awards,
    feats_of_games,
    feats_of_plays,
    is_list_of_minors,
    list_of,
)
from faristol.read_models.computed.mode import check_has_tables
from faristol.read_models.computed.prizes import (
    CRITERION_KINDS,
    Offered,
    Play,
    Plays,
    apply_prize_event,
    prizes,
)
from faristol.read_models.computed.standings import last_counted, pin_of
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage import history
from faristol.read_models.storage.lookup import Part, find_head
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.names import load_people, load_player_names
from faristol.read_models.storage.rows import Standing
from faristol.read_models.storage.store import Reader
from faristol.text.money import count_currency_digits

_PUBLICATION_TYPES = event_types.types_of([pairing.StandingsPublished])

_READ_COUNT = 100
"""Events per read."""


async def get_prizes(
    models: ReadModels, request: results.GetPrizesRequest, context: Context
) -> results.GetPrizesResponse:
    """Return the leaders for the special prizes."""
    await models.reach(request.min_position, context)
    offered = await load_offered(models, request.tournament_id)
    of, plays, annulled, position = await _load_plays(models.record, request.tournament_id, offered.expelled)
    check_reached(request.min_position, position)
    check_has_tables(of.tournament)
    if await models.moment_told(of.tournament, position):
        raise await load_held_refusal(models.record, request.tournament_id)
    rounds = [of.rounds[number] for number in sorted(of.rounds)]
    won = await asyncio.to_thread(prizes, offered, rounds, plays, annulled)
    await models.name([winner for prize in won for winner in prize.winners], request.tournament_id)
    return results.GetPrizesResponse(prizes=won, position=position, over=of.is_over)


async def load_offered(models: ReadModels, tournament_id: str) -> Offered:
    """Return the prizes that a tournament offers."""
    return (await load(models.record, f"tournament-{tournament_id}", Offered(), apply_prize_event)).state


async def _load_plays(
    record: Record, tournament_id: str, expelled: Collection[str]
) -> tuple[Championship, Plays, frozenset[str], int]:
    """Return a tournament with its tables, its plays for the prizes, the players with annulled games, the position.

    The plays exclude those of ``expelled`` players. Raises ``NotFound``.
    """

    async def look(reader: Reader) -> tuple[Championship, Plays, frozenset[str]]:
        of = Championship(await find_head(reader, tournament_id))
        of.rounds = await reader.rounds(of.id)
        rounds = {game.game_id: round_.round for round_ in of.rounds.values() for game in round_.games}
        bingos, best, recorded = await reader.plays(of.id, expelled)
        standings = await reader.standings(Standing, of.id, last_counted(of.rounds.values()))
        annulled = frozenset(line.player_id for line in standings if line.annulled)
        return of, Plays(bingos, [Play(line, rounds[line.game_id]) for line in best], recorded), annulled

    (of, plays, annulled), position = await read_now(record, look, tournament_id)
    return of, plays, annulled, position


async def _load_best_plays(record: Record, tournament_id: str) -> list[Play]:
    """Return the highest-scoring plays of each player of a tournament, the highest first, with their rounds."""

    async def look(reader: Reader) -> list[Play]:
        rounds = await reader.rounds(tournament_id)
        of = {game.game_id: round_.round for round_ in rounds.values() for game in round_.games}
        return [Play(line, of[line.game_id]) for line in await reader.best_plays(tournament_id)]

    return (await read_now(record, look, tournament_id))[0]


async def get_awards(
    models: ReadModels, request: results.GetAwardsRequest, context: Context
) -> results.GetAwardsResponse:
    """Return the prize lists with their awards: after the final standings, or earlier if ``provisional``."""
    tournament_id = request.tournament_id
    found = await models.find_current(request, context, Part.PLAYERS | Part.STANDINGS)
    if late := await models.moment_told(found.head, found.position):
        found = await history.players(models.record, tournament_id, late)
    check_has_tables(found.head)
    offered = await load_offered(models, tournament_id)
    answer = results.GetAwardsResponse(
        sharing=offered.rules.sharing,
        limit=offered.rules.limit,
        currency=offered.rules.currency,
        currency_digits=count_currency_digits(offered.rules.currency) if offered.rules.currency else 0,
        final=found.head.over,
        position=found.position,
        without=offered.rules.player_ids,
        published_position=await _find_publication(models, tournament_id) if found.head.over else 0,
    )
    has_results = any(round_.finished for round_ in found.rounds)
    if not offered.lists or not (found.head.over or (request.provisional and has_results)):
        answer.lists.extend(map(list_of, offered.lists))
        return answer
    await load_pinned(models.record, pin_of(found.head))
    lines = await asyncio.to_thread(answers.standings, found.of, found.rounds, arithmetic=False)
    people = await load_people(models.record, found.of.players)
    names = await load_player_names(models.record, found.of.players, tournament_id)
    candidates = [
        Candidate(
            line,
            found.of.players[line.player_id].category,
            people[line.player_id].club,
            people[line.player_id].details.birth_year,
        )
        for line in lines
    ]
    feats = await _feats(models, tournament_id, offered)
    year = int((found.head.starts_on or datetime.fromtimestamp(found.head.created_at / 10**9, UTC).isoformat())[:4])
    hidden = {each.list for each in offered.lists if models.hides_minors() and is_list_of_minors(each, year)}
    awarded = await asyncio.to_thread(compute_awards, offered, candidates, feats, names, language_of(context), hidden)
    answer.lists.extend(awarded)
    return answer


async def _find_publication(models: ReadModels, tournament_id: str) -> int:
    """Return the position of the last publication of the final standings; 0 without one."""
    after = 0
    while True:
        read = await models.record.read(after, tournament=tournament_id, types=_PUBLICATION_TYPES, limit=_READ_COUNT)
        after = read[-1].position if read else after
        if len(read) < _READ_COUNT:
            return after


async def _feats(models: ReadModels, tournament_id: str, offered: Offered) -> Feats:
    """Return the values of the criteria that some prize list has, the best first."""
    wanted = {each.criterion for each in offered.lists}
    found: dict[int, Sequence[Feat]] = {}
    if pairing.PRIZE_CRITERION_HIGH_PLAY in wanted:
        found[pairing.PRIZE_CRITERION_HIGH_PLAY] = feats_of_plays(await _load_best_plays(models.record, tournament_id))
    if wanted & CRITERION_KINDS.keys():
        of, plays, annulled, _ = await _load_plays(models.record, tournament_id, offered.expelled)
        rounds = [of.rounds[number] for number in sorted(of.rounds)]
        found |= {each: feats_of_games(each, rounds, plays, annulled) for each in wanted & CRITERION_KINDS.keys()}
    return found
