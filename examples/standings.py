"""Print the standings of a tournament with httpx: `python standings.py ADDRESS TOURNAMENT`.

Lists come in pages: each answer has the token of the next one.
"""

import sys

import httpx

address, tournament = sys.argv[1:]
parameters: dict[str, str | int] = {"page_size": 3}
with httpx.Client(base_url=f"{address}/api/v1", timeout=30) as api:
    while True:
        response = api.get(f"/tournaments/{tournament}/standings", params=parameters)
        if response.is_error:
            sys.exit(response.json()["detail"])
        answer = response.json()
        for line in answer["standings"]:
            print(line["rank"], line["name"] or line["player_id"], line["points"])
        if not answer["next_page_token"]:
            break
        parameters["page_token"] = answer["next_page_token"]
