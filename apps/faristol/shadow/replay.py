"""The replay of a file beside its program: each round is paired again, and the standings are computed again. Pure.

The players, byes and results of the rounds before are those of the file; so one round that was paired by hand does not
make all later rounds differ. The lots of the other program are not known: systems with lots are not paired again, and
of the Dutch system the initial colour is that of the file's first round. The results of a file that contradicts itself
are replayed up to the round of the contradiction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Protocol

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.presentation.other_programs.imported_rounds import build_rounds
from faristol.rules import Ruleset
from faristol.rules.championship import SYSTEMS_BY_RESULTS
from faristol.rules.standings import StandingsRow
from faristol.rules.tournament_files import FileDivision, RoundKind, find_doubts
from faristol.rules.tournament_files.files import ReadFile
from faristol.rules.trf import Document
from faristol.shadow.difference import Difference, DifferenceKind, Sentence, cite_rule
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.pairing_explanations.player_pairs import explain
from faristol.tournament.rounds.imported import import_rounds
from faristol.tournament.rounds.pairing import compute_pairing
from faristol.tournament.rounds.ranking import rank_by_results
from faristol.tournament.situation import Situation
from faristol.tournament.state import RoundState, TournamentState, evolve

COMPARED_SYSTEMS = tuple(sorted(SYSTEMS_BY_RESULTS))
"""Systems by which rounds are paired again."""

RULE_PAIR = N_("Round {round}: {name} meets {other} there; by the rules {name} meets {expected}.")
RULE_PAIR_BYE = N_("Round {round}: {name} meets {other} there; by the rules {name} has the bye.")
RULE_BYE = N_("Round {round}: {name} has the bye there; by the rules it is for {expected}.")
RULE_NO_BYE = N_("Round {round}: {name} has the bye there; by the rules {name} meets {expected}.")
NOT_PAIRABLE = N_("Round {round} cannot be paired by the rules.")
NOT_REPLAYED = N_("Round {round} cannot be replayed by the rules.")
SECOND_BYE = N_("Round {round}: {name} has another bye with the points of a win, after the one of round {first}.")
SEVERAL_BYES = N_("Round {round}: {count} players have a bye with the points of a win, {name} among them.")
BYE_MISSING = N_("Round {round}: {name} has neither a game nor a bye, and no other player is without a game.")
MET_AGAIN = N_("Round {round}: {name} and {other} meet again, after round {first}.")
POINTS_DIFFER = N_("{name} has {there} points there, {here} by the results.")
SPREAD_DIFFERS = N_("{name} has the spread {there} there, {here} by the results.")
RANK_DIFFERS = N_("{name} is in place {there} there, in place {here} by the tie-breaks {tie_breaks}.")

BY_SCORES = frozenset({"spread", "total", "cusca"})
"""Tie-breaks that need the scores of the games."""

_START = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of the replayed events; no rule depends on it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a file is replayed."""

    ruleset: Ruleset
    """The rules with their options."""
    system: str = ""
    """The system by which rounds are paired again, one of ``COMPARED_SYSTEMS``; empty if they are not."""
    rating_system: str = ""
    """The system of the ratings after the rounds; empty for that which the file names."""


def replay(read: ReadFile, plan: Plan) -> Iterator[Difference]:
    """Yield the differences of a file of one division from its rules: its own doubts, pairings, byes, standings."""
    tournament = read.tournament
    division = tournament.divisions[0]
    for doubt in find_doubts(tournament):
        is_assumed = doubt.reason == "SCORE_IMPLAUSIBLE" and bool(read.assumed)
        if doubt.reason != "SEVERAL_BYES" and not is_assumed:  # byes are named below, with each of the players
            sentence, name = Sentence(doubt.message, doubt.params), division.name_of(doubt.player)
            yield Difference(DifferenceKind.FILE, sentence, "", doubt.round, name)
    yield from _check_byes(division, plan.ruleset, are_absences_told=read.document is not None)
    yield from _check_rematches(division, plan)
    yield from _Replay(read, plan).compare()


def _check_byes(division: FileDivision, ruleset: Ruleset, *, are_absences_told: bool) -> Iterator[Difference]:
    """Yield second byes of a player, several byes of a round, and rounds in which the bye is missing.

    A TRF file tells absences, with the code Z; in the other formats a missing bye looks the same.
    """
    article = cite_rule(ruleset, "championship.bye")
    first_of: dict[int, int] = {}
    for number in range(1, division.rounds + 1):
        byes = [own for own, player in enumerate(division.players, 1) if player.round(number).kind is RoundKind.BYE]
        for own in byes:
            params: dict[str, Param] = {"round": number, "name": division.name_of(own)}
            if len(byes) > 1:
                sentence = Sentence(SEVERAL_BYES, {**params, "count": len(byes)})
                yield Difference(DifferenceKind.BYE, sentence, article, number, str(params["name"]))
            elif own in first_of:
                sentence = Sentence(SECOND_BYE, {**params, "first": first_of[own]})
                yield Difference(DifferenceKind.BYE, sentence, article, number, str(params["name"]))
            first_of.setdefault(own, number)
        if not byes and not are_absences_told and (name := _find_unpaired(division, number)):
            sentence = Sentence(BYE_MISSING, {"round": number, "name": name})
            yield Difference(DifferenceKind.BYE, sentence, article, number, name)


