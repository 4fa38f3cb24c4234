"""Follow the game at table 1 of round 1 by a stream with content: `python content_client.py ADDRESS TOURNAMENT`."""

import json
import sys
import time
import urllib.request
from typing import Any

api, tournament = sys.argv[1] + "/api/v1", sys.argv[2]
game: dict[str, Any] = {"position": -1}
last = "0"
while True:
    headers = {"Last-Event-ID": last}
    path = f"/tournaments/{tournament}/stream?rounds=1&tables=1&include=content"
    try:
        for line in urllib.request.urlopen(urllib.request.Request(api + path, headers=headers), timeout=30):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            last = value if name == "id" else last
            if name == "event" and value == "Reset":  # another record: discard the state
                game = {"position": -1}
            for change in json.loads(value)["content"] if name == "data" else ():
                if change["position"] <= game["position"]:
                    continue
                if not change["whole"] and not change["from_position"] <= game["position"] <= change["to_position"]:
                    game = json.load(urllib.request.urlopen(f"{api}/games/{change['id']}", timeout=30))
                    continue
                lists = {} if change["whole"] else {name: game[name] for name in ("board", "entries")}
                game = {**game, **change["fields"], "position": change["position"]}
                for name, change_of_list in change["lists"].items():
                    lines = dict(enumerate(lists.get(name, ())))
                    lines |= {int(at): line for at, line in change_of_list["lines"].items()}
                    game[name] = [lines[at] for at in range(change_of_list["length"])]
                scores = [seat["score"] for seat in game["seats"]]
                print(*scores, *(entry["sheet_play"] for entry in game["entries"][-1:]), flush=True)
    except OSError:
        pass
    time.sleep(2)
