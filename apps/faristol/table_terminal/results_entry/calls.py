"""The calls of `faristol enter` to the pairing service, retried until it answers."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import Message

from faristol.client.problems import every_reason, info_of, list_reasons
from faristol.client.services import build_call, call, is_retryable
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import say
from faristol.typed_input.results.doubts import as_typed
from faristol.typed_input.results.tables import Tables, correct_result

PAIRING_UNAVAILABLE = N_(
    "The pairing service is unavailable. Your entries are saved and are sent when it is available again."
)
BACK = N_("The pairing service is available again.")
GAVE_UP = N_(
    "the pairing service has not responded for {seconds} seconds, and the results may have been "
    "entered: run the command with the same file again, recorded results are skipped"
)


class Refused(Exception):
    """The service refused a command without any effect. The message has a line for each reason."""

    def __init__(self, problem: grpc.aio.AioRpcError, convert: Callable[[str], str]) -> None:
        """Build the message; ``convert`` converts texts of the service for users."""
        super().__init__(convert(every_reason(problem)))
        self.by_game: Mapping[str, str] = {game: convert(text) for game, text in _by_game(problem).items()}
        """The refusal of each game, if there are several."""


class ResultsClient:
    """The results of a round at the pairing service: a command is resent with the same id until it is answered."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        tournament: str,
        round_: int,
        arbiter: str,
        language: str,
        tell: Callable[[str], None],
        patience: float | None = None,
        helper: str = "",
    ) -> None:
        """Create the calls; ``patience`` limits retries of an unavailable service in seconds, None without limit.

        ``helper`` is the id of a caller with the rights of a helper; empty for an arbiter or director.
        """
        self._channel = channel
        self.tournament = tournament
        self._arbiter, self._language, self._tell = arbiter, language, tell
        self._round = round_
        self._patience = patience
        self._helper = helper

    async def tables(self) -> Tables:
        """Return the current tables of the round. Raises ``Refused`` for an unknown round."""
        request = pairing.ListResultsRequest(tournament_id=self.tournament, round=self._round)
        listed: pairing.ListResultsResponse = await self._send(request)
        self._round = listed.round
        return Tables(listed, self._language, self._helper)

    async def enter(self, results: Sequence[pairing.GameResult]) -> None:
        """Enter results, all or none. Raises ``Refused``."""
        await self._send(pairing.EnterResultsRequest(results=results, **self._common()))

    async def confirm_result(self, table: pairing.TableResult) -> None:
        """Confirm the displayed result of a table. Raises ``Refused``, also for the person who entered it."""
        await self._send(pairing.ConfirmResultRequest(game_id=table.game_id, scores=table.scores, **self._common()))

    async def dispute_result(self, table: pairing.TableResult, note: str) -> None:
        """Dispute the recorded result of a table. An official decides. Raises ``Refused``."""
        request = pairing.ConfirmResultRequest(game_id=table.game_id, scores=table.scores, **self._common())
        request.disputed, request.note = True, note
        await self._send(request)

    async def correct(self, table: pairing.TableResult, result: pairing.GameResult) -> Sequence[int]:
        """Replace the displayed result, unless the game was abandoned. Return the rounds that were paired with it.

        A helper replaces only results that they entered. Raises ``Refused``.
        """
        kind = pairing.CorrectOwnResultRequest if self._helper else pairing.CorrectResultRequest
        rounds: Sequence[int] = (await self._send(correct_result(kind(**self._common()), table, result))).rounds_after
        return rounds

    def _common(self) -> dict[str, Any]:
        """Return the fields of every command."""
        return {"command_id": str(uuid.uuid4()), "tournament_id": self.tournament, "arbiter_id": self._arbiter}

    async def _build_translator(self, problem: grpc.aio.AioRpcError) -> Callable[[str], str]:
        """Return a function that replaces ids in a refusal by names, if available, and fields by typed words."""
        try:
            request = pairing.GetTournamentRequest(tournament_id=self.tournament)
            known = TournamentNames(await build_call(self._channel, type(request))(request))
        except grpc.aio.AioRpcError:
            return lambda text: as_typed(text, self._language)
        return lambda text: as_typed(known.named_in_refusal(text, problem), self._language)

    async def _send(self, request: Message) -> Any:
        away = False

        def note_retry() -> None:
            nonlocal away
            if not away:
                self._tell(say(PAIRING_UNAVAILABLE, {}, self._language))
            away = True

        language = (("accept-language", self._language),)
        try:
            method = partial(build_call(self._channel, type(request)), metadata=language)
            answer = await call(method, request, patience=self._patience, retried=note_retry)
        except grpc.aio.AioRpcError as error:
            if is_retryable(error):
                raise StartError(say(GAVE_UP, {"seconds": round(self._patience or 0)}, self._language)) from error
            raise Refused(error, await self._build_translator(error)) from error
        if away:
            self._tell(say(BACK, {}, self._language))
        return answer


def _by_game(problem: grpc.aio.AioRpcError) -> dict[str, str]:
    found: dict[str, str] = {}
    for subject, reason in list_reasons(problem):
        kind, _, game = subject.partition("/")
        if kind == "games":
            found[game] = " ".join(filter(None, (found.get(game), reason)))
    if not found and (game := info_of(problem).metadata.get("game", "")):
        found[game] = str(problem.details())
    return found