def _find_unpaired(division: FileDivision, number: int) -> str:
    """Return the one player without a game in a round who is in the tournament; empty if there is not exactly one."""
    cells = [(player, player.round(number)) for player in division.players]
    if all(cell.kind is RoundKind.ABSENCE for _, cell in cells):
        return ""
    absent = [
        player for player, cell in cells if cell.kind is RoundKind.ABSENCE and not player.left and not cell.spread
    ]
    if len(absent) != 1:
        return ""
    before = [cell for cell in absent[0].rounds[: number - 1] if cell.kind is not RoundKind.ABSENCE]
    after = [cell for cell in absent[0].rounds[number:] if cell.kind is not RoundKind.ABSENCE]
    is_there = bool(before or number == 1) and (bool(after) or number >= division.rounds)
    return absent[0].name if is_there else ""


def _check_rematches(division: FileDivision, plan: Plan) -> Iterator[Difference]:
    """Yield the pairs that meet again, unless the system allows it."""
    if plan.system == "king-of-the-hill":
        return
    met: dict[frozenset[int], int] = {}
    for number in range(1, division.rounds + 1):
        for own, player in enumerate(division.players, 1):
            cell = player.round(number)
            if cell.kind is not RoundKind.GAME or not own < cell.opponent <= len(division.players):
                continue
            pair = frozenset((own, cell.opponent))
            if pair in met:
                names = {"name": player.name, "other": division.name_of(cell.opponent)}
                sentence = Sentence(MET_AGAIN, {"round": number, **names, "first": met[pair]})
                article = cite_rule(plan.ruleset, "championship.system")
                yield Difference(DifferenceKind.REMATCH, sentence, article, number, player.name)
            met.setdefault(pair, number)


def choose_system(ruleset: Ruleset, system: str) -> Ruleset:
    """Return the rules with a system by which a tournament can be replayed; their own one if it is empty and can."""
    own = ruleset.championship.system
    chosen = system or (own if own in SYSTEMS_BY_RESULTS else "swiss")
    changed: dict[str, Any] = {"system": chosen}
    return replace(ruleset, championship=replace(ruleset.championship, **changed))


def _read_problem(error: Refusal | Invalid) -> Sentence:
    return Sentence(error.message if isinstance(error, Refusal) else error.problem, error.params)


def _list_ranks(rows: Sequence[StandingsRow], *, by_points: bool) -> dict[str, range]:
    """Return the ranks that a player may have: several for players whom the tie-breaks, or the points, leave equal."""
    counts = Counter(row.points if by_points else row.rank for row in rows)
    ranks, first = {}, 1
    for place, row in enumerate(rows, 1):
        key = row.points if by_points else row.rank
        if place == 1 or key != (rows[place - 2].points if by_points else rows[place - 2].rank):
            first = place
        ranks[row.player] = range(first, first + counts[key])
    return ranks


class _Paired(Protocol):
    """A round as the system pairs it."""

    pairs: Sequence[tuple[str, str]]
    bye: str
    """The player without an opponent; empty for none."""

    def explain(self, one: str, other: str) -> tuple[Sentence | None, str]:
        """Return why two players do not meet, or why ``one`` has the opponent or the bye, with its article."""


