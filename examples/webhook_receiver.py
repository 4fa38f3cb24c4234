"""Receive webhooks and verify their signatures: `python webhook_receiver.py PORT whsec_SECRET`."""

import base64
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(sys.argv[2].removeprefix("whsec_"))
seen: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        message, at, given = (self.headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
        expected = "v1," + base64.b64encode(hmac.digest(KEY, f"{message}.{at}.".encode() + body, "sha256")).decode()
        good = any(hmac.compare_digest(each.encode(), expected.encode()) for each in given.split())
        good = good and abs(time.time() - int(at)) < 300
        if good and message not in seen:
            print(json.loads(body)["game_id"], json.loads(body)["position"], flush=True)
            seen.add(message)
        self.send_response(204 if good else 400)
        self.end_headers()


ThreadingHTTPServer(("", int(sys.argv[1])), Receiver).serve_forever()
