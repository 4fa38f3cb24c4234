"""gRPC in: what the public reads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import cast

from faristol.bus import Progress
from faristol.bus.status import status
from faristol.host.dispatch import Context
from faristol.host.errors import Behind
from faristol.host.interceptor import language_of
from faristol.host.ruleset_store import bring, content_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import moment_of
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import results_pb2_grpc as results_grpc
from faristol.record import Record, load
from faristol.record.people import told_apart
from faristol.results import history, news, operation, ranking, reading, reporting, teams, wording
from faristol.results.absence import LAG, looked_up_again
from faristol.results.crosstable import crosstable
from faristol.results.history import Moment
from faristol.results.playing import Playing
from faristol.results.prizes import ALL, offered, prizes
from faristol.results.sheet import write_pinned
from faristol.results.shelf import Kind
from faristol.results.tournament import is_over

OfTournament = (
    results.GetTournamentRequest
    | results.GetStandingsRequest
    | results.GetTeamStandingsRequest
    | results.GetCrosstableRequest
    | results.GetReportRequest
    | results.GetPairingsRequest
    | results.ListTeamsRequest
    | results.ListPlayersRequest
)
"""What can be asked of a tournament as of a moment."""

AsOf = OfTournament | results.ListTournamentsRequest | results.GetGameRequest
"""What can be asked as of a moment."""

PATIENCE = 10.0
"""Seconds to wait for ``min_position`` when the caller set no deadline."""

SEALS = 100
"""Seals in one answer, when no other number is asked for."""

MOST_SEALS = 1_000
"""Seals that may be asked for at once."""

NO_POSITION = N_("{position} is not a position: expected 0 or more")

DIGEST = re.compile(r"[0-9a-f]{64}")
MARGIN = 0.1
"""Seconds before the caller's deadline at which waiting stops, so that the answer still says why."""


