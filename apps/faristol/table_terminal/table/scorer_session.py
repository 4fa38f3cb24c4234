"""The loop that records a table: typed steps are executed, and their results are printed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

import grpc
import typer

from faristol.casebook.case import Step
from faristol.casebook.document import CaseError
from faristol.casebook.forms import board_of
from faristol.client.problems import info_of
from faristol.client.services import is_retryable
from faristol.kernel.quotation import likely
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.pb.game.v1 import game_pb2
from faristol.presentation.names import fold_name
from faristol.table_terminal.shared.keyboard import get_typed_text, wait_for_answer
from faristol.table_terminal.shared.sheet import format_sheet
from faristol.table_terminal.table import refusals
from faristol.table_terminal.table.guide import GUIDES, explain_verb, list_house_rules, overview
from faristol.table_terminal.table.journal import Journal
from faristol.table_terminal.table.lines import Typed, read_typed
from faristol.table_terminal.table.offers import ShownTable, list_next_steps
from faristol.table_terminal.table.rulings import TableJudge
from faristol.table_terminal.table.services import VERBS, LiveTable
from faristol.table_terminal.table.session import Session
from faristol.table_terminal.table.shorthand import SPOKEN, Unclear
from faristol.table_terminal.table.view import (
    format_next_steps,
    format_ruling,
    format_score,
    format_skipped_turns,
    outcome,
    standing,
)
from faristol.text import cite_refusal, say, translations

PROMPT = "> "
WATCH_SECONDS = 0.5
"""Between two polls for a ruling."""
DO = ("board", "book", "help", "quit", "rack", "sheet", "table")
"""Commands of the tool itself."""

SERVICES_UNAVAILABLE = N_(
    "The services are unavailable. Your entries are saved and are sent when they are available again."
)
STEP_KEPT = N_("The entry was not carried out. It is saved, and is sent when you open this table again.")
GOING_ON = N_("From the last session, not executed yet: %(step)s")
SCORER_HELP = N_(
    "WHO: VERB …, where WHO is a player, arbiter or judge. A whole turn: `Anna: turn H8 C A S A`, "
    "`Anna: turn exchange A E`, `Anna: turn pass`. Options: `Anna: draw-tiles, with: {count: 4}`, `at: "
    "12:30` for minutes since the start of the round, `after: 0:30` since the last step."
)
SHORT = N_(
    "Short forms for the player on turn: `h8 casa`, or `h8 casa 24` to check the score; `-` for a "
    "pass; `-AE` or `x AE` for an exchange; (A) or ?a for a blank, and a dot for a tile on the board."
)
ALSO = N_("Also: %(words)s (rack WHO, help VERB).")
RACK_OF = N_("Specify the player: `rack WHO`, where WHO is one of {known}.")
COLON = N_("Write a colon after the name: `{who}: {rest}`.")
NEAR = N_("{words} is not a step; did you mean {near}?")
SURE = N_("Is that correct?")
NO = ("no", "false")
NO_STEP = N_("{words} is not a step: expected `WHO: VERB …`, or {known}.")


class ScorerSession:
    """Executes typed steps and prints their results."""

    def __init__(self, journal: Journal, language: str, *, stops: bool) -> None:
        """Create the loop; it ``stops`` at the first failed step, for a script, or else waits for the next."""
        self._journal = journal
        self._language = language
        self._stops = stops
        self._ruling: game_pb2.Ruling | None = None
        """The last ruling that was printed."""
        self._choices: Sequence[str] = ()
        """The lines among which the next typed number chooses."""
        self._turn = 0
        """The last turn that was printed."""
        self._ruling_awaited = False
        """Whether the table printed last waits for a ruling."""
        self._talking = asyncio.Lock()
        """Locked while a step is executed or output is printed."""

    def say(self, message: str, **params: str) -> None:
        """Print a message to the user."""
        typer.echo(translations(self._language).gettext(message) % params)

    async def sit_down(self, services: LiveTable, table_judge: TableJudge) -> None:
        """Load the table, and execute unfinished steps first."""
        self._services = services
        table = await services.table()
        public = await services.public()
        self._session = Session(services, table_judge, table, public)
        if table.HasField("ruling") and table.ruling.turn < table.turn:
            self._ruling = table.ruling  # an old ruling
        typer.echo(str(board_of(table)))
        await self._show()
        for step_id, typed in self._journal.list_unfinished():
            self.say(GOING_ON, step=typed.text)
            await self._do(typed, step_id)

    async def work(self, lines: AsyncIterator[Typed]) -> int:
        """Execute all typed lines. Returns the exit code."""
        async for typed in lines:
            if typed.text in ("quit", "exit"):
                return 0
            async with self._talking:
                done = await self._do(typed)
            if not done and self._stops:
                return 1
        return 0

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Print a ruling as soon as it is known, even between typed lines: a clock may run from then on."""
        watcher = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if not self._ruling_awaited or self._talking.locked():
                continue
            async with self._talking:
                with suppress(grpc.aio.AioRpcError):  # the next step reports the error
                    if (await self._services.table()).phase == game_pb2.PHASE_CHALLENGED:
                        continue
                    typer.echo()
                    await self._show()
                    typer.echo(f"{PROMPT}{get_typed_text()}", nl=False)

    async def _do(self, typed: Typed, step_id: str = "") -> bool:
        """Execute a step. Returns False, with the reason printed, on failure; an unsent step stays in the journal."""
        if typed.text.isdecimal() and 0 < int(typed.text) <= len(self._choices):
            typed = typed._replace(text=self._choices[int(typed.text) - 1])
        self._choices = ()
        where = f"{typed.number}: " if self._stops else ""
        try:
            with self._journal.keeping(typed, step_id) as known:
                return await self._try(typed, known, where)
        except grpc.aio.AioRpcError as error:
            typer.echo(f"{where}{error.details()}")
            self.say(STEP_KEPT)
            return False

    async def _try(self, typed: Typed, step_id: str, where: str) -> bool:
        try:
            meant = await self._session.expand(typed, DO)
            if meant != typed:
                self._journal.means(step_id, meant)
            step = read_typed(meant, self._session.who)
            if isinstance(step, str):
                await self._answer(step)
                return True
            if not self._stops and self._costs(step) and not await self._sure(step):
                return True
            for answer in await self._session.do(step, step_id):
                if isinstance(answer, game_pb2.PlacePlayResponse) and answer.words and not answer.off_centre:
                    typer.echo(format_score(answer, self._language))
        except CaseError as error:
            typer.echo(f"{where}{error.say(self._language)}")
            return False
        except Refusal as refusal:
            typer.echo(f"{where}{cite_refusal(refusal, self._language)}")
            self._choices = refusal.choices if isinstance(refusal, Unclear) else ()
            if refusal.reason == "TOLD_NOT_SAID":
                self._hint(refusal.reason, refusal.params, await self._session.load_shown())
            if refusal.reason == "WHO":
                self._offer(await self._session.load_shown())
            return False
        except grpc.aio.AioRpcError as error:
            if is_retryable(error):
                raise
            typer.echo(f"{where}{refusals.format_refusal(error, self._session.names, self._language)}")
            await self._show_way_out(error)
            return False
        await self._show()
        return True

    def _costs(self, step: Step) -> bool:
        """Check whether a step loses the game for its player by one word: leaving without telling."""
        untold = self._session.ruleset.absence.untold != "none"
        return untold and step.verb == "leave-table" and step.argument is not None and step.argument.text() in NO

    async def _sure(self, step: Step) -> bool:
        params = {"who": step.actor}
        typer.echo(say(refusals.UNTOLD[self._session.ruleset.absence.untold], params, self._language))
        question = translations(self._language).gettext(SURE)
        return await wait_for_answer(partial(typer.confirm, question))

    async def _show_way_out(self, problem: grpc.aio.AioRpcError) -> None:
        info, shown = info_of(problem), await self._session.load_shown()
        if info.reason == "SHEETS_DIFFER":
            await self._answer("sheet")
        self._hint(info.reason, info.metadata, shown)
        self._offer(shown)

    def _hint(self, reason: str, params: Mapping[str, Param], shown: ShownTable) -> None:
        for hint in refusals.hints(reason, shown, params, self._session.names, self._language):
            typer.echo(hint)

    async def _show(self) -> None:
        shown = await self._session.load_shown()
        lines = standing(shown, self._session.names, self._session.now, self._language)
        ruling = shown.table.ruling if shown.table.HasField("ruling") else None
        if ruling and ruling != self._ruling:
            typer.echo("\n".join(format_ruling(ruling, shown.ruleset, self._language)))
        self._ruling = ruling
        self._ruling_awaited = shown.table.phase == game_pb2.PHASE_CHALLENGED
        if 0 < self._turn < shown.table.turn:
            public = await self._services.public(self._session.position)
            for line in format_skipped_turns(public, self._turn, self._session.names, self._language):
                typer.echo(line)
        self._turn = shown.table.turn
        typer.echo("\n".join(lines))
        if shown.table.phase == game_pb2.PHASE_FINAL:
            typer.echo(outcome(await self._services.final(), self._language))
        for notice in refusals.notices(shown, self._session.names, self._language):
            typer.echo(notice)
        self._offer(shown)

    def _offer(self, shown: ShownTable) -> None:
        if text := format_next_steps(list_next_steps(shown), self._session.names, self._language):
            typer.echo(text)

    async def _answer(self, words: str) -> None:
        """Execute a command of the tool itself. Raises ``Refusal`` for an unknown one."""
        what, _, of = (part.strip() for part in words.partition(" "))
        what = "help" if SPOKEN.get(fold_name(what)) == "help" else what
        match what:
            case "help" if of in GUIDES:
                typer.echo("\n".join(explain_verb(of, VERBS.get(of), self._language, self._session.ruleset)))
            case "help" if not of:
                self.say(SCORER_HELP)
                self.say(SHORT)
                typer.echo("\n".join(overview(self._language)))
                self.say(ALSO, words=", ".join(DO))
            case "board":
                typer.echo(str(board_of(await self._services.table())))
            case "book":
                typer.echo("\n".join(list_house_rules(self._session.ruleset, self._language)))
            case "table":
                await self._show()
            case "sheet":
                typer.echo("\n".join(format_sheet(await self._services.public(self._session.position), self._language)))
            case "rack" if (rack := await self._session.rack(of)) is not None:
                typer.echo(" ".join(face or "▢" for face in rack) or "–")
            case "rack":
                raise Refusal("NO_STEP", RACK_OF, {"known": ", ".join(self._session.names.values())})
            case _ if (who := self._session.find_person(what)) and of:
                raise Refusal("NO_STEP", COLON, {"who": who, "rest": of})
            case _ if near := likely(what, (*VERBS, "turn", *DO), 3):
                raise Refusal("NO_STEP", NEAR, {"words": repr(words), "near": ", ".join(near)})
            case _:
                raise Refusal("NO_STEP", NO_STEP, {"words": repr(words), "known": ", ".join(DO)})