class _Replay:
    """One replay of a division."""

    def __init__(self, read: ReadFile, plan: Plan) -> None:
        tournament = read.tournament
        self.division = division = tournament.divisions[0]
        self.plan = plan
        self.document = read.document
        self.has_scores = not read.assumed
        self.rules = choose_system(plan.ruleset, plan.system)
        self.rounds = max(tournament.rounds, division.rounds, 1)
        self.program = tournament.program or "file"
        self.ids = [f"p{number:05}" for number in range(1, len(division.players) + 1)]
        doubted = [doubt.round for doubt in find_doubts(tournament) if doubt.is_error]
        self.last = min([division.complete_rounds, *(round_ - 1 for round_ in doubted if round_)])
        """Last round that is replayed."""

    @cached_property
    def names(self) -> Mapping[str, str]:
        return {player_id: player.name for player_id, player in zip(self.ids, self.division.players, strict=True)}

    @cached_property
    def entered(self) -> Mapping[str, int]:
        """The first round of each player."""
        players = zip(self.ids, self.division.players, strict=True)
        return {player_id: player.first_round for player_id, player in players}

    def compare(self) -> Iterator[Difference]:
        """Yield the differences round by round, then those of the standings."""
        state = self._start()
        whole = build_rounds(self.division, self.ids)
        paired = min(self.division.rounds, self.last + 1)  # the next round may be paired without results
        for number in range(1, paired + 1):
            given = whole[number - 1]
            if self.plan.system:
                yield from self._compare_round(state, given)
            if number > self.last:
                break
            try:
                state = self._import(state, given)
            except (Refusal, Invalid) as error:
                reason = _read_problem(error)
                yield Difference(
                    DifferenceKind.FILE, Sentence(NOT_REPLAYED, {"round": number}), "", number, reason=reason
                )
                return
        if self.last:
            yield from self._compare_standings(state)

    def _start(self) -> TournamentState:
        state = TournamentState()
        at = to_timestamp(_START)
        created: list[Message] = [
            events.TournamentCreated(tournament_id="shadow", rounds=self.rounds, seed=bytes(32), occurred_at=at)
        ]
        for player_id, player in zip(self.ids, self.division.players, strict=True):
            rated: dict[str, Any] = {"rating": player.rating or 0, "unrated": player.rating is None}
            if (first := self.entered[player_id]) > 1:
                created.append(events.LateEntryAdmitted(player_id=player_id, round=first, occurred_at=at, **rated))
            else:
                created.append(events.PlayerRegistered(player_id=player_id, occurred_at=at, **rated))
        for event in created:
            state = evolve(state, event)
        return state

    def _import(self, state: TournamentState, given: pb.ImportedRound) -> TournamentState:
        """Return the state after a round of the file. Raises ``Refusal`` and ``Invalid``."""
        round_ = pb.ImportedRound()
        round_.CopyFrom(given)
        del round_.byes[:]
        round_.byes.extend(bye for bye in given.byes if self.entered[bye.player_id] <= given.round)
        situation = Situation(state, now=_START, rules=self.rules)
        for event in import_rounds(situation, pb.ImportRoundsRequest(rounds=[round_], program=self.program)):
            state = evolve(state, event)
        return state

    def _compare_round(self, before: TournamentState, given: pb.ImportedRound) -> Iterator[Difference]:
        """Yield the pairs and the bye of a round that the system pairs differently."""
        theirs = {frozenset((game.first_player_id, game.second_player_id)) for game in given.games}
        if not theirs:
            return
        try:
            found = self._pair(before, given)
        except Refusal as refusal:
            sentence = Sentence(NOT_PAIRABLE, {"round": given.round})
            reason = Sentence(refusal.message, refusal.params)
            yield Difference(DifferenceKind.PAIRING, sentence, refusal.article, given.round, reason=reason)
            return
        opponent = {one: other for pair in found.pairs for one, other in (pair, pair[::-1])}
        for one, other in sorted(tuple(sorted(pair)) for pair in theirs):
            if opponent.get(one) != other:
                yield self._describe_pair(given.round, one, other, opponent, found)
        if given.bye_player_id and given.bye_player_id != found.bye:
            yield self._describe_bye(given.round, given.bye_player_id, opponent, found)

    def _describe_pair(
        self, number: int, one: str, other: str, opponent: Mapping[str, str], found: _Paired
    ) -> Difference:
        params: dict[str, Param] = {"round": number, "name": self.names[one], "other": self.names[other]}
        if one in opponent:
            sentence = Sentence(RULE_PAIR, {**params, "expected": self.names[opponent[one]]})
        else:
            sentence = Sentence(RULE_PAIR_BYE, params)
        reason, article = found.explain(one, other)
        article = article or cite_rule(self.plan.ruleset, "championship.system")
        return Difference(DifferenceKind.PAIRING, sentence, article, number, self.names[one], reason=reason)

    def _describe_bye(self, number: int, holder: str, opponent: Mapping[str, str], found: _Paired) -> Difference:
        params: dict[str, Param] = {"round": number, "name": self.names[holder]}
        if found.bye:
            sentence = Sentence(RULE_BYE, {**params, "expected": self.names[found.bye]})
            reason, article = found.explain(found.bye, "")
        else:
            sentence = Sentence(RULE_NO_BYE, {**params, "expected": self.names.get(opponent.get(holder, ""), "–")})
            reason, article = None, ""
        article = article or cite_rule(self.plan.ruleset, "championship.bye")
        return Difference(DifferenceKind.BYE, sentence, article, number, self.names[holder], reason=reason)

    def _pair(self, before: TournamentState, given: pb.ImportedRound) -> _Paired:
        if self.plan.system == "dutch" and self.document is not None:
            return _PairedReport(self, self.document, given.round)
        return _PairedHere(self, before, given)

    def _compare_standings(self, state: TournamentState) -> Iterator[Difference]:
        """Yield the points, spreads and ranks of the file that the rules do not give."""
        ruleset = self.rules
        rows = rank_by_results(state, ruleset)
        ranks = _list_ranks(
            rows, by_points=not self.has_scores and not BY_SCORES.isdisjoint(ruleset.championship.tie_breaks)
        )
        player_of = dict(zip(self.ids, self.division.players, strict=True))
        breaks = ", ".join(ruleset.championship.tie_breaks)
        is_adjusted = self.document is not None and bool(self.document.adjustments)
        for row in rows:
            player = player_of[row.player]
            told = player.standing
            half_points, spread = round(row.points * 2), row.tie_breaks.get("spread")
            if told.half_points is not None and told.half_points != half_points and not is_adjusted:
                values = {"there": told.half_points / 2, "here": half_points / 2}
                yield self._describe_standing(DifferenceKind.POINTS, POINTS_DIFFER, player.name, values)
            if None not in (told.spread, spread) and told.spread != spread:
                values = {"there": told.spread or 0, "here": int(spread or 0)}
                yield self._describe_standing(DifferenceKind.SPREAD, SPREAD_DIFFERS, player.name, values)
            if told.rank is not None and told.rank not in ranks[row.player]:
                places: dict[str, Param] = {"there": told.rank, "here": row.rank, "tie_breaks": breaks}
                yield self._describe_standing(DifferenceKind.RANK, RANK_DIFFERS, player.name, places)

    def _describe_standing(
        self, kind: DifferenceKind, message: str, name: str, values: Mapping[str, Param]
    ) -> Difference:
        rule = "championship.win" if kind is DifferenceKind.POINTS else "championship.tie_breaks"
        article = cite_rule(self.rules, rule)
        return Difference(kind, Sentence(message, {"name": name, **values}), article, self.last, name)


