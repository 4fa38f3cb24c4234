"""Circuits of seasons: the results of their tournaments, and the lines of their rankings. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from faristol.kernel.likeness import like
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import seasons_pb2 as pb
from faristol.read_models.api.person import outcome
from faristol.read_models.computed.standings import PAIR_TABLE_PLAYERS
from faristol.read_models.storage.rows import Game, Player, Round, Tournament
from faristol.seasons.circuit_ranking import CircuitEvent, PlacedPlayer, PlayedGame, RankedPlayer
from faristol.seasons.model import CircuitState

_HALF_POINTS: Mapping[results.Outcome.ValueType, int] = {
    results.OUTCOME_WIN: 2,
    results.OUTCOME_DRAW: 1,
    results.OUTCOME_LOSS: 0,
}


@dataclass(frozen=True, slots=True)
class SeasonTournament:
    """A tournament of a season with its standings."""

    head: Tournament
    players: Mapping[str, Player]
    rounds: Sequence[Round]
    """Its paired rounds, in order; their tables only if games are needed."""
    places: Mapping[str, int]
    """The rank of each player in its standings, by player id."""
    entries: Mapping[str, str] = field(default_factory=dict)
    """The id in the tournament of each player that is counted under another id, by that one."""

    @property
    def is_finished(self) -> bool:
        """Whether no further result can change the standings, except by a correction."""
        if self.head.over:
            return True
        closed = [each for each in self.rounds if each.phase == results.ROUND_PHASE_CLOSED]
        return bool(closed) and len(closed) == len(self.rounds) >= self.head.rounds

    @property
    def order(self) -> tuple[str, int, str]:
        """The sort key of tournaments in time: by the first day, or the day of the creation if it is not set."""
        created = datetime.fromtimestamp(self.head.created_at / 1e9, UTC).date().isoformat()
        return self.head.starts_on or created, self.head.created_at, self.head.tournament_id


def count_as_persons(tournament: SeasonTournament, person_of: Callable[[str], str]) -> SeasonTournament:
    """Return a tournament with the ids under which players are counted, and merged entries as one person."""
    ids = {player_id: person_of(player_id) for player_id in {*tournament.players, *tournament.places}}
    if all(player_id == person for player_id, person in ids.items()):
        return tournament
    rounds = [
        replace(
            round_,
            games=[
                replace(
                    game,
                    winner_id=ids.get(game.winner_id, game.winner_id),
                    loser_ids=tuple(ids.get(each, each) for each in game.loser_ids),
                    seats=[replace(seat, player_id=ids.get(seat.player_id, seat.player_id)) for seat in game.seats],
                    lines=[replace(line, player_id=ids.get(line.player_id, line.player_id)) for line in game.lines],
                )
                for game in round_.games
            ],
        )
        for round_ in tournament.rounds
    ]
    return SeasonTournament(
        tournament.head,
        {ids[player_id]: player for player_id, player in tournament.players.items()},
        rounds,
        {ids[player_id]: place for player_id, place in tournament.places.items()},
        {person: player_id for player_id, person in ids.items() if person != player_id},
    )


def build_event(tournament: SeasonTournament, percent: int) -> CircuitEvent:
    """Return a finished tournament as the ranking of a circuit counts it."""
    games = list_games(tournament)
    players = {
        player_id: PlacedPlayer(place, tuple(games.get(player_id, ())))
        for player_id, place in tournament.places.items()
    }
    return CircuitEvent(tournament.head.tournament_id, percent, players)


def list_games(tournament: SeasonTournament) -> Mapping[str, Sequence[PlayedGame]]:
    """Return the played games of two with a result, by player id, in the order of the rounds."""
    found: defaultdict[str, list[PlayedGame]] = defaultdict(list)
    for round_ in tournament.rounds:
        for game in round_.games:
            if is_counted(game):
                for own, other in (game.seats, game.seats[::-1]):
                    rating = tournament.players[other.player_id].rating
                    half_points = _HALF_POINTS[outcome(game, own.player_id)]
                    found[own.player_id].append(
                        PlayedGame(game.game_id, round_.round, other.player_id, rating, half_points)
                    )
    return found


def is_counted(game: Game) -> bool:
    """Check whether a game counts in circuits: it is of two players, was played and has its result."""
    return game.final and not game.unplayed and len(game.seats) == PAIR_TABLE_PLAYERS


def describe_circuit(
    circuit: CircuitState, weights: Mapping[str, int], tournaments: Iterable[SeasonTournament]
) -> pb.Circuit:
    """Return a circuit with its tournaments. Those not among ``tournaments`` come last, with only an id."""
    known = {each.head.tournament_id: each for each in tournaments}
    there = sorted((known[each] for each in weights.keys() & known.keys()), key=lambda each: each.order)
    listed = [
        pb.CircuitTournament(
            tournament_id=each.head.tournament_id,
            name=each.head.name,
            starts_on=each.head.starts_on,
            percent=weights[each.head.tournament_id],
            finished=each.is_finished,
            players=len(each.places),
        )
        for each in there
    ]
    missing = [
        pb.CircuitTournament(tournament_id=each, percent=weights[each])
        for each in sorted(weights.keys() - known.keys())
    ]
    rule = circuit.rule
    return like(
        pb.Circuit,
        rule,
        circuit_id=circuit.circuit_id,
        place_points=rule.place_points,
        tie_breaks=rule.tie_breaks,
        tournaments=[*listed, *missing],
    )


def build_line(
    ranked: RankedPlayer,
    qualified_places: int,
    entries: Mapping[str, Mapping[str, str]],
    games: Mapping[str, Mapping[str, Sequence[PlayedGame]]],
) -> pb.CircuitLine:
    """Return the line of a player without names.

    ``entries`` are those of each tournament, and ``games`` those to show, by tournament id and player id.
    """
    return pb.CircuitLine(
        place=ranked.place,
        player_id=ranked.player_id,
        points_hundredths=ranked.points,
        results=[
            like(
                pb.CircuitResult,
                score,
                points_hundredths=score.points,
                entry_id=entries[score.tournament_id].get(ranked.player_id, ranked.player_id),
                games=[
                    like(pb.CircuitGame, game) for game in games.get(score.tournament_id, {}).get(ranked.player_id, ())
                ],
            )
            for score in ranked.scores
        ],
        tie_breaks=[pb.CircuitTieBreakValue(tie_break=name, values=values) for name, values in ranked.tie_breaks],
        qualified=0 < ranked.place <= qualified_places,
    )
