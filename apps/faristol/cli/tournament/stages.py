"""`faristol stage show`: the stages of a championship, the brackets of knock-outs, and the final table."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.cli.client import Client
from faristol.cli.options import Tournament
from faristol.gateway.api.contract_json import to_json
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels as words
from faristol.table_terminal.shared.common import columns, format_number, localize
from faristol.table_terminal.shared.names import TournamentNames

HEADING = N_("{name} ({id}): {closed} of {rounds} rounds closed.")
FINISHED = N_("{name} ({id}): finished after {closed} {closed:round|rounds}.")
MATCH = N_("Level {level}, places {first} to {last}: {one} {points} – {others} {other}")
UNCHANGED = N_("The players of the stage and their seeds are those that qualify.")
BESIDE = N_("Players move between this stage and others: name them with --beside {stages}.")
REPECHAGE = N_("Level {level}, repechage: {one} {points} – {others} {other}")
NO_OPPONENT = N_("Level {level}, places {first} to {last}: {one} has a bye")


def show(client: Client, tournament: Tournament) -> None:
    """Show the stages of the championship, the matches of knock-outs, and the final table."""
    found = client.ask_results(tournament, lambda results, meant: results.stages(meant))
    client.print(to_json(found), format_stages(found))


def format_stages(found: pb.GetStagesResponse) -> Iterator[str]:
    """Yield a heading for each stage with its matches, then the final table in columns."""
    for stage in found.stages:
        yield localize(
            FINISHED if stage.finished else HEADING,
            name=stage.name or stage.tournament_id,
            id=stage.tournament_id,
            closed=stage.closed_rounds,
            rounds=stage.rounds,
        )
        for match in stage.matches:
            yield f"  {_format_match(match)}"
    if found.final_table:
        names = {stage.tournament_id: stage.name or stage.tournament_id for stage in found.stages}
        rows = [
            [
                str(line.first_place)
                if line.first_place == line.last_place
                else f"{line.first_place}–{line.last_place}",
                line.name or line.player_id,
                names.get(line.tournament_id, line.tournament_id),
            ]
            for line in found.final_table
        ]
        yield from columns([["", localize("Player"), localize("Stage")], *rows])


def _format_match(match: pb.KnockOutMatch) -> str:
    there = [side for side in match.sides if side.player_id]
    places: dict[str, str | int | float] = {"level": match.level, "first": match.first_place, "last": match.last_place}
    if len(there) < 2:
        return localize(NO_OPPONENT, **places, one=there[0].name or there[0].player_id)
    one, other = there
    said = localize(
        REPECHAGE if match.repechage else MATCH,
        **places,
        one=one.name or one.player_id,
        points=one.half_points / 2,
        others=other.half_points / 2,
        other=other.name or other.player_id,
    )
    decided = words.MATCH_DECISIONS.get(match.decided_by)
    return f"{said} ({localize(decided)})" if decided else said


def format_qualification(answer: pairing.PreviewQualificationResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the players of a stage with their seeds before and after a qualification, then the obstacles."""
    changes = labels_of(pairing.QualificationChange.DESCRIPTOR)
    carries = any(line.carried_half_points or line.carried_spread for line in answer.lines)
    rows = [
        [
            str(line.seed_before or "–"),
            str(line.seed_after or "–"),
            line.name or line.player_id,
            *([format_number(line.carried_half_points / 2), str(line.carried_spread)] if carries else []),
            localize(changes[line.change]),
            line.reason,
        ]
        for line in answer.lines
    ]
    points = [localize("Points"), localize("Spread")] if carries else []
    yield from columns(
        [[localize("Seed"), localize("New seed"), localize("Player"), *points, "", localize("Reason")], *rows]
    )
    if not answer.changed:
        yield localize(UNCHANGED)
    if answer.beside_ids:
        yield localize(BESIDE, stages=",".join(answer.beside_ids))
    if answer.changed:
        yield from (f"! {known.named_in(each.text)}" for each in answer.obstacles)
