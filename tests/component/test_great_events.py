"""Championships with a final, played from their published preliminary tables to their published medals.

The players are named by their places in the preliminary rounds. Tables and finals are those of the reports of the
events; the games of the preliminary rounds are not published: each player of the table meets players of a field whose
results complete the published points and spread. A game of a final whose score is not published has one that keeps
its winner and the published spread of its match.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.component.quick import Championship
from tests.component.test_takeover import OPTIONS, hall, list_standings, run, write_folder

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules.tournament_files import FileDivision, FilePlayer, FileRound, RoundKind, TournamentFile

__all__ = ["hall"]

pytestmark = [pytest.mark.nightly, pytest.mark.asyncio(loop_scope="module")]

LOSER_POINTS = 350
LOSS_SPREAD_POINTS = 60


@dataclass(frozen=True)
class Event:
    """A championship: its preliminary table, its final stage and its medals."""

    name: str
    rounds: int
    table: Sequence[tuple[float, int]]
    """Points and spread of the first players, by their places."""
    finalists: int
    matches: Mapping[tuple[int, int], Sequence[tuple[int, int]]]
    """Scores of the games of each match, by the places of its players, in the order of rounds."""
    places: Sequence[tuple[int, int, int]]
    """First places of the final table: the first and the last shared place, and the place in the preliminary table."""

    @property
    def games(self) -> int:
        """Rounds of the final stage: the longest match of each level."""
        levels = [
            [len(games) for pair, games in self.matches.items() if pair != self.final],
            [len(self.matches[self.final])],
        ]
        return sum(max(level, default=0) for level in levels)

    @property
    def final(self) -> tuple[int, int]:
        """The pair of the final match, the last one."""
        return list(self.matches)[-1]


MELBOURNE = Event(
    "Melbourne 1999",
    24,
    (
        *(
            (18, 1068),
            (17, 808),
            (17, 693),
            (16, 886),
            (16, 797),
            (16, 647),
            (16, 366),
            (15, 1616),
            (15, 983),
            (15, 782),
        ),
        *((15, 711), (15, 603)),
    ),
    2,
    {(1, 2): ((624, 307), (380, 420), (430, 390), (401, 400))},
    ((1, 1, 1), (2, 2, 2), (3, 3, 3)),
)
WASHINGTON = Event(
    "Washington 1997",
    21,
    (
        *(
            (16, 829),
            (15, 993),
            (15, 915),
            (14, 814),
            (14, 741),
            (14, 401),
            (14, 396),
            (14, 353),
            (13, 1064),
            (13, 946),
        ),
        *((13, 935), (13, 517), (13, 478), (13, 234), (13, -27), (12, 816), (12, 750), (12, 709), (12, 588), (12, 556)),
    ),
    2,
    {(1, 2): ((334, 409), (387, 363), (419, 405), (420, 380))},
    ((1, 1, 1), (2, 2, 2), (3, 3, 3)),
)
KUALA_LUMPUR = Event(
    "Kuala Lumpur 2003",
    24,
    (
        *(
            (18, 1461),
            (17, 1383),
            (17, 1202),
            (16, 975),
            (16, 712),
            (16, 418),
            (16, 188),
            (15, 613),
            (15, 532),
            (15, 438),
        ),
        *(
            (15, 317),
            (15, 198),
            (15, -58),
            (14.5, 424),
            (14, 1043),
            (14, 843),
            (14, 690),
            (14, 581),
            (14, 436),
            (14, 316),
        ),
        *((14, 315), (14, 144), (14, -9), (13.5, 541)),
    ),
    2,
    {(1, 2): ((418, 380), (384, 495), (470, 514), (446, 433), (444, 387))},
    ((1, 1, 1), (2, 2, 2), (3, 3, 3)),
)
PRAGUE = Event(
    "Prague 2013",
    31,
    ((22, 2052), (22, 1498), (22, 791), (21, 1215), (20, 983), (20, 953), (20, 819), (20, 725), (19, 1128), (19, 994)),
    4,
    {
        (1, 4): ((400, 450), (420, 400), (380, 433), (390, 443)),
        (2, 3): ((483, 300), (483, 300), (482, 300)),
        (2, 4): ((445, 495), (471, 319), (433, 471), (518, 410), (450, 400)),
    },
    ((1, 1, 2), (2, 2, 4), (3, 4, 1), (3, 4, 3), (5, 5, 5)),
)


@pytest.mark.parametrize("event", [WASHINGTON, MELBOURNE, KUALA_LUMPUR, PRAGUE], ids=lambda event: event.name)
async def test_a_championship_with_a_final_ends_with_its_published_table_and_medals(
    hall: Championship, tmp_path: Path, event: Event
) -> None:
    division, tournament_id = build_division(event), event.name.replace(" ", "-").lower()
    folder = write_folder(TournamentFile(event.name, "", (division,), event.rounds), tmp_path / "tsh")
    _, taken, said = await run(hall, "tournament", "import", str(folder), "--id", tournament_id, *OPTIONS, "--yes")
    assert taken["closed"] == event.rounds, said
    names = [player.name for player in division.players]
    table = [(names[place], *line) for place, line in enumerate(event.table)]
    assert (await list_standings(hall, tournament_id))[: len(table)] == table

    final_id = f"{tournament_id}-final"
    options = {"format": "knock-out", "match_games": "5"}
    await ask(
        hall,
        pairing.CreateStageRequest(
            tournament_id=tournament_id,
            name="Final",
            first_stage="Swiss",
            stage_id=final_id,
            last_place=event.finalists,
            options=[game_events.ChosenOption(name=name, value=value) for name, value in options.items()],
        ),
    )
    _, qualified, said = await run(hall, "stage", "qualify", final_id)
    assert qualified["player_ids"] == taken["player_ids"][: event.finalists], said
    assert qualified["joined_player_names"] == names[: event.finalists]
    played = await play_matches(hall, final_id, event, taken["player_ids"])

    assert played == event.matches
    position = (await ask(hall, pairing.PublishStandingsRequest(tournament_id=final_id))).position
    path = f"/api/v1/tournaments/{final_id}/stages?min_position={position}"
    lines = (await hall.http.get(path)).json()["final_table"]
    places = [(line["first_place"], line["last_place"], names.index(line["name"]) + 1) for line in lines]
    assert places[: len(event.places)] == list(event.places)
    assert [each for _, _, each in places[len(event.places) : len(table)]] == [
        *range(len(event.places) + 1, len(table) + 1)
    ]


def build_division(event: Event) -> FileDivision:
    """Return the players of the table and as many of a field, whom they meet in turn."""
    size = len(event.table)
    cells: list[list[FileRound]] = [[] for _ in range(2 * size)]
    for number in range(event.rounds):
        for place, (points, spread) in enumerate(event.table):
            other = size + (place + number) % size
            own, theirs = list_scores(event.rounds, points, spread, place)[number]
            begins = bool((number + place) % 2)
            cells[place].append(FileRound(RoundKind.GAME, other + 1, own, theirs, begins, place + 1))
            cells[other].append(FileRound(RoundKind.GAME, place + 1, theirs, own, not begins, place + 1))
    return FileDivision(
        "A",
        tuple(
            FilePlayer(
                f"{'Field' if place >= size else 'Player'} {chr(65 + place // 26)}{chr(97 + place % 26)}",
                2000 - place,
                tuple(cells[place]),
            )
            for place in range(2 * size)
        ),
    )


def list_scores(rounds: int, points: float, spread: int, place: int) -> list[tuple[int, int]]:
    """Return scores of games with these points and this spread in total."""
    wins, draws = int(points), int(2 * points) % 2
    won = [(turn * wins) // rounds != ((turn + 1) * wins) // rounds for turn in range(6 * place, 6 * place + rounds)]
    margins, left = [], spread + LOSS_SPREAD_POINTS * (rounds - wins - draws)
    for is_won in won:
        if is_won:
            margins.append(left // wins)
        elif draws:
            margins.append(draws := 0)
        else:
            margins.append(-LOSS_SPREAD_POINTS)
    first = won.index(True)
    margins[first] += left % wins
    return [(LOSER_POINTS + max(margin, 0), LOSER_POINTS - min(margin, 0)) for margin in margins]


async def play_matches(
    hall: Championship, final_id: str, event: Event, ids: Sequence[str]
) -> dict[tuple[int, int], Sequence[tuple[int, int]]]:
    """Play the matches of the final stage until they are decided, and return the games that were played."""
    played: dict[tuple[int, int], list[tuple[int, int]]] = {pair: [] for pair in event.matches}
    for number in range(1, event.games + 1):
        await ask(hall, pairing.PairRoundRequest(tournament_id=final_id, round=number))
        await ask(hall, pairing.StartRoundRequest(tournament_id=final_id, round=number))
        listed = await hall.api.pairing.ListResults(pairing.ListResultsRequest(tournament_id=final_id, round=number))
        results = []
        for table in listed.tables:
            seats = [ids.index(seat.player_id) + 1 for seat in table.players]
            pair = min(seats), max(seats)
            scores = event.matches[pair][len(played[pair])]
            played[pair].append(scores)
            told = [
                game_events.FinalScore(player_id=ids[place - 1], score=scores[pair.index(place)]) for place in seats
            ]
            results.append(pairing.GameResult(game_id=table.game_id, scores=told))
        await ask(hall, pairing.EnterResultsRequest(tournament_id=final_id, results=results, arbiter_id="eva"))
        await ask(hall, pairing.CloseRoundRequest(tournament_id=final_id, round=number))
    return {pair: tuple(games) for pair, games in played.items()}


async def ask(hall: Championship, request: Any) -> Any:
    """Return the answer to a command on a tournament."""
    request.command_id = str(uuid.uuid4())
    method = getattr(hall.api.pairing, type(request).__name__.removesuffix("Request"))
    return await method(request)
