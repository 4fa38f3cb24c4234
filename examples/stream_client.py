"""Print the plays of round 1 at table 1, with the standard library: `python stream_client.py ADDRESS TOURNAMENT`."""

import json
import sys
import time
import urllib.error
import urllib.request

ADDRESS, TOURNAMENT = sys.argv[1:]
last = "0"
while True:
    request = urllib.request.Request(
        f"{ADDRESS}/api/v1/tournaments/{TOURNAMENT}/stream?rounds=1&tables=1&types=PlayPlaced",
        headers={"Last-Event-ID": last},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as stream:
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "id":
                    last = value
                elif name == "data":
                    print(json.loads(value)["game_id"], json.loads(value)["position"], flush=True)
    except urllib.error.HTTPError as problem:
        if problem.code in (400, 404):
            sys.exit(problem.read().decode())
    except OSError:
        pass
    time.sleep(2)
