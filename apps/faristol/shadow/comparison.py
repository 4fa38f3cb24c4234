"""All differences of one reading: from the rules, from the record, from the reading before. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.rules.tournament_files import FileDivision, TournamentFile
from faristol.rules.tournament_files.files import ReadFile
from faristol.shadow.difference import Difference, DifferenceKind, Sentence, SideRound
from faristol.shadow.record_comparison import compare_with_record
from faristol.shadow.replay import Plan, replay

CELL_CHANGED = N_("Round {round}, {name}: {there} now, {here} in an earlier reading.")
WHICH_DIVISION = N_("the file has the divisions {divisions}: choose one")

ClosedRounds = Mapping[str, list[list[int | str | None]]]
"""Rounds with all results by the names of the players: kind, opponent's name, score and score of the opponent."""


def choose_division(read: ReadFile, division: str) -> ReadFile:
    """Return the tournament with one division. Raises ``Invalid`` if it has several and none is named."""
    divisions = read.tournament.divisions
    chosen = tuple(each for each in divisions if not division or each.name.casefold() == division.casefold())
    if len(chosen) != 1:
        raise Invalid("division", WHICH_DIVISION, {"divisions": ", ".join(each.name for each in divisions)})
    return replace(read, tournament=replace(read.tournament, divisions=chosen))


def compare(read: ReadFile, plan: Plan, here: TournamentFile | None, closed: ClosedRounds) -> list[Difference]:
    """Return the differences of a file of one division; each is named once.

    ``here`` is the tournament on the record, None without one. ``closed`` is the result of ``list_closed`` of an
    earlier reading.
    """
    division = read.tournament.divisions[0]
    found = [*replay(read, plan)]
    if here is not None:
        found += compare_with_record(division, here.divisions[0], plan.ruleset, read.tournament.program)
    found += _compare_readings(division, closed, plan)
    unique: dict[object, Difference] = {}
    for each in found:
        unique.setdefault((each.key, tuple(sorted(map(str, each.sentence.params.items())))), each)
    return [*unique.values()]


def list_closed(division: FileDivision) -> dict[str, list[list[int | str | None]]]:
    """Return the rounds with all results of a division, as data for JSON."""
    rounds = division.complete_rounds
    return {
        player.name: [
            [cell.kind.value, _name(division, cell.opponent), cell.score, cell.against]
            for cell in map(player.round, range(1, rounds + 1))
        ]
        for player in division.players
    }


def _name(division: FileDivision, number: int) -> str:
    return division.players[number - 1].name if 0 < number <= len(division.players) else ""


def _compare_readings(division: FileDivision, closed: ClosedRounds, plan: Plan) -> Iterator[Difference]:
    """Yield the closed rounds that have changed since an earlier reading."""
    for player in division.players:
        for number, then in enumerate(closed.get(player.name, ()), 1):
            cell = player.round(number)
            now = [cell.kind.value, _name(division, cell.opponent), cell.score, cell.against]
            if now != then:
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
                    SideRound(cell, _name(division, cell.opponent)),
                    SideRound(was, str(opponent or "")),
                )
