"""A tournament as a report for pairing and rating programs (TRF). Pure.

The report contains complete rounds. Byes granted for later rounds and pairs kept apart are only for officials. White is
the player who started or, if that is unknown, the second of the pairing.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.kernel.details import Person
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.people import load_distinct_names
from faristol.read_models.computed.trf26 import TeamRecords, list_codes, list_team_records
from faristol.read_models.storage import rows
from faristol.read_models.storage.rows import Round, Tournament
from faristol.rules import Bye, Ruleset
from faristol.rules.standings import is_rest
from faristol.rules.trf import (
    Adjustment,
    Byes,
    Colour,
    Document,
    Edition,
    Fictitious,
    Forbidden,
    Points,
    Scores,
    TrfCell,
    TrfPlayer,
    TrfTeam,
    told_by_first_round,
)
from faristol.rules.trf.document import POINT_TENTHS_FACTOR
from faristol.rules.trf.scoring import accelerate_baku

FIRST_NUMBER = 1
OPEN_RANGE_NUMBER = 0
"""The last round of an open-ended range."""

_BYE_LETTERS: Mapping[pairing.ByeKind.ValueType, str] = {
    pairing.BYE_KIND_HALF_POINT: "H",
    pairing.BYE_KIND_FULL_POINT: "F",
    pairing.BYE_KIND_ZERO_POINT: "Z",
}
_SYSTEM_NAMES = {
    "dutch": "Swiss system, FIDE (Dutch)",
    "classification": "Swiss system, least distance in the standings",
    "swiss": "Swiss system, least distance",
    "round-robin": "Round robin",
    "double-round-robin": "Double round robin",
    "monrad": "Monrad system",
    "keizer": "Keizer system",
    "scheveningen": "Scheveningen system",
}
_DAY = "%Y/%m/%d"
_CHIEF, _DEPUTY = "102", "112"
_BEFORE_ROUNDS = 87
"""Columns of a line between its tag and its entry of the first round."""
_LETTERS = {results.OUTCOME_WIN: "1", results.OUTCOME_DRAW: "=", results.OUTCOME_LOSS: "0"}


@dataclass
class Arrangements:
    """Decisions of a director for pairing programs that public pages do not show."""

    paired: int = 0
    """Rounds paired so far."""
    fictitious: dict[str, int] = field(default_factory=dict)
    """Half points of late entries, by player."""
    forbidden: dict[tuple[str, ...], int] = field(default_factory=dict)
    """Pairs kept apart, with their first round."""
    allowed: list[tuple[tuple[str, ...], int, int]] = field(default_factory=list)
    """Pairs that were kept apart, with their first and last round."""
    byes: dict[tuple[int, str], pairing.ByeKind.ValueType] = field(default_factory=dict)
    """Byes granted, by round and player."""
    started: dict[int, datetime] = field(default_factory=dict)
    """Start times, by round."""
    published: datetime | None = None
    """The time at which the final standings were published."""

    def public(self) -> Arrangements:
        """Return these without pairs kept apart and byes granted, which are only for officials."""
        return Arrangements(self.paired, self.fictitious, started=self.started, published=self.published)

    def note(self, event: Message) -> None:
        """Apply an event of the tournament."""
        match event:
            case pairing.RoundPaired():
                self.paired = event.round
            case pairing.RoundUnpaired() | pairing.RoundUnpublished():
                self.paired = event.round - 1
            case pairing.RoundStarted():
                self.started[event.round] = event.occurred_at.ToDatetime(UTC)
            case pairing.StandingsPublished():
                self.published = event.occurred_at.ToDatetime(UTC)
            case pairing.StandingsReopened():
                self.published = None
            case pairing.LateEntryAdmitted():
                self.fictitious[event.player_id] = event.fictitious_half_points
            case pairing.PairForbidden() if event.player_ids:
                self.forbidden.setdefault(tuple(event.player_ids), self.paired + 1)
            case pairing.PairAllowed() if event.player_ids:
                pair = tuple(event.player_ids)
                first = self.forbidden.pop(pair, self.paired + 1)
                if first <= self.paired:
                    self.allowed.append((pair, first, self.paired))
            case pairing.ByeGranted() if event.player_id:
                self.byes[event.round, event.player_id] = event.kind
            case pairing.ByeRevoked() if event.player_id:
                self.byes.pop((event.round, event.player_id), None)


def complete(rounds: Iterable[Round]) -> list[Round]:
    """Return the rounds before the first with a missing result."""
    found = []
    for round_ in rounds:
        if not round_.complete:
            break
        found.append(round_)
    return found


def report(
    tournament: Tournament,
    players: Iterable[rows.Player],
    lines: Sequence[results.CrosstableRow],
    arrangements: Arrangements,
    people: Mapping[str, Person],
    ruleset: Ruleset,
    edition: Edition,
    second: Container[tuple[int, str]],
    teams: Sequence[rows.Team] = (),
    arbiters: Sequence[str] = (),
    rounds: Sequence[Round] = (),
) -> Document:
    """Return the document of a tournament; ``lines`` are the crosstable of the rounds to report.

    ``second`` has the players named second in the pairings, as pairs of round and player. Teams have their current
    line-ups. ``arbiters`` are names, the chief arbiter first. ``rounds`` are those reported; teams of TRF26 need them.
    """
    row_of = {row.standing.player_id: row for row in lines}
    ordered = sorted(
        (each for each in players if each.player_id in row_of),
        key=lambda each: (not each.seed_number, each.seed_number, -each.rating, each.unrated, each.player_id),
    )
    number_of = {each.player_id: number for number, each in enumerate(ordered, FIRST_NUMBER)}
    reported = len(lines[0].cells) if lines else 0
    trf_players = tuple(_list_players(ordered, row_of, number_of, people, second, edition))
    of_teams = TeamRecords(tuple(_team(team, number_of) for team in teams))
    if teams and edition is Edition.TRF26:
        of_teams = list_team_records(tournament, teams, rounds, ruleset, trf_players, number_of)
    return Document(
        players=trf_players,
        headers=(
            *_event_headers(tournament, arrangements, reported),
            *_field_headers(tournament, trf_players, len(teams), ruleset),
            *((_CHIEF if number == 0 else _DEPUTY, name) for number, name in enumerate(arbiters)),
            *((("122", f"{ruleset.clock.minutes} minutes per player"),) if ruleset.clock.minutes else ()),
            *(list_codes(tournament, ruleset) if edition is Edition.TRF26 else ()),
        ),
        rounds=tournament.rounds,
        initial_colour=_initial_colour(trf_players, ruleset),
        points=_points(ruleset, len(trf_players)),
        byes=tuple(_byes_to_come(arrangements, number_of, reported, edition)),
        fictitious=(
            *_fictitious(ordered, arrangements, number_of, tournament.rounds),
            *_accelerations(ordered, number_of, tournament.rounds, ruleset),
            *(_carried_for_pairing(ordered, number_of, tournament.rounds) if edition is Edition.TRF16 else ()),
        ),
        adjustments=() if edition is Edition.TRF16 else tuple(_list_carried(ordered, number_of)),
        forbidden=tuple(_list_forbidden(arrangements, number_of, edition)),
        teams=of_teams.teams,
        scores=tuple(_scores(row_of[each.player_id], number_of[each.player_id]) for each in ordered),
        other=(*of_teams.lines, *_list_spreads(ordered, row_of, number_of)),
        edition=edition,
    )


def _list_spreads(
    players: Iterable[rows.Player], row_of: Mapping[str, results.CrosstableRow], number_of: Mapping[str, int]
) -> Iterator[str]:
    for each in players:
        yield f"DAT {number_of[each.player_id]:04} SPREAD {row_of[each.player_id].standing.spread}"


def _list_players(
    players: Iterable[rows.Player],
    row_of: Mapping[str, results.CrosstableRow],
    number_of: Mapping[str, int],
    people: Mapping[str, Person],
    second: Container[tuple[int, str]],
    edition: Edition,
) -> Iterator[TrfPlayer]:
    """Yield the players with their cells; ``second`` as in ``report``. Carried points are points in TRF26 only."""
    names = load_distinct_names(people.values())
    for each in players:
        row = row_of[each.player_id]
        carried = each.carried_half_points if edition is Edition.TRF26 else 0
        yield TrfPlayer(
            number=number_of[each.player_id],
            name=names[each.player_id],
            rating=0 if each.unrated else each.rating,
            federation=people[each.player_id].country,
            # Annulled games stay in the report, and its readers sum up the report.
            points=(carried + sum(cell.half_points for cell in row.cells)) * POINT_TENTHS_FACTOR // 2,
            rank=row.standing.rank,
            cells=tuple(_cell(cell, number_of, second=(cell.round, each.player_id) in second) for cell in row.cells),
        )


def _event_headers(tournament: Tournament, arrangements: Arrangements, reported: int) -> Iterator[tuple[str, str]]:
    """Yield the name, the place and the dates of the tournament, with those of the ``reported`` rounds."""
    yield "012", f"{tournament.name} ({tournament.division})" if tournament.division else tournament.name
    if tournament.place:
        yield "022", tournament.place
    if tournament.country:
        yield "032", tournament.country
    yield from _dates(tournament, arrangements, reported)


def _field_headers(
    tournament: Tournament, players: Sequence[TrfPlayer], teams: int, ruleset: Ruleset
) -> Iterator[tuple[str, str]]:
    """Yield the numbers of players, of rated players and of teams, and the system."""
    yield "062", str(len(players))
    yield "072", str(sum(bool(each.rating) for each in players))
    if teams:
        yield "082", str(teams)
    system = ruleset.championship.system
    yield "092", _SYSTEM_NAMES.get(system, system) + (", for teams" if tournament.team_boards else "")


def _points(ruleset: Ruleset, players: int) -> Points:
    """Return the points of a win, a draw, a loss and a bye of the pairing."""
    law = ruleset.championship
    return Points(
        win=_tenths(law.win),
        draw=_tenths(law.draw),
        loss=_tenths(law.loss),
        allocated_bye=0 if is_rest(Bye.ALLOCATED, ruleset, players) else _tenths(law.bye),
    )


def _byes_to_come(
    arrangements: Arrangements, number_of: Mapping[str, int], reported: int, edition: Edition
) -> Iterator[Byes]:
    """Yield the byes granted for rounds after the ``reported`` ones. TRF16 has only those of the next round."""
    for (number, player_id), kind in sorted(arrangements.byes.items()):
        is_to_come = number == reported + 1 if edition is Edition.TRF16 else number > reported
        if is_to_come and player_id in number_of:
            yield Byes(_BYE_LETTERS[kind], number, (number_of[player_id],))


def _fictitious(
    players: Iterable[rows.Player], arrangements: Arrangements, number_of: Mapping[str, int], rounds: int
) -> Iterator[Fictitious]:
    """Yield the fictitious points by which late entries are paired."""
    for player in players:
        if half_points := arrangements.fictitious.get(player.player_id, 0):
            number = number_of[player.player_id]
            yield Fictitious(half_points * POINT_TENTHS_FACTOR // 2, player.entered_round, rounds, number, number)


def _accelerations(
    players: Sequence[rows.Player], number_of: Mapping[str, int], rounds: int, ruleset: Ruleset
) -> Iterator[Fictitious]:
    """Yield the virtual points of accelerated rounds."""
    if ruleset.championship.acceleration != "none":
        entered = sorted(number_of[player.player_id] for player in players if player.entered_round == 1)
        yield from accelerate_baku(entered, rounds)


def _list_carried(players: Iterable[rows.Player], number_of: Mapping[str, int]) -> Iterator[Adjustment]:
    """Yield the points that players carry over from an earlier stage, which count in the standings."""
    for player in players:
        if half_points := player.carried_half_points:
            yield Adjustment(half_points * POINT_TENTHS_FACTOR // 2, 0, (number_of[player.player_id],))


def _carried_for_pairing(
    players: Iterable[rows.Player], number_of: Mapping[str, int], rounds: int
) -> Iterator[Fictitious]:
    """Yield the same for TRF16, which has no points apart from results: it has them for the pairing only."""
    for each in _list_carried(players, number_of):
        yield Fictitious(each.points, 1, rounds, *each.players, *each.players)


def _dates(tournament: Tournament, arrangements: Arrangements, reported: int) -> Iterator[tuple[str, str]]:
    """Yield the first and last day in the time zone of the tournament, and the days of the ``reported`` rounds.

    The first and last day are as specified, else those of its start and, if it has ended, its end.
    """
    zone = ZoneInfo(tournament.time_zone or "UTC")
    began = arrangements.started.get(FIRST_NUMBER) or datetime.fromtimestamp(tournament.created_at / 10**9, UTC)
    yield "042", tournament.starts_on.replace("-", "/") or began.astimezone(zone).strftime(_DAY)
    if tournament.ends_on:
        yield "052", tournament.ends_on.replace("-", "/")
    elif arrangements.published is not None:
        yield "052", arrangements.published.astimezone(zone).strftime(_DAY)
    started = [
        arrangements.started[number] for number in range(FIRST_NUMBER, reported + 1) if number in arrangements.started
    ]
    if started and len(started) == reported:
        yield "132", " " * _BEFORE_ROUNDS + "  ".join(each.astimezone(zone).strftime("%y/%m/%d") for each in started)


def _cell(cell: results.CrosstableCell, number_of: Mapping[str, int], *, second: bool) -> TrfCell:
    match cell.basis:
        case results.TERM_BASIS_BYE:
            return TrfCell(result="U")
        case results.TERM_BASIS_REQUESTED_BYE:
            return TrfCell(result={results.OUTCOME_WIN: "F", results.OUTCOME_DRAW: "H"}.get(cell.outcome, "Z"))
        case results.TERM_BASIS_ABSENCE:
            return TrfCell()
    if not cell.opponent_ids:
        return TrfCell(result="+")  # the other team had no player for the board
    white = cell.starts if cell.HasField("starts") else second
    colour: Colour = "w" if white else "b"
    played = cell.basis == results.TERM_BASIS_GAME
    result = _LETTERS[cell.outcome] if played else "+" if cell.outcome == results.OUTCOME_WIN else "-"
    return TrfCell(number_of[cell.opponent_ids[0]], colour, result)


def _initial_colour(lines: Sequence[TrfPlayer], ruleset: Ruleset) -> Colour:
    """Return the first number's colour, deduced from the first round, if the pairing allocates who starts."""
    if not ruleset.start.by_pairing:
        return "-"
    return told_by_first_round(lines)


def _list_forbidden(arrangements: Arrangements, number_of: Mapping[str, int], edition: Edition) -> Iterator[Forbidden]:
    """Yield forbidden pairs. TRF16 has no ranges of rounds: yield those that are forbidden now, for all rounds."""
    if edition is Edition.TRF16:
        held = [(pair, FIRST_NUMBER, OPEN_RANGE_NUMBER) for pair in arrangements.forbidden]
    else:
        held = [
            (pair, first, OPEN_RANGE_NUMBER) for pair, first in arrangements.forbidden.items()
        ] + arrangements.allowed
    for pair, first, last in sorted(held):
        if all(player_id in number_of for player_id in pair):
            yield Forbidden(tuple(sorted(number_of[player_id] for player_id in pair)), first, last)


def _team(team: rows.Team, number_of: Mapping[str, int]) -> TrfTeam:
    return TrfTeam(team.name, tuple(number_of[player_id] for player_id in team.line_up if player_id in number_of))


def _scores(row: results.CrosstableRow, number: int) -> Scores:
    return Scores(number, tuple((cell.score, cell.against) if cell.game_id else None for cell in row.cells))


def _tenths(points: float) -> int:
    return round(points * POINT_TENTHS_FACTOR)
