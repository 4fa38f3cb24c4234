"""Queries of the current read models, from their tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Flag, auto
from typing import TypeVar

from sqlalchemy import true
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import Live, NotBuilt, read
from faristol.event_store import Record, stored
from faristol.event_store.integrity import seals as record_seals
from faristol.host.descriptions import read_description
from faristol.host.rpc.errors import Unreachable
from faristol.kernel.details import Person
from faristol.kernel.divisions import first_division_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.likeness import like
from faristol.kernel.names import list_distinct_names as names_told_apart
from faristol.kernel.refusal import N_
from faristol.kernel.times import timestamp
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.people import is_official, load_distinct_names, names, namesakes
from faristol.read_models.api import answers
from faristol.read_models.computed.prizes import Play, Plays
from faristol.read_models.computed.standings import last_counted
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.model import tournament_of
from faristol.read_models.projections.projection import PROJECTION_NAME, projection
from faristol.read_models.storage.rows import (
    Division,
    Game,
    Player,
    Round,
    Standing,
    Team,
    TeamStanding,
    Tournament,
)
from faristol.read_models.storage.store import Reader
from faristol.read_models.storage.tables import schema

T = TypeVar("T")

MAX_PLAYERS_BY_ID = 100
"""Players whose names are looked up by id; for more, all of their tournament are looked up."""


@dataclass
class Found:
    """A tournament with the parts requested, all as of one moment."""

    of: Championship
    position: int
    """The position of the record that all of this reflects."""
    divisions: Sequence[Division]
    """Of its championship."""

    @property
    def head(self) -> Tournament:
        """The row of the tournament itself."""
        return self.of.tournament

    @property
    def tournament(self) -> results.Tournament:
        """The tournament as shown."""
        return answers.tournament(self.head, self.rounds, self.divisions)

    @property
    def rounds(self) -> list[Round]:
        """The paired rounds, in order."""
        return [round_ for _, round_ in sorted(self.of.rounds.items())]

    def round(self, number: int) -> Round:
        """Return a round. Raises ``NotFound`` if it is not paired."""
        try:
            return self.of.rounds[number]
        except KeyError:
            raise NotFound("round", f"{self.of.id}/{number}") from None

    def up_to(self, number: int) -> list[Round]:
        """Return the rounds up to ``number``, or all for 0.

        Raises ``NotFound`` if the round is not paired, and ``Invalid`` for a negative number.
        """
        if number < 0:
            raise Invalid(
                "round",
                N_("{round} is not a round: expected 1 or more, or 0 for the results so far"),
                {"round": number},
            )
        if number:
            self.round(number)
        return [round_ for round_ in self.rounds if not number or round_.round <= number]


class Part(Flag):
    """The parts of a tournament to read in addition to its own row and the phases of its rounds."""

    NOTHING = 0
    PLAYERS = auto()
    TEAMS = auto()
    TABLES = auto()
    """The tables of the rounds, their byes and matches."""
    STANDINGS = auto()
    TEAM_STANDINGS = auto()


@dataclass(frozen=True, slots=True)
class Listing:
    """Tournaments that are complete, the latest first, each with the divisions of its championship."""

    tournaments: Sequence[results.Tournament]
    of: Mapping[str, Championship]
    """The tournaments read, by id."""
    position: int
    """The position of the record that all of this reflects."""

    async def add_words(self, record: Record, shown: Collection[results.Tournament]) -> None:
        """Add to some of these tournaments the texts stored beside their events."""
        await add_words(record, [(each, self.of[each.tournament_id].tournament) for each in shown])


async def tournaments(record: Record) -> Listing:
    """Return all tournaments."""

    async def look(reader: Reader) -> Mapping[str, Championship]:
        found = {each.tournament_id: Championship(each) for each in await reader.rows(Tournament, true())}
        for round_ in await reader.rows(Round, true()):
            found[round_.tournament_id].rounds[round_.round] = round_
        return found

    return build_listing(*await read_now(record, look))


def build_listing(found: Mapping[str, Championship], position: int) -> Listing:
    """Return the tournaments that ``is_made`` accepts out of all that were found as of a position."""
    made = [each for each in found.values() if is_made(each.tournament)]
    made.sort(key=lambda each: (-each.tournament.created_at, each.id))
    shown = [
        answers.tournament(
            each.tournament, each.rounds.values(), found[first_division_of(each.tournament)].tournament.divisions
        )
        for each in made
    ]
    return Listing(shown, found, position)


def is_made(tournament: Tournament) -> bool:
    """Check whether a tournament is public: it has its rules and was not removed.

    A tournament without rules is between two events of the append that creates it.
    """
    return bool(tournament.ruleset) and not tournament.removed


async def add_words(record: Record, tournaments: Collection[tuple[results.Tournament, Tournament]]) -> None:
    """Add to tournaments, each with its row, the texts stored beside their events: contact and arbiters.

    They are looked up by position; the streams are not read.
    """
    wanted = {at for _, row in tournaments for at in (row.contact_at, row.arbiters_at) if at}
    said = await record.notes_at(wanted) if wanted else {}
    for shown, row in tournaments:
        described = read_description(said.get(row.contact_at, ""), said.get(row.arbiters_at, ""))
        shown.contact = described.contact
        shown.arbiters.extend(described.arbiters)


async def tournament(
    record: Record,
    tournament_id: str,
    parts: Part = Part.NOTHING,
    *,
    up_to: int = 0,
    only: int = 0,
    player_id: str = "",
) -> Found:
    """Return a tournament with the ``parts`` requested, all as of one moment.

    Tables and standings are those of the rounds up to ``up_to``, of only the round ``only``, or of all. With a
    ``player_id``, only tables and byes of that player are read. Raises ``NotFound`` if the tournament does not exist.
    """

    async def look(reader: Reader) -> tuple[Championship, Sequence[Division]]:
        found, rounds = await reader.tournament(tournament_id)
        if found is None or not is_made(found):
            raise NotFound("tournament", tournament_id)
        head, of = found, Championship(found, rounds=rounds)
        if Part.PLAYERS in parts:
            of.players = {each.player_id: each for each in await reader.of_tournament(Player, tournament_id)}
        if Part.TEAMS in parts and head.team_boards:
            of.teams = {each.team_id: each for each in await reader.of_tournament(Team, tournament_id)}
        if Part.TABLES in parts:
            teams = head.team_boards > 0 and not player_id
            await reader.add_tables(of.rounds, tournament_id, up_to, only=only, teams=teams, player_id=player_id)
        if Part.STANDINGS in parts and (last := up_to or max(of.rounds, default=0)):
            of.standings = await reader.standings(Standing, tournament_id, last)
            if not of.standings:  # the content of the rules is not on the record: the caller ranks
                await reader.add_tables(of.rounds, tournament_id, up_to, teams=False)
        if Part.TEAM_STANDINGS in parts and head.team_boards and (last := up_to or max(of.rounds, default=0)):
            of.team_standings = await reader.standings(TeamStanding, tournament_id, last)
            if not of.team_standings:
                await reader.add_tables(of.rounds, tournament_id, up_to)
        first = await _head(reader, head.division_of) if head.division_of else head
        return of, first.divisions

    (of, divisions), position = await read_now(record, look, tournament_id)
    return Found(of, position, divisions)


async def tables(record: Record, tournament_id: str, number: int, hall: str) -> results.ListTablesResponse:
    """Return the tables of a round as officials watch them; ``number`` 0 is the latest round.

    ``hall`` restricts them to a hall. Raises ``NotFound`` for an unknown tournament or a round that is not paired.
    """

    async def look(reader: Reader) -> results.ListTablesResponse:
        found, rounds = await reader.tournament(tournament_id)
        if found is None or not is_made(found):
            raise NotFound("tournament", tournament_id)
        if number and number not in rounds:
            raise NotFound("round", f"{tournament_id}/{number}")
        if not rounds:
            return results.ListTablesResponse()
        of = rounds[number or max(rounds)]
        games = await reader.games_of_round(tournament_id, of.round, hall)
        phase = results.RoundPhase.ValueType(of.phase)
        return results.ListTablesResponse(
            round=of.round, phase=phase, tables=[answers.to_watched_table(each) for each in games]
        )

    answer, position = await read_now(record, look, tournament_id)
    answer.position = position
    return answer


async def _head(reader: Reader, tournament_id: str) -> Tournament:
    """Return a tournament. Raises ``NotFound`` if it does not exist or is not complete yet."""
    for found in await reader.of_tournament(Tournament, tournament_id):
        if is_made(found):
            return found
    raise NotFound("tournament", tournament_id)


async def game(record: Record, game_id: str) -> results.GetGameResponse:
    """Return a game with the name of its tournament. Raises ``NotFound`` if it does not exist."""

    async def look(reader: Reader) -> tuple[Game, Tournament, int]:
        found = await reader.those_games([game_id])
        if game_id not in found:
            raise NotFound("game", game_id)
        if found[game_id].sheet is not None:
            await reader.add_lines(found, [game_id])
        of = found[game_id]
        rounds = await reader.those(Round, "tournament_id", [of.tournament_id])
        phase = next(each.phase for each in rounds if each.round == of.round)
        return of, await _head(reader, of.tournament_id), phase

    (found, above, phase), position = await read_now(record, look, tournament_of(game_id))
    answer = shown_game(found, above, phase)
    answer.position = position
    return answer


def shown_game(found: Game, above: Tournament, phase: int) -> results.GetGameResponse:
    """Return a game as shown, from its pairing on. ``phase`` is that of its round."""
    answer = answers.game(found) if found.sheet is not None else answers.build_unopened_game(found, above)
    return answers.add_tournament_fields(answer, found, above, phase)


async def prizes(record: Record, tournament_id: str, expelled: Collection[str]) -> tuple[Found, Plays, frozenset[str]]:
    """Return a tournament with its tables, its plays for the prizes and the players with annulled games.

    The plays exclude those of ``expelled`` players. Raises ``NotFound``.
    """

    async def look(reader: Reader) -> tuple[Championship, Plays, frozenset[str]]:
        of = Championship(await _head(reader, tournament_id))
        of.rounds = await reader.rounds(tournament_id)
        rounds = {game.game_id: round_.round for round_ in of.rounds.values() for game in round_.games}
        bingos, best, recorded = await reader.plays(tournament_id, expelled)
        standings = await reader.standings(Standing, tournament_id, last_counted(of.rounds.values()))
        annulled = frozenset(line.player_id for line in standings if line.annulled)
        return of, Plays(bingos, [Play(line, rounds[line.game_id]) for line in best], recorded), annulled

    (of, plays, annulled), position = await read_now(record, look, tournament_id)
    return Found(of, position, ()), plays, annulled


async def read_now(record: Record, look: Callable[[Reader], Awaitable[T]], tournament_id: str = "") -> tuple[T, int]:
    """Return the result of ``look`` on the live tables, and the position of a tournament in them.

    Raises ``Unreachable`` while no tables are built.
    """

    async def at(connection: AsyncConnection, live: Live) -> T:
        return await look(Reader(connection, schema(live.version, live.generation)))

    try:
        found, live = await read(record, projection(), at, tournament_id)
    except NotBuilt as problem:
        raise Unreachable(PROJECTION_NAME) from problem
    return found, live.position


async def load_people(record: Record, player_ids: Iterable[str]) -> dict[str, Person]:
    """Return the names of players by id; an erased player has an empty one."""
    wanted: Collection[str] = set(player_ids)
    known = await names(record, wanted)
    return {player: known.get(player) or Person(player) for player in wanted}


async def load_player_names(record: Record, player_ids: Iterable[str], tournament_id: str) -> dict[str, str]:
    """Return the names of players of a tournament, with a suffix for namesakes in it: ``Anna Puig (Valls)``."""
    wanted = set(player_ids)
    if len(wanted) > MAX_PLAYERS_BY_ID:
        return await _load_all_player_names(record, wanted, tournament_id)
    known = await load_people(record, wanted)
    others = await namesakes(record, known.values())
    if others:  # most namesakes play elsewhere

        async def look(reader: Reader) -> list[Player]:
            return await reader.players(tournament_id, {each.player_id for each in others})

        there = {player.player_id for player in (await read_now(record, look))[0]}
        others = [each for each in others if each.player_id in there]
    return load_distinct_names([*known.values(), *others])


async def clubs(record: Record, player_ids: Collection[str], tournament_id: str) -> dict[str, str]:
    """Return the clubs of players of a tournament, by id; empty if unknown or erased.

    For more than ``MAX_PLAYERS_BY_ID`` players, the whole tournament is looked up, so that the statement lists no ids.
    """
    if len(player_ids) <= MAX_PLAYERS_BY_ID:
        return {player_id: person.club for player_id, person in (await load_people(record, player_ids)).items()}
    everybody, _ = await read_now(record, lambda reader: reader.people(tournament_id))
    return {player_id: club for player_id, _, club in everybody}


async def _load_all_player_names(record: Record, wanted: Set[str], tournament_id: str) -> dict[str, str]:
    """Return the same for many players: look up the whole tournament, so that the statement lists no ids."""
    everybody, _ = await read_now(record, lambda reader: reader.people(tournament_id))
    names_of = names_told_apart(everybody)
    return {player_id: names_of.get(player_id, "") for player_id in wanted}


async def name_arbiters(
    record: Record, decided: Collection[results.Table] | Collection[results.GetGameResponse]
) -> None:
    """Replace the ids of named officials in decisions by their names.

    Ids that arbiters chose themselves stay, as does the id of an erased official.
    """
    ids = {given for each in decided for given in (each.entered_by, each.corrected_by) if is_official(given)}
    if not ids:
        return
    known = await names(record, ids)
    for each in decided:
        each.entered_by = known[each.entered_by].name if each.entered_by in known else each.entered_by
        each.corrected_by = known[each.corrected_by].name if each.corrected_by in known else each.corrected_by


async def seals(record: Record, after: int, most: int, *, newest: bool) -> results.ListSealsResponse:
    """Return seals that reach beyond a position, or only the newest, with the record's end at that moment."""
    async with record.reading() as connection:
        end, _ = await stored.end(connection)
        if newest:
            last = await record_seals.last(connection)
            found = [last] if last else []
        else:
            found = await record_seals.read(connection, after, most)
    seals = [
        like(results.Seal, seal, sealed_at=timestamp(seal.sealed_at * 1_000), statement=seal.statement.decode())
        for seal in found
    ]
    return results.ListSealsResponse(seals=seals, position=end)
