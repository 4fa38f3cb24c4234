"""Results at a terminal, asked table by table."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Sequence

from faristol.client.places import ranges
from faristol.entry.calls import Calls, Refused
from faristol.kernel.refusal import N_, Param
from faristol.office.names import folded
from faristol.office.results.doubts import SWAPPED, Doubt
from faristol.office.results.lines import NO, YES, Given, Look, Slip, read
from faristol.office.results.tables import Tables, names_at
from faristol.text import say

HELP = N_(
    "Type the scores of the table asked, in the order of the names: 412 378. Or those of any table: 11 412 378.\n"
    "  412 378 anna  and who won, to be checked      ff -      the first did not come, and loses by forfeit\n"
    "  120a 100      the first abandoned at 120      ff ff     nobody came\n"
    "  11            look at table 11, to enter or correct it\n"
    "  Enter         leave this table for later      b         back to what was entered last\n"
    "  l             what is left                    q         end"
)
TITLE = N_("{tournament}, round {round}: {left}. Type ? for help.")
ALL_IN = N_("All results are in. Type a table to correct it, or q to end.")
LEFT = N_("left: {tables}")
NOTHING_LEFT = N_("nothing left")
REALLY = N_("Enter it all the same? [y/n] ")
SWAP = N_("Swap the scores? [y/n] ")
REPLACE = N_("Put {scores} in its place? [y/n] ")
REPLACE_BY = N_("In its place, {outcome}. Is that so? [y/n] ")
AWAITED = N_("Type y or n, or other scores of this table.")
STANDS = N_("It stands: {standing}")
NOTHING_ENTERED = N_("Nothing was entered here yet.")
NO_CORRECTION = N_("A game that was abandoned is corrected by the scores that count in the end: {command}")
DONE = N_("{count} entered here; {left}.")
NOT_ENTERED = N_("Not entered.")
ENTERED = N_("entered: {standing}")


class _Anew(Exception):
    """Instead of an answer came another result of the same table."""

    def __init__(self, said: Given) -> None:
        super().__init__(said)
        self.said = said


class Prompt:
    """Asks for the results of a round until the person ends, whatever others enter meanwhile."""

    def __init__(
        self, calls: Calls, ask: Callable[[str], Awaitable[str]], tell: Callable[[str], None], language: str
    ) -> None:
        """``ask`` raises ``EOFError`` where nothing more comes."""
        self._calls, self._ask, self._tell, self._language = calls, ask, tell, language
        self._tables: Tables
        self._entered: list[int] = []
        self._skipped: set[int] = set()
        self._back = 0

    async def run(self) -> None:
        """Ask until the end. Raises ``Refused`` for a round that there is not."""
        self._tables = await self._calls.tables()
        listed = self._tables.listed
        self._say(TITLE, tournament=listed.tournament, round=listed.round, left=self._left())
        try:
            while await self._one():
                pass
        except EOFError:
            self._tell("")
        self._say(DONE, count=len(set(self._entered)), left=self._left())

    async def _one(self) -> bool:
        """Ask once. False when the person ends."""
        asked = self._next()
        if not asked:
            self._say(ALL_IN)
        line = (await self._ask(f"{self._tables.head(asked)}: " if asked else "> ")).strip()
        self._back = 0
        match line.casefold():
            case "q":
                return False
            case "?" | "h":
                self._say(HELP)
            case "l":
                await self._refresh()
                self._tell(self._left())
            case "b" if self._entered:
                self._look(self._entered[-1])
            case "b":
                self._say(NOTHING_ENTERED)
            case "":
                if not asked:
                    return False
                self._skipped.add(asked)
            case _:
                await self._do(line, asked)
        return True

    def _next(self) -> int:
        """The table to be asked: the one gone back to, else the next without a result, those left for later last.

        It comes after the table that was entered last: two people may each enter a part of a round.
        """
        if self._back:
            return self._back
        left = self._tables.left
        if left and self._skipped.issuperset(left):
            self._skipped.clear()
        waiting = [table for table in left if table not in self._skipped]
        last = self._entered[-1] if self._entered else 0
        return next((table for table in waiting if table > last), waiting[0] if waiting else 0)

    def _look(self, table: int) -> None:
        if self._tables[table].scores:
            self._tell(self._tables.standing(table))
        self._back = table

    async def _do(self, line: str, asked: int) -> None:
        try:
            said = read(line, self._tables.players, asked)
            if isinstance(said, Look):
                await self._refresh()
                self._look(said.table)
                return
            await self._enter(said)
        except Slip as slip:
            self._say(slip.text, **slip.params)
            self._back = asked
        except Refused as refused:
            self._tell(str(refused))
            await self._refresh()
            if not isinstance(said, Look) and self._tables[said.table].scores:
                self._say(STANDS, standing=self._tables.standing(said.table))

    async def _enter(self, said: Given) -> None:
        """Enter a result, or what is typed in its place while it is asked about."""
        while True:
            try:
                await self._enter_once(said)
            except _Anew as other:
                said = other.said
            else:
                return

    async def _enter_once(self, said: Given) -> None:
        if self._tables.stands(said):
            self._say(STANDS, standing=self._tables.standing(said.table))
            return
        result = await self._confirmed(said)
        if result is None:
            self._say(NOT_ENTERED)
            self._back = said.table
            return
        if self._tables[said.table].scores:
            await self._correct(result)
        else:
            await self._calls.enter([self._tables.result(result)])
            await self._entered_at(result.table)

    async def _confirmed(self, said: Given) -> Given | None:
        """What is to be entered, once the person has looked again at what is implausible; None for nothing."""
        found = self._tables.doubts(said)
        if any(doubt.text == SWAPPED for doubt in found) and len(said.scores) == 2:
            self._doubt([doubt for doubt in found if doubt.text == SWAPPED])
            if not await self._yes(said.table, SWAP):
                return None
            said = Given(said.table, said.scores[::-1], said.winner)
            found = self._tables.doubts(said)
        if not found:
            return said
        self._doubt(found)
        return said if await self._yes(said.table, REALLY) else None

    async def _correct(self, said: Given) -> None:
        table = self._tables[said.table]
        self._say(STANDS, standing=self._tables.standing(said.table))
        if table.abandoned_by or any(score.left for score in said.scores):
            self._say(NO_CORRECTION, command=self._correction(said))
            return
        if said.forfeit:
            sure = await self._yes(said.table, REPLACE_BY, outcome=self._tables.forfeited(said))
        else:
            sure = await self._yes(said.table, REPLACE, scores="–".join(map(str, said.points)))
        if not sure:
            self._say(NOT_ENTERED)
            return
        await self._calls.correct(table, self._tables.result(said))
        await self._entered_at(said.table)

    def _correction(self, said: Given) -> str:
        """The command that corrects a game that was abandoned, or is said to have been."""
        table, left = self._tables[said.table], [score.left for score in said.scores]
        names = names_at(table)
        points = [score.score for score in table.scores] if any(left) or said.forfeit else said.points
        winner = left.index(False) if any(left) and not all(left) else points.index(max(points))
        scores = " ".join(
            f"--score {shlex.quote(f'{name}={score}')}" for name, score in zip(names, points, strict=True)
        )
        place = f"--table {said.table} --round {self._tables.listed.round}"
        return (
            f"faristol result correct {self._calls.tournament} {place} {scores} --winner {shlex.quote(names[winner])}"
        )

    async def _entered_at(self, table: int) -> None:
        self._entered.append(table)
        self._skipped.discard(table)
        await self._refresh()
        self._say(ENTERED, standing=self._tables.standing(table))

    async def _refresh(self) -> None:
        self._tables = await self._calls.tables()

    def _left(self) -> str:
        left = self._tables.left
        return say(LEFT, {"tables": ranges(left)}, self._language) if left else say(NOTHING_LEFT, {}, self._language)

    def _doubt(self, found: Sequence[Doubt]) -> None:
        for doubt in found:
            self._tell(f"  ? {say(doubt.text, doubt.params, self._language)}")

    async def _yes(self, table: int, question: str, **params: Param) -> bool:
        """Ask until the answer is yes or no: what is typed for something else enters nothing.

        Raises ``_Anew`` for another result of the same table: whoever sees a slip types the scores anew.
        """
        asked = say(question, params, self._language)
        while (answer := folded(typed := await self._ask(asked))) not in YES | NO:
            if other := self._anew(typed, table):
                raise _Anew(other)
            self._say(AWAITED)
        return answer in YES

    def _anew(self, typed: str, table: int) -> Given | None:
        """A result of the same table; None for anything else."""
        try:
            said = read(typed, self._tables.players, table)
        except Slip:
            return None
        return said if isinstance(said, Given) and said.table == table else None

    def _say(self, text: str, **params: Param) -> None:
        self._tell(say(text, params, self._language))
