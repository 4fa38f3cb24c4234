"""The stages of a championship: the brackets of knock-outs, and the final table of all stages together. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from faristol.kernel.likeness import like
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.standings import Ranked, Tally
from faristol.read_models.storage.rows import Player, Round, Tournament
from faristol.rules import Ruleset
from faristol.rules.standings.bracket import (
    Bracket,
    BracketMatch,
    DecidedBy,
    MatchFormat,
    arrange_seeds,
    follow_bracket,
)

_DECISIONS: Mapping[DecidedBy | None, results.MatchDecision.ValueType] = {
    None: results.MATCH_DECISION_UNSPECIFIED,
    DecidedBy.POINTS: results.MATCH_DECISION_POINTS,
    DecidedBy.SPREAD: results.MATCH_DECISION_SPREAD,
    DecidedBy.EXTRA_GAME: results.MATCH_DECISION_EXTRA_GAME,
    DecidedBy.WITHDRAWAL: results.MATCH_DECISION_WITHDRAWAL,
    DecidedBy.BYE: results.MATCH_DECISION_BYE,
}


@dataclass(frozen=True, slots=True)
class PlayedStage:
    """A stage of a championship with its results."""

    head: Tournament
    ruleset: Ruleset
    players: Mapping[str, Player]
    rounds: Sequence[Round]
    """Its paired rounds, in order."""
    lines: Sequence[Ranked]
    """Its standings, best first."""

    @property
    def seeds(self) -> Sequence[str]:
        """The players of a knock-out in their order in the bracket; empty before its first round."""
        return self.rounds[0].seeds if self.rounds and self.ruleset.championship.system == "knock-out" else ()

    @property
    def closed_rounds(self) -> int:
        """The number of closed rounds."""
        return sum(each.phase == results.ROUND_PHASE_CLOSED for each in self.rounds)

    def bracket(self) -> Bracket | None:
        """Return the bracket of a knock-out; None before its first round."""
        if not self.seeds:
            return None
        known = [result for each in self.rounds for result in Tally.of(each).results]
        following = len(self.rounds) + 1
        left = [
            player.player_id
            for player in self.players.values()
            if player.withdrawn_round and player.withdrawn_round <= following
        ]
        return follow_bracket(arrange_seeds(self.seeds), MatchFormat.of(self.ruleset), known, left)

    def is_finished(self, bracket: Bracket | None) -> bool:
        """Check whether no further result can change the places, except by a correction."""
        if self.head.over:
            return True
        if any(each.phase != results.ROUND_PHASE_CLOSED for each in self.rounds):
            return False
        return len(self.rounds) >= self.head.rounds or (bracket is not None and bracket.is_decided)


def connect_stages(heads: Iterable[Tournament], tournament_id: str) -> list[Tournament]:
    """Return the stages that are connected with a tournament by the qualification of players, itself included.

    They are ordered by number, then by the places of the final table, then by id.
    """
    by_id = {head.tournament_id: head for head in heads}
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for head in by_id.values():
        for source in head.stage_sources:
            neighbours[head.tournament_id].add(source)
            neighbours[source].add(head.tournament_id)
    found, waiting = set[str](), [tournament_id]
    while waiting:
        each = waiting.pop()
        if each in by_id and each not in found:
            found.add(each)
            waiting += neighbours[each]
    connected = (by_id[each] for each in found)
    return sorted(connected, key=lambda head: (head.stage_number, head.final_place, head.tournament_id))


def are_finished(stages: Sequence[PlayedStage]) -> bool:
    """Check whether no further result can change the final table, except by a correction.

    A tournament that was never paired is over once its players are in a later stage, such as entries in groups.
    """
    left = {source for stage in stages if stage.players for source in stage.head.stage_sources}
    return all(
        stage.is_finished(stage.bracket()) or (not stage.rounds and stage.head.tournament_id in left)
        for stage in stages
    )


def describe_stage(stage: PlayedStage) -> results.ChampionshipStage:
    """Return a stage with the bracket of a knock-out, without names."""
    head, bracket = stage.head, stage.bracket()
    seed_of = {player_id: seed for seed, player_id in enumerate(stage.seeds, 1)}
    games: defaultdict[frozenset[str], dict[int, str]] = defaultdict(dict)
    for each in stage.rounds:
        for game in each.games:
            games[frozenset(seat.player_id for seat in game.seats)][each.round] = game.game_id
    return like(
        results.ChampionshipStage,
        head,
        number=head.stage_number,
        name=head.division,
        system=stage.ruleset.championship.system,
        closed_rounds=stage.closed_rounds,
        finished=stage.is_finished(bracket),
        source_ids=head.stage_sources,
        first_place=head.stage_first_place,
        last_place=head.stage_last_place,
        levels=bracket.levels if bracket else 0,
        repechage_level=stage.ruleset.championship.repechage if bracket else 0,
        matches=[_describe_match(match, seed_of, games) for match in bracket.matches] if bracket else (),
    )


def _describe_match(
    match: BracketMatch, seed_of: Mapping[str, int], games: Mapping[frozenset[str], Mapping[int, str]]
) -> results.KnockOutMatch:
    of_match = games.get(frozenset(match.players), {})
    return like(
        results.KnockOutMatch,
        match,
        sides=[
            results.MatchSide(player_id=player, seed=seed_of.get(player, 0), half_points=points)
            for player, points in zip(match.players, match.half_points, strict=True)
        ],
        games=[
            results.MatchGame(
                game_id=of_match.get(game.round, ""), round=game.round, scores=game.scores, played=game.played
            )
            for game in match.games
        ],
        spread=match.spread,
        winner_id=match.winner,
        decided_by=_DECISIONS[match.decided_by],
    )


def list_final_table(stages: Sequence[PlayedStage]) -> list[results.FinalLine]:
    """Return the final table of stages in their order, without names.

    Each player has a place of the last stage that they reached, from the best place for which it is played. Later
    stages take their places first, and the players of earlier ones have those that remain, by their rank. In stages
    beside each other that are played for the same places, such as groups, players of equal rank share places.
    """
    last_of = {player: stage for stage in stages for player in _list_players(stage)}
    beside: defaultdict[tuple[int, int], list[PlayedStage]] = defaultdict(list)
    for stage in stages:
        beside[-stage.head.stage_number, stage.head.final_place].append(stage)
    lines, taken = list[results.FinalLine](), set[int]()
    for (_, best), equal_stages in sorted(beside.items()):
        by_rank: defaultdict[int, list[tuple[Ranked, PlayedStage]]] = defaultdict(list)
        for stage in equal_stages:
            for line in stage.lines:
                if last_of[line.standing.player_id] is stage:
                    by_rank[line.standing.rank].append((line, stage))
        free = (place for place in count(best) if place not in taken)
        own = [(group, [next(free) for _ in group]) for _, group in sorted(by_rank.items())]
        for group, places in own:
            lines += [_build_line(line, stage, places[0], places[-1]) for line, stage in group]
            taken.update(places)
    return sorted(lines, key=lambda line: (line.first_place, line.last_place))


def _list_players(stage: PlayedStage) -> Iterable[str]:
    return (line.standing.player_id for line in stage.lines)


def _build_line(line: Ranked, stage: PlayedStage, first: int, last: int) -> results.FinalLine:
    return results.FinalLine(
        first_place=first,
        last_place=last,
        player_id=line.standing.player_id,
        tournament_id=stage.head.tournament_id,
        rank=line.standing.rank,
    )
