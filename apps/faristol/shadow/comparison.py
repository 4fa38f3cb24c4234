"""All differences of one reading: from the rules, from the record, from the reading before. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from faristol.kernel.refusal import N_
from faristol.rules.tournament_files import FileDivision, FileRound, TournamentFile
from faristol.rules.tournament_files.files import ReadFile
from faristol.shadow.difference import Difference, DifferenceKind, Sentence, SideRound
from faristol.shadow.ratings import compare_ratings
from faristol.shadow.record_comparison import compare_with_record
from faristol.shadow.replay import Plan, replay

CELL_CHANGED = N_("Round {round}, {name}: {there} now, {here} in an earlier reading.")

ClosedRounds = Mapping[str, list[list[int | str | None]]]
"""Rounds with all results by the names of the players: kind, opponent's name, score and score of the opponent."""


def compare(read: ReadFile, plan: Plan, here: TournamentFile | None, closed: ClosedRounds) -> list[Difference]:
    """Return the differences of a file of one division; each is named once.

    ``here`` is the tournament on the record, None without one. ``closed`` is the result of ``list_closed`` of an
    earlier reading.
    """
    division = read.tournament.divisions[0]
    found = [*replay(read, plan), *compare_ratings(read.tournament, plan.rating_system).differences]
    if here is not None:
        found += compare_with_record(division, here.divisions[0], plan.ruleset, read.tournament.program)
    found += _compare_readings(division, closed, plan)
    unique: dict[object, Difference] = {}
    for each in found:
        unique.setdefault((each.key, tuple(sorted(map(str, each.sentence.params.items())))), each)
    return [*unique.values()]


def list_closed(division: FileDivision) -> dict[str, list[list[int | str | None]]]:
    """Return the rounds with all results of a division, as data for JSON."""
    rounds = range(1, division.complete_rounds + 1)
    return {
        player.name: [_list_values(division, player.round(number)) for number in rounds] for player in division.players
    }


def _list_values(division: FileDivision, cell: FileRound) -> list[int | str | None]:
    return [cell.kind.value, division.name_of(cell.opponent), cell.score, cell.against]


def _compare_readings(division: FileDivision, closed: ClosedRounds, plan: Plan) -> Iterator[Difference]:
    """Yield the closed rounds that have changed since an earlier reading."""
    for player in division.players:
        for number, then in enumerate(closed.get(player.name, ()), 1):
            cell = player.round(number)
            if _list_values(division, cell) != then:
                kind, opponent, score, against = then
                was = replace(
                    cell,
                    kind=type(cell.kind)(str(kind)),
                    score=score if isinstance(score, int) else None,
                    against=against if isinstance(against, int) else None,
                )
                yield Difference(
                    DifferenceKind.CHANGED,
                    Sentence(CELL_CHANGED, {"round": number, "name": player.name}),
                    plan.ruleset.law.signatures,
                    number,
                    player.name,
                    SideRound(cell, division.name_of(cell.opponent)),
                    SideRound(was, str(opponent or "")),
                )
