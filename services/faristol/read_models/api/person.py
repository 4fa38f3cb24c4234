"""One player across tournaments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from faristol.event_store import Record
from faristol.host.ruleset_store import load_pinned
from faristol.kernel.details import Person
from faristol.kernel.errors import NotFound
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.api.page import page
from faristol.read_models.computed.standings import PAIR_TABLE_PLAYERS, pin_of
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage import history
from faristol.read_models.storage.history import Moment
from faristol.read_models.storage.lookup import is_made
from faristol.read_models.storage.names import load_people, load_player_names
from faristol.read_models.storage.rows import (
    Bye,
    Game,
    Player,
    Round,
    Standing,
    Tournament,
    decode_many_tuples,
)
from faristol.read_models.storage.store import Reader

FindMoment = Callable[[Tournament, int], Awaitable[Moment | None]]
"""Returns the moment as of which the caller knows a tournament whose rows are of a position; None for the present."""


@dataclass
class PlayerEntry:
    """A player in one tournament."""

    tournament: Tournament
    player: Player
    rounds: dict[int, Round] = field(default_factory=dict)
    standing: Standing | None = None
    line: results.Standing | None = None
    """Line of the standings as told, instead of ``standing``."""
    games: list[Game] = field(default_factory=list)
    byes: list[Bye] = field(default_factory=list)


async def player(
    record: Record, player_id: str, size: int, token: str, find_moment: FindMoment
) -> results.GetPlayerResponse:
    """Return a player with a page of their tournaments, the latest first.

    ``find_moment`` returns the moment as of which the caller knows a tournament; None for the present.

    Raises ``NotFound`` for a player without a tournament.
    """

    async def look(reader: Reader) -> tuple[list[PlayerEntry], int, str]:
        entered = {each.tournament_id: each for each in await reader.those(Player, "player_id", [player_id])}
        made = [each for each in await reader.those(Tournament, "tournament_id", entered) if is_made(each)]
        if not made:
            raise NotFound("player", player_id)
        made.sort(key=lambda each: (-each.created_at, each.tournament_id))
        shown, following = page(made, size, token)
        entries = [PlayerEntry(each, entered[each.tournament_id]) for each in shown]
        await _read(reader, player_id, entries)
        return entries, len(made), following

    (entries, total, following), position = await read_now(record, look)
    for entry in entries:
        if moment := await find_moment(entry.tournament, position):
            await _read_as_told(record, entry, moment)
    known = (await load_people(record, [player_id]))[player_id]
    answer = results.GetPlayerResponse(
        player_id=player_id,
        **known.public,
        position=position,
        next_page_token=following,
        total=total,
    )
    for entry in entries:
        names = await load_player_names(record, _list_player_ids(entry), entry.tournament.tournament_id)
        answer.tournaments.append(_build_player_tournament(entry, known, names))
    return answer


async def _read(reader: Reader, player_id: str, entries: Sequence[PlayerEntry]) -> None:
    """Read the rounds, the games and the standing of a player in each of some tournaments."""
    of = {entry.tournament.tournament_id: entry for entry in entries}
    for round_ in await reader.those(Round, "tournament_id", of, "round"):
        of[round_.tournament_id].rounds[round_.round] = round_
    for game in await reader.games_of_player(player_id):
        if game.tournament_id in of:
            of[game.tournament_id].games.append(game)
    for entry in entries:
        tournament_id = entry.tournament.tournament_id
        entry.byes = await reader.byes_of_player(tournament_id, player_id)
        entry.standing = await reader.standing(tournament_id, max(entry.rounds, default=0), player_id)


async def _read_as_told(record: Record, entry: PlayerEntry, moment: Moment) -> None:
    """Replace the rounds, the games and the standing of a player by those of a moment."""
    own = entry.player.player_id
    found = await history.games_of_player(record, entry.tournament.tournament_id, own, moment)
    await load_pinned(record, pin_of(found.head))
    entry.tournament, entry.rounds = found.head, found.of.rounds
    entry.games = [game for round_ in found.rounds for game in round_.games if game.seat(own) is not None]
    entry.standing = None
    lines = await asyncio.to_thread(answers.standings, found.of, found.rounds, arithmetic=False)
    entry.line = next((line for line in lines if line.player_id == own), None)


def _list_player_ids(entry: PlayerEntry) -> set[str]:
    return {seat.player_id for game in entry.games for seat in game.seats} | {entry.player.player_id}


def _build_player_tournament(entry: PlayerEntry, known: Person, names: dict[str, str]) -> results.PlayerTournament:
    own = entry.player.player_id
    answer = results.PlayerTournament(
        tournament=answers.tournament(entry.tournament, entry.rounds.values(), ()),
        player=answers.player(entry.player, known, names[own]),
    )
    if entry.standing is not None and answer.tournament.mode != results.TOURNAMENT_MODE_DUPLICATE:
        (tie_breaks,) = decode_many_tuples([entry.standing.tie_breaks])
        answer.standing.CopyFrom(answers.standing(entry.standing, entry.player, tie_breaks))
        answer.standing.name, answer.standing.club = known.name, known.club
        answer.standing.withdrawn_round = entry.player.withdrawn_round
    if entry.line is not None:
        answer.standing.CopyFrom(entry.line)
        answer.standing.name, answer.standing.club = known.name, known.club
    for game in entry.games:
        phase = results.RoundPhase.ValueType(entry.rounds[game.round].phase)
        shown = answer.games.add(game_id=game.game_id, round=game.round, phase=phase, outcome=outcome(game, own))
        shown.table.CopyFrom(answers.table(game, phase))
        for seat in shown.table.seats:
            seat.name = names[seat.player_id]
            if not game.final:
                seat.score = 0  # the page of a player is not updated after every play
        if not game.final:
            shown.table.turns = 0
    for bye in sorted(entry.byes, key=lambda each: each.round):
        answer.byes.add(round=bye.round, kind=pairing.ByeKind.ValueType(bye.worth))
    return answer


def outcome(game: Game, player_id: str) -> results.Outcome.ValueType:
    """Return the result of a game for a player; unspecified before the result and at a table of more than two."""
    if not game.final:
        return results.OUTCOME_UNSPECIFIED
    if game.lost_by_all or player_id in game.loser_ids:
        return results.OUTCOME_LOSS
    if game.winner_id:
        return results.OUTCOME_WIN if game.winner_id == player_id else results.OUTCOME_LOSS
    if len(game.seats) != PAIR_TABLE_PLAYERS:
        return results.OUTCOME_UNSPECIFIED
    own, against = sorted(game.seats, key=lambda seat: seat.player_id != player_id)
    if own.score == against.score:
        return results.OUTCOME_DRAW
    return results.OUTCOME_WIN if own.score > against.score else results.OUTCOME_LOSS
