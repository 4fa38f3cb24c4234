"""The read models for queries: now, after they reach a position, or as of a moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime
from typing import Protocol, cast

from faristol.access_control.roles import PLAYER
from faristol.consumers import Progress, ProgressWatch
from faristol.event_store import Record
from faristol.event_store.delays import Delays
from faristol.event_store.event import utc_now
from faristol.host.held_events import has_held, hears_late
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.errors import PositionNotReached
from faristol.host.ruleset_store import load_pinned
from faristol.host.security.authorization import Admission, caller
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.times import moment_of, to_timestamp
from faristol.pb.results.v1 import careers_pb2 as careers
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import seasons_pb2 as seasons
from faristol.personal_data.minors import public_category
from faristol.read_models.api.directory import Directory
from faristol.read_models.api.event_tail import EventTail
from faristol.read_models.computed.standings import pin_of
from faristol.read_models.storage import history, lookup, screen_reports
from faristol.read_models.storage.history import Moment
from faristol.read_models.storage.lookup import Found, Part
from faristol.read_models.storage.names import load_player_names
from faristol.read_models.storage.rows import Tournament

DEFAULT_LAG_SECONDS = 2.0
"""Seconds to wait for the read models by default."""


class OfCurrentTournament(Protocol):
    """Request about a tournament as the read models have it."""

    tournament_id: str
    min_position: int


OfTournament = (
    results.GetTournamentRequest
    | results.GetStandingsRequest
    | results.GetTeamStandingsRequest
    | results.GetCrosstableRequest
    | results.GetProspectsRequest
    | results.GetStagesRequest
    | results.GetReportRequest
    | results.GetPairingsRequest
    | results.ListTeamsRequest
    | results.ListPlayersRequest
)
"""Queries about a tournament as of a moment."""

AsOf = (
    OfTournament
    | results.ListTournamentsRequest
    | results.GetGameRequest
    | seasons.GetSeasonRequest
    | seasons.GetCircuitRequest
    | careers.GetSeasonBestsRequest
)
"""Queries as of a moment."""

Named = results.Seat | results.TeamPlayer | results.Standing | results.PrizeWinner | results.ProspectLine
"""Messages that name a player."""

POSITION_WAIT_SECONDS = 10.0
"""Seconds to wait for ``min_position`` if the caller set no deadline."""

MAX_POSITION_DISTANCE = 10_000
"""Largest distance of ``min_position`` beyond the record's end; a later position would not come in time."""

MAX_WAITING_QUERIES = 500
"""Queries that may wait for a position at a time; a further one gets the current position at once."""

NO_POSITION = N_("{position} is not a position: expected 0 or more")
NOT_COME = N_("the record has not reached {position}: its last position is {last}")

DEADLINE_MARGIN_RATIO = 0.1
MIN_DEADLINE_MARGIN_SECONDS = 0.1
"""Part of the time until the caller's deadline that is kept for the answer, so that a busy process gives the reason."""


