"""The demonstration of duplicate games on a terminal: progress, outcomes of slips, standings."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table as Grid

from faristol.client.services import Api
from faristol.demo.duplicate_game.championship import DuplicateChampionship, DuplicateOutcome
from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.duplicate_game.draws import END_REASONS
from faristol.words import WordGraph

MAX_SHOWN_STANDINGS = 20
"""Lines of standings on a terminal; the JSON has all."""


async def play(console: Console, api: Api, plan: DuplicatePlan, lexicon: str, graph: WordGraph) -> DuplicateOutcome:
    """Play it with a progress bar for each game. Raises ``grpc.aio.AioRpcError`` if a service refuses a request."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("turns"))
    with Progress(*columns, console=console) as progress:
        bars: dict[int, TaskID] = {}

        def show_progress(game: int, turns: int, of: int) -> None:
            if game not in bars:
                bars[game] = progress.add_task(f"game {game}", total=of or None)
            progress.update(bars[game], completed=turns)

        return await DuplicateChampionship(api, plan, graph, lexicon, datetime.now(UTC), seen=show_progress).play()


def standings(outcome: DuplicateOutcome, plan: DuplicatePlan) -> Grid:
    """Return the first lines of the standings of the last game."""
    names = {entrant.player_id: entrant.name for entrant in plan.entrants}
    last = outcome.games[-1]
    title = f"{plan.title}: {last.game_id}, {last.standings.turns} turns, master plays {last.standings.masters}"
    grid = Grid(title=title, box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("", "player", "total", "%", "negative", "tops"):
        grid.add_column(column, justify="left" if column == "player" else "right")
    for line in last.standings.lines[:MAX_SHOWN_STANDINGS]:
        percent = f"{line.percent_hundredths / 100:.2f}"
        name = names[line.player_id]
        grid.add_row(str(line.rank), name, str(line.total), percent, str(line.negative), str(line.tops))
    return grid


def as_json(plan: DuplicatePlan, outcome: DuplicateOutcome) -> dict[str, object]:
    """Return the outcome as JSON, which is equal for equal plans."""
    tournament = outcome.tournament
    names = {entrant.player_id: entrant.name for entrant in plan.entrants}
    return {
        "tournament_id": plan.tournament_id,
        "name": plan.title,
        "ruleset": {"name": tournament.ruleset.name, "digest": tournament.ruleset.digest},
        "lexicon": {"name": tournament.lexicon.name, "digest": tournament.lexicon.digest},
        "players": plan.players,
        "halls": list(plan.hall_names),
        "rounds": plan.rounds,
        "seed": plan.seed,
        "games": [
            {
                "game_id": game.game_id,
                "turns": game.standings.turns,
                "masters": game.standings.masters,
                "end": END_REASONS[game.shown.end].value,
                "validated": game.shown.validated,
                "unofficial": list(game.shown.unofficial),
                "slips": game.kinds,
                "standings": [
                    {
                        "rank": line.rank,
                        "player_id": line.player_id,
                        "name": names[line.player_id],
                        "total": line.total,
                        "percent": line.percent_hundredths / 100,
                        "negative": line.negative,
                        "tops": line.tops,
                        "best_play": line.best_play,
                        "solos": line.solos,
                    }
                    for line in game.standings.lines
                ],
            }
            for game in outcome.games
        ],
    }