class _PairedHere:
    """A round paired by the decision of a tournament, after the players without a game got their byes."""

    def __init__(self, of: _Replay, before: TournamentState, given: pb.ImportedRound) -> None:
        number, at = given.round, to_timestamp(_START)
        for bye in given.byes:
            if of.entered[bye.player_id] <= number:
                granted = events.ByeGranted(round=number, player_id=bye.player_id, kind=bye.kind, occurred_at=at)
                before = evolve(before, granted)
        event, bye_id = compute_pairing(before, of.rules, number, "", _START)
        self._before = before
        self._names = of.names
        self._rules = of.rules
        self._round = replace(RoundState.of(event), bye=bye_id or None)
        self.pairs: Sequence[tuple[str, str]] = [table.pair for table in self._round.pairings]
        self.bye = bye_id

    def explain(self, one: str, other: str) -> tuple[Sentence | None, str]:
        """Return why two players do not meet, or why ``one`` has the opponent or the bye, with its article."""
        found = explain(self._before, self._rules, self._round, one, other)
        params = {name: self._names.get(str(value), value) for name, value in found.params.items()}
        return Sentence(found.message, params), found.article


class _PairedReport:
    """A round of a TRF file paired by the Dutch system, with the numbers and the byes of the file."""

    def __init__(self, of: _Replay, document: Document, number: int) -> None:
        from faristol.tournament.engines.dutch.pairing import pair_round  # deferred: it imports numba

        self._id_of = {player.number: player_id for player, player_id in zip(document.players, of.ids, strict=True)}
        self._number_of = {player_id: each for each, player_id in self._id_of.items()}
        self._names = {each: of.names[player_id] for each, player_id in self._id_of.items()}
        self._round = round_to_pair(document, number)
        self._paired = pair_round(self._round)
        boards = self._paired.boards
        self.pairs: Sequence[tuple[str, str]] = [
            (self._id_of[board.white], self._id_of[board.black]) for board in boards
        ]
        self.bye = self._id_of.get(self._paired.bye or 0, "")

    def explain(self, one: str, other: str) -> tuple[Sentence | None, str]:
        """Return why two players do not meet, or why ``one`` has the opponent or the bye, with its article."""
        from faristol.tournament.pairing_explanations.dutch import why, why_not  # deferred: it imports numba

        number = self._number_of[one]
        if other:
            reason = why_not(self._round, self._paired, number, self._number_of[other])
        else:
            reason = why(self._round, self._paired, number)
        params = {
            name: self._names.get(value, value) if isinstance(value, int) else value
            for name, value in reason.params.items()
        }
        return Sentence(reason.message, params), reason.article