class ReadModels:
    """The read models of a cell."""

    def __init__(
        self,
        record: Record,
        progress: Progress,
        lag: float = DEFAULT_LAG_SECONDS,
        pace: ProgressWatch | None = None,
        admission: Callable[[], Admission | None] = lambda: None,
        *,
        now: Callable[[], datetime] = utc_now,
        tells_minors: bool = False,
    ) -> None:
        """Create the read models of a cell.

        ``lag`` is the number of seconds to wait before an answer of "not found". ``pace`` reports stalled consumers;
        ``admission`` decides which data a caller may know, if access is checked. ``now`` is the clock.
        """
        self.record = record
        self.admission = admission
        self.pace = pace
        self.progress = progress
        self.tail = EventTail(record, progress)
        """The public and official events, for all subscribers."""
        self.directory = Directory(record)
        """All people by name."""
        self.delays = Delays()
        """The delays of broadcasts, as far as a query has read them."""
        self.lag = lag
        self._now = now
        self._has_reports = False
        self._waiting = 0
        self._tells_minors = tells_minors

    async def prepare_reports(self) -> None:
        """Create the table of the reports of screens, once in a process."""
        if not self._has_reports:
            await screen_reports.prepare(self.record)
            self._has_reports = True

    def now_ns(self) -> int:
        """Return the time, in nanoseconds since 1970."""
        return to_timestamp(self._now()).ToNanoseconds()

    async def find_tournament(
        self,
        request: OfTournament,
        context: Context,
        folded: Callable[[Record, str, Moment], Awaitable[Found]],
        parts: Part = Part.NOTHING,
        *,
        up_to: int = 0,
        only: int = 0,
        player_id: str = "",
        standing_of: str = "",
    ) -> Found:
        """Return a tournament: ``folded`` as of the moment of the request, else the current one with ``parts``.

        ``up_to``, ``only``, ``player_id`` and ``standing_of`` are those of ``lookup.tournament``; ``folded`` has all
        tables.
        """
        own = [player_id] if player_id else []
        if moment := await self.moment(request):
            if hears_late(request.tournament_id, own):
                moment = await history.as_told(self.record, request.tournament_id, moment)
            found = await folded(self.record, request.tournament_id, moment)
        else:
            found = await self.find_current(
                request, context, parts, up_to=up_to, only=only, player_id=player_id, standing_of=standing_of
            )
            if late := await self.moment_told(found.head, found.position, own):
                found = await folded(self.record, request.tournament_id, late)
        await load_pinned(self.record, pin_of(found.head))
        if self.hides_minors():
            for player in found.of.players.values():
                player.category = public_category(player.category)
        return found

    async def moment_told(self, head: Tournament, position: int, players: Collection[str] = ()) -> Moment | None:
        """Return the moment as of which a caller of the public knows a tournament; None if that is the present.

        ``players`` are those of the game in question, who get its events at once.
        """
        if not head.held_from or not hears_late(head.tournament_id, players):
            return None
        if not await has_held(self.record, head.tournament_id, head.told, position):
            return None
        return Moment(position, told=head.told)

    def hides_minors(self, player_id: str = "") -> bool:
        """Check whether the caller may not see which players are minors, or that ``player_id`` is one.

        The public and players may not, unless the setting allows it; players see their own category.
        """
        asking = caller()
        if self._tells_minors or (asking is not None and player_id and asking.player == player_id):
            return False
        return asking is None or asking.role == PLAYER

    async def name(self, those: Collection[Named], tournament_id: str) -> None:
        """Fill the names of players of a tournament in their seats or lines."""
        names = await load_player_names(self.record, (each.player_id for each in those), tournament_id)
        for each in those:
            each.name = names[each.player_id]

    async def moment(self, request: AsOf) -> Moment | None:
        """Return the moment of the request, None for now. Raises ``Invalid`` for conflicting or wrong fields."""
        if request.as_of_position and request.HasField("as_of"):
            raise Invalid("as_of", N_("expected a position or a time, not both"))
        if not request.as_of_position and not request.HasField("as_of"):
            return None
        if request.min_position:
            raise Invalid("min_position", N_("applies to the present state: expected as_of or min_position, not both"))
        if request.HasField("as_of"):
            return Moment(time=moment_of("as_of", request.as_of))
        if request.as_of_position < 0:
            raise Invalid("as_of_position", NO_POSITION, {"position": request.as_of_position})
        if request.as_of_position > (last := await self.record.last_position()):
            raise Invalid(
                "as_of_position",
                NOT_COME,
                {"position": request.as_of_position, "last": last},
            )
        return Moment(position=request.as_of_position)

    async def find_current(
        self,
        request: OfCurrentTournament,
        context: Context,
        parts: Part = Part.NOTHING,
        *,
        up_to: int = 0,
        only: int = 0,
        player_id: str = "",
        standing_of: str = "",
    ) -> Found:
        """Return a tournament of the read models, which reflect ``min_position``; see ``lookup.tournament``.

        Raises the exceptions of ``reach`` and ``check_reached``.
        """
        await self.reach(request.min_position, context)
        found = await lookup.tournament(
            self.record,
            request.tournament_id,
            parts,
            up_to=up_to,
            only=only,
            player_id=player_id,
            standing_of=standing_of,
        )
        check_reached(request.min_position, found.position)
        return found

    async def reach(self, min_position: int, context: Context) -> None:
        """Wait until the rows reflect ``min_position``.

        Raises ``Invalid`` at once for one more than ``MAX_POSITION_DISTANCE`` beyond the record's end,
        ``PositionNotReached`` after the timeout.
        """
        if min_position < 0:
            raise Invalid("min_position", NO_POSITION, {"position": min_position})
        if min_position > await self.progress.position() + MAX_POSITION_DISTANCE:
            last = await self.record.last_position()
            if min_position > last + MAX_POSITION_DISTANCE:
                raise Invalid("min_position", NOT_COME, {"position": min_position, "last": last})
        if min_position:
            left = cast("float | None", context.time_remaining())  # None if the caller set none
            patience = POSITION_WAIT_SECONDS
            if left is not None:
                patience = left - max(MIN_DEADLINE_MARGIN_SECONDS, left * DEADLINE_MARGIN_RATIO)
            if self._waiting >= MAX_WAITING_QUERIES:
                patience = 0.0
            self._waiting += 1
            try:
                reached = await self.progress.wait_until_reached(min_position, patience)
            finally:
                self._waiting -= 1
            if not reached:
                raise PositionNotReached(min_position, await self.progress.position())


def check_reached(min_position: int, position: int) -> None:
    """Raise ``PositionNotReached`` if rows do not reflect ``min_position``: a parked tournament lags behind others."""
    if position < min_position:
        raise PositionNotReached(min_position, position)
