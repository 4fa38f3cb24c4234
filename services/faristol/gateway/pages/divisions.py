"""Divisions of a championship on pages: grouped in the list, and linked from each other's pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from faristol.gateway.rpc.results import Results
from faristol.kernel.divisions import first_division_of, list_other_divisions
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.page_addresses import round_path, tournament_path


def together(tournaments: Iterable[pb.Tournament]) -> list[pb.Tournament]:
    """Group the divisions of a championship at the place of the first; other tournaments keep their order."""
    championships: dict[str, list[pb.Tournament]] = {}
    for tournament in tournaments:
        championships.setdefault(first_division_of(tournament), []).append(tournament)
    return [division for divisions in championships.values() for division in sorted(divisions, key=_place)]


def _place(tournament: pb.Tournament) -> int:
    """Return the index of a tournament among the divisions of its championship."""
    return next(
        (place for place, each in enumerate(tournament.divisions) if each.tournament_id == tournament.tournament_id), 0
    )


def pages_beside(tournament: pb.Tournament, *segments: str) -> dict[str, str]:
    """Return the addresses of a page in every division, such as ``players``; of the standings by default."""
    return {each.tournament_id: tournament_path(each.tournament_id, *segments) for each in tournament.divisions}


async def rounds_beside(results: Results, tournament: pb.Tournament, number: int) -> Mapping[str, str]:
    """Return the addresses of a round in every division: the last paired one if there are fewer.

    An unpaired division has the address of its standings, since each has its own rounds.
    """
    others = [
        division.tournament_id for division in list_other_divisions(tournament.divisions, tournament.tournament_id)
    ]
    heads = await asyncio.gather(*(results.tournament(tournament_id) for tournament_id in others))
    beside = pages_beside(tournament)
    for division in (tournament, *(head.tournament for head in heads)):
        if last := max((round_.round for round_ in division.played), default=0):
            beside[division.tournament_id] = round_path(division.tournament_id, min(number, last))
    return beside
