"""Tournaments in the current read models, with the parts that a query needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, auto

from sqlalchemy import true

from faristol.event_store import Record
from faristol.host.descriptions import read_description
from faristol.kernel.divisions import first_division_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage.rows import (
    Division,
    Player,
    Round,
    Standing,
    Team,
    TeamStanding,
    Tournament,
)
from faristol.read_models.storage.store import Reader


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
    texts = await record.notes_at(wanted) if wanted else {}
    for shown, row in tournaments:
        described = read_description(texts.get(row.contact_at, ""), texts.get(row.arbiters_at, ""))
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
    standing_of: str = "",
) -> Found:
    """Return a tournament with the ``parts`` requested, all as of one moment.

    Tables and standings are those of the rounds up to ``up_to``, of only the round ``only``, or of all. With a
    ``player_id``, only tables and byes of that player are read. Of the stored standings, only the line of
    ``standing_of`` is read, and of the players only this one. Raises ``NotFound`` if the tournament does not exist.
    """

    async def look(reader: Reader) -> tuple[Championship, Sequence[Division]]:
        found, rounds = await reader.tournament(tournament_id)
        if found is None or not is_made(found):
            raise NotFound("tournament", tournament_id)
        head, of = found, Championship(found, rounds=rounds)
        own = None
        if standing_of and (last := up_to or max(rounds, default=0)):
            own = await reader.standing(tournament_id, last, standing_of)
        if own is not None:
            of.players = {each.player_id: each for each in await reader.players(tournament_id, [standing_of])}
        elif Part.PLAYERS in parts:
            of.players = {each.player_id: each for each in await reader.of_tournament(Player, tournament_id)}
        if Part.TEAMS in parts and head.team_boards:
            of.teams = {each.team_id: each for each in await reader.of_tournament(Team, tournament_id)}
        if Part.TABLES in parts:
            teams = head.team_boards > 0 and not player_id
            await reader.add_tables(of.rounds, tournament_id, up_to, only=only, teams=teams, player_id=player_id)
        if own is not None:
            of.standings = [own]
        elif Part.STANDINGS in parts and (last := up_to or max(of.rounds, default=0)):
            of.standings = await reader.standings(Standing, tournament_id, last)
            if not of.standings:  # the content of the rules is not on the record: the caller ranks
                await reader.add_tables(of.rounds, tournament_id, up_to, teams=False)
        if Part.TEAM_STANDINGS in parts and head.team_boards and (last := up_to or max(of.rounds, default=0)):
            of.team_standings = await reader.standings(TeamStanding, tournament_id, last)
            if not of.team_standings:
                await reader.add_tables(of.rounds, tournament_id, up_to)
        first = await find_head(reader, head.division_of) if head.division_of else head
        return of, first.divisions

    (of, divisions), position = await read_now(record, look, tournament_id)
    return Found(of, position, divisions)


async def find_head(reader: Reader, tournament_id: str) -> Tournament:
    """Return a tournament. Raises ``NotFound`` if it does not exist or is not complete yet."""
    for found in await reader.of_tournament(Tournament, tournament_id):
        if is_made(found):
            return found
    raise NotFound("tournament", tournament_id)
