"""Print the standings and each result with the typed client: `python results_app.py ADDRESS TOURNAMENT`."""

import asyncio
import sys

from faristol.client.results import Results


async def main(address: str, tournament: str) -> None:
    async with Results(address) as results:
        print((await results.tournament(tournament)).name)
        async for line in results.standings(tournament):
            print(line.rank, line.name or line.player_id, line.points)
        async for news in results.follow(tournament, types=["ResultRecorded"]):
            game = await results.game(news.game_id, min_position=news.position)
            scores = ("" if seat.score is None else seat.score for seat in game.seats)  # None for a forfeit
            names = (seat.name or seat.player_id for seat in game.seats)
            print(*map("{} {}".format, names, scores), sep=" – ", flush=True)


asyncio.run(main(*sys.argv[1:]))