class ResultsService(results_grpc.ResultsServiceServicer):
    """The read models of a cell."""

    def __init__(self, record: Record, progress: Progress, lag: float = LAG) -> None:
        """``lag`` is in seconds: how long an answer waits before it says that something is not there."""
        self._record = record
        self._progress = progress
        self._lag = lag
        self._playing = Playing()

    async def ListTournaments(
        self, request: results.ListTournamentsRequest, context: Context
    ) -> results.ListTournamentsResponse:
        """All tournaments, the latest first."""
        if moment := await self._moment(request):
            found, position = await history.tournaments(self._record, moment)
        else:
            await self._reach(request.min_position, context)
            found, position = await reading.tournaments(self._record)
        return results.ListTournamentsResponse(tournaments=found, position=position)

    @looked_up_again
    async def GetTournament(
        self, request: results.GetTournamentRequest, context: Context
    ) -> results.GetTournamentResponse:
        """One tournament with where its rounds stand."""
        found = await self._found(request, context, history.tournament)
        return results.GetTournamentResponse(tournament=found.tournament, position=found.position)

    @looked_up_again
    async def GetStandings(
        self, request: results.GetStandingsRequest, context: Context
    ) -> results.GetStandingsResponse:
        """Standings with their tie-breaks and, where asked for, how each comes about: so far, or as of a round."""
        found = await self._found(request, context, history.tournament, Kind.PLAYERS, Kind.ROUND)
        counted = found.up_to(request.round)
        lines = await asyncio.to_thread(
            ranking.rank,
            found.tournament,
            found.players,
            counted,
            arithmetic=request.arithmetic,
            only=request.player_id,
        )
        if request.player_id and not lines:
            raise NotFound("player", request.player_id)
        if request.category:
            lines = [line for line in lines if line.category.casefold() == request.category.casefold()]
        named = {line.player_id for line in lines}.union(*map(wording.opponents, lines))
        names = await reading.shown(self._record, named, request.tournament_id)
        left = {one.player_id: one.withdrawn_round for one in found.players}
        for line in lines:
            line.name = names[line.player_id]
            line.withdrawn_round = left[line.player_id]
        if request.arithmetic:
            taken = wording.taken_off(counted)
            await asyncio.to_thread(wording.word_all, lines, names, language_of(context), taken)
        last = request.round or ranking.last_counted(counted)
        return results.GetStandingsResponse(
            standings=lines, round=last, position=found.position, division=found.tournament.division
        )

    @looked_up_again
    async def GetPairings(self, request: results.GetPairingsRequest, context: Context) -> results.GetPairingsResponse:
        """Pairings of a round, with scores as they are."""
        if request.round < 1:
            raise Invalid("round", N_("{round} is not a round: expected 1 or more"), {"round": request.round})

        def folded(record: Record, tournament_id: str, moment: Moment) -> Awaitable[reading.Tournament]:
            return history.pairings(record, tournament_id, request.round, moment)

        found = await self._found(request, context, folded, Kind.ROUND)
        answer = found.round(request.round)
        seats = [seat for table in answer.tables for seat in table.seats]
        if answer.HasField("bye"):
            seats.append(answer.bye)
        seats.extend(one.seat for one in answer.requested_byes)
        await self._name(seats, request.tournament_id)
        await reading.name_arbiters(self._record, answer.tables)
        if answer.matches:
            try:
                ruleset = ranking.rules_of(found.tournament)
            except Refusal:
                teams.show_matches_without_points(answer)
            else:
                teams.show_matches(answer, ruleset)
        answer.position, answer.division = found.position, found.tournament.division
        return answer

    @looked_up_again
    async def GetTeamStandings(
        self, request: results.GetTeamStandingsRequest, context: Context
    ) -> results.GetTeamStandingsResponse:
        """Standings of teams with their tie-breaks and, where asked for, how each comes about."""
        found = await self._found(request, context, history.tournament, Kind.PLAYERS, Kind.ROUND)
        counted = found.up_to(request.round)
        lines = await asyncio.to_thread(
            teams.rank_teams,
            found.tournament,
            found.listed.teams,
            counted,
            arithmetic=request.arithmetic,
            only=request.team_id,
        )
        if request.team_id and not any(team.team_id == request.team_id for team in found.listed.teams):
            raise NotFound("team", request.team_id)
        left = {one.team_id: one.withdrawn_round for one in found.listed.teams}
        for line in lines:
            line.withdrawn_round = left[line.team_id]
        if request.arithmetic:
            names = {team.team_id: team.name for team in found.listed.teams}
            await asyncio.to_thread(wording.word_all, lines, names, language_of(context))
        return results.GetTeamStandingsResponse(
            standings=lines,
            round=request.round or teams.last_counted(counted),
            position=found.position,
            division=found.tournament.division,
            score=teams.score(found.tournament),
        )

    @looked_up_again
    async def ListTeams(self, request: results.ListTeamsRequest, context: Context) -> results.ListTeamsResponse:
        """Teams with their line-ups."""
        found = await self._found(request, context, history.players, Kind.PLAYERS)
        listed = found.listed.teams
        ids = (one.player_id for team in listed for one in team.line_up)
        names = await reading.shown(self._record, ids, request.tournament_id)
        for team in listed:
            for one in team.line_up:
                one.name = names[one.player_id]
        return results.ListTeamsResponse(teams=listed, position=found.position, division=found.tournament.division)

    @looked_up_again
    async def GetCrosstable(
        self, request: results.GetCrosstableRequest, context: Context
    ) -> results.GetCrosstableResponse:
        """Everybody's rounds: so far, or up to a round."""
        found = await self._found(request, context, history.games, Kind.PLAYERS, Kind.ROUND)
        counted = found.up_to(request.round)
        lines = await asyncio.to_thread(ranking.rank, found.tournament, found.players, counted, arithmetic=True)
        names = await reading.shown(self._record, (line.player_id for line in lines), request.tournament_id)
        for line in lines:
            line.name = names[line.player_id]
        rows = await asyncio.to_thread(crosstable, lines, found.players, counted)
        return results.GetCrosstableResponse(
            rows=rows, rounds=len(counted), position=found.position, division=found.tournament.division
        )

    @looked_up_again
    async def GetReport(self, request: results.GetReportRequest, context: Context) -> results.GetReportResponse:
        """The tournament as a TRF file."""
        found = await self._found(request, context, history.games, Kind.PLAYERS, Kind.ROUND)
        return await reporting.answer(
            self._record, found, request.round, request.edition, for_officials=request.for_officials
        )

    @looked_up_again
    async def GetPrizes(self, request: results.GetPrizesRequest, context: Context) -> results.GetPrizesResponse:
        """Who is ahead for the special prizes."""
        await self._reach(request.min_position, context)
        found, games = await self._playing.of(self._record, request.tournament_id)
        _check_reached(request.min_position, found.position)
        kinds = (await load(self._record, f"tournament-{request.tournament_id}", ALL, offered)).state
        won = await asyncio.to_thread(prizes, kinds, found.rounds, games)
        winners = [winner for prize in won for winner in prize.winners]
        ids = (winner.player_id for winner in winners)
        names = await reading.shown(self._record, ids, request.tournament_id)
        for winner in winners:
            winner.name = names[winner.player_id]
        return results.GetPrizesResponse(prizes=won, position=found.position, over=is_over(found.tournament))

    @looked_up_again
    async def ListPlayers(self, request: results.ListPlayersRequest, context: Context) -> results.ListPlayersResponse:
        """Players with their ratings."""
        found = await self._found(request, context, history.players, Kind.PLAYERS)
        people = await reading.people(self._record, (player.player_id for player in found.players))
        names = told_apart(people.values())
        for player in found.players:
            player.shown_name = names[player.player_id]
            player.name = people[player.player_id].name
            player.club = people[player.player_id].club
            player.country = people[player.player_id].country
        found.listed.position = found.position
        return found.listed

    @looked_up_again
    async def GetGame(self, request: results.GetGameRequest, context: Context) -> results.GetGameResponse:
        """A game: board and scoresheet."""
        if moment := await self._moment(request):
            answer = await history.game(self._record, request.game_id, moment)
        else:
            await self._reach(request.min_position, context)
            answer = await reading.game(self._record, request.game_id)
            _check_reached(request.min_position, answer.position)
        await bring(self._record, answer.ruleset)
        write_pinned(answer)
        await self._name([*answer.seats, *answer.counted], answer.tournament_id)
        await reading.name_arbiters(self._record, [answer])
        return answer

    async def GetStatus(self, request: results.GetStatusRequest, context: Context) -> results.GetStatusResponse:
        """Where everything stands that follows the record."""
        return operation.answer(*await status(self._record))

    async def Follow(self, request: results.FollowRequest, context: Context) -> AsyncIterator[results.FollowResponse]:
        """News of a tournament from a position on, then live."""
        if request.after_position < 0:
            raise Invalid("after_position", NO_POSITION, {"position": request.after_position})
        head = (await reading.tournament(self._record, request.tournament_id)).tournament
        first, after = head.division_of, request.after_position
        async for piece in news.follow(self._record, self._progress, head.tournament_id, after, first_division=first):
            yield piece

    async def ListSeals(self, request: results.ListSealsRequest, context: Context) -> results.ListSealsResponse:
        """Seals of the record, from a position on, or the newest."""
        if request.after_position < 0:
            raise Invalid("after_position", NO_POSITION, {"position": request.after_position})
        if not 0 <= request.limit <= MOST_SEALS:
            raise Invalid(
                "limit",
                N_("{limit} cannot be asked for: expected 1 to {most}, or 0 for {usual}"),
                {"limit": request.limit, "most": MOST_SEALS, "usual": SEALS},
            )
        return await reading.seals(self._record, request.after_position, request.limit or SEALS, newest=request.newest)

    async def GetRuleset(self, request: results.GetRulesetRequest, context: Context) -> results.GetRulesetResponse:
        """The rules that some tournament pins, as they were when it did."""
        if not DIGEST.fullmatch(request.digest):
            raise Invalid("digest", N_("expected 64 of 0-9 and a-f"))
        content = await content_of(self._record, request.digest)
        if not content:
            raise NotFound("ruleset", request.digest)
        return results.GetRulesetResponse(content=content)

    async def _found(
        self,
        request: OfTournament,
        context: Context,
        folded: Callable[[Record, str, Moment], Awaitable[reading.Tournament]],
        *kinds: Kind,
    ) -> reading.Tournament:
        """A tournament: ``folded`` as of the moment that the request names, else now, with its rows of ``kinds``."""
        if moment := await self._moment(request):
            found = await folded(self._record, request.tournament_id, moment)
        else:
            await self._reach(request.min_position, context)
            found = await reading.tournament(self._record, request.tournament_id, kinds)
            _check_reached(request.min_position, found.position)
        await bring(self._record, found.tournament.ruleset)
        return found

    async def _name(self, seats: list[results.Seat], tournament_id: str) -> None:
        names = await reading.shown(self._record, (seat.player_id for seat in seats), tournament_id)
        for seat in seats:
            seat.name = names[seat.player_id]

    async def _moment(self, request: AsOf) -> Moment | None:
        """What the request is as of, None for now."""
        if request.as_of_position and request.HasField("as_of"):
            raise Invalid("as_of", N_("expected a position or a time, not both"))
        if not request.as_of_position and not request.HasField("as_of"):
            return None
        if request.min_position:
            raise Invalid("min_position", N_("is of what there is now: expected as_of or min_position, not both"))
        if request.HasField("as_of"):
            return Moment(time=moment_of("as_of", request.as_of))
        if request.as_of_position < 0:
            raise Invalid("as_of_position", NO_POSITION, {"position": request.as_of_position})
        if request.as_of_position > (last := await self._record.last_position()):
            raise Invalid(
                "as_of_position",
                N_("the record has not come to {position}: its last position is {last}"),
                {"position": request.as_of_position, "last": last},
            )
        return Moment(position=request.as_of_position)

    async def _reach(self, min_position: int, context: Context) -> None:
        """Wait until the rows hold up to ``min_position``."""
        if min_position < 0:
            raise Invalid("min_position", NO_POSITION, {"position": min_position})
        if min_position:
            left = cast("float | None", context.time_remaining())  # None when the caller set none
            patience = PATIENCE if left is None else max(0.0, left - MARGIN)
            if not await self._progress.reached(min_position, patience):
                raise Behind(min_position, await self._progress.position())


def _check_reached(min_position: int, position: int) -> None:
    """Raise ``Behind`` when rows do not hold up to ``min_position``: those of a parked tournament are behind others."""
    if position < min_position:
        raise Behind(min_position, position)
