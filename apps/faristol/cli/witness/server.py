"""The HTTP interface of a witness (C2SP tlog-witness)."""

from __future__ import annotations

import logging
import re

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from faristol.event_store.errors import RecordError
from faristol.event_store.transparency.witness_state import MAX_REQUEST_BYTES, TEXT_MEDIA_TYPE, WitnessState

ORIGIN_HASH_PATTERN = re.compile(r"[0-9a-f]{64}")
CHECKPOINT_MAX_AGE_SECONDS = 5

_log = logging.getLogger(__name__)


def build_app(state: WitnessState) -> Starlette:
    """Return the application of a witness."""

    async def add_checkpoint(request: Request) -> Response:
        """Cosign a checkpoint."""
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_REQUEST_BYTES:
                return PlainTextResponse(f"expected {MAX_REQUEST_BYTES} bytes at most\n", 413)
        try:
            answer = await run_in_threadpool(state.add_checkpoint, body)
        except (OSError, RecordError) as error:
            _log.error("no checkpoint is cosigned, the state cannot be stored or read: %s", error)
            return PlainTextResponse("the state of this witness is unavailable\n", 503)
        # With ``media_type``, Starlette would add a charset, and the standard states the type of a size exactly.
        return Response(answer.content, answer.status, headers={"Content-Type": answer.media_type})

    async def get_checkpoint(request: Request) -> Response:
        """Return the last cosigned checkpoint of a log."""
        origin_hash = request.path_params["origin_hash"]
        is_hash = bool(ORIGIN_HASH_PATTERN.fullmatch(origin_hash))
        note = await run_in_threadpool(state.read_note, origin_hash) if is_hash else None
        if note is None:
            return PlainTextResponse("this witness has cosigned no checkpoint of such a log\n", 404)
        headers = {"Cache-Control": f"public, max-age={CHECKPOINT_MAX_AGE_SECONDS}"}
        return Response(note, media_type=TEXT_MEDIA_TYPE, headers=headers)

    async def get_key(_: Request) -> Response:
        """Return the public key of the witness, for the policies of its logs."""
        return PlainTextResponse(f"{state.key}\n")

    async def healthz(_: Request) -> Response:
        """Return 200 if the stored checkpoints can be read."""
        try:
            await run_in_threadpool(state.check)
        except (OSError, RecordError) as error:
            _log.error("the state cannot be read: %s", error)
            return PlainTextResponse("the state of this witness is unavailable\n", 503)
        return PlainTextResponse("ok\n")

    return Starlette(
        routes=[
            Route("/add-checkpoint", add_checkpoint, methods=["POST"]),
            Route("/{origin_hash}/checkpoint", get_checkpoint),
            Route("/key", get_key),
            Route("/healthz", healthz),
        ]
    )
