"""The prompt for results at a terminal, table by table."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from faristol.client.places import ranges
from faristol.kernel.refusal import N_, Param
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.history import say_rounds_after
from faristol.presentation.names import fold_name
from faristol.table_terminal.results_entry.calls import Refused, ResultsClient
from faristol.text import say
from faristol.typed_input.results.doubts import OPEN_BEFORE, SWAPPED
from faristol.typed_input.results.lines import MAX_TABLE_DIGITS, NO, YES, InvalidLine, ParsedResult, TableLookup, read
from faristol.typed_input.results.tables import Tables, names_at

ENTRY_HELP = N_(
    "Type the scores of the table shown, in the order of the names: 412 378. Or the scores of any table: 11 412 378.\n"
    "  412 378 anna  and the winner, as a check      ff -      the first did not come, and loses by forfeit\n"
    "  120a 100      the first abandoned at 120      ff ff     no player came\n"
    "  11            show table 11, to enter or correct it\n"
    "  Enter         skip this table for now         b         back to the last entry\n"
    "  y             confirm the last question       n         discard it; y 11 and n 11: that of table 11\n"
    "  l             list the open entries           q         end"
)
TITLE = N_("{tournament}, round {round}: {left}. Type ? for help.")
ALL_IN = N_("All results are in. Type a table to correct it, or q to end.")
TABLES_LEFT = N_("left: {tables}")
NOTHING_LEFT = N_("no table left")
SWAP = N_("with the scores swapped: {scores}")
REPLACE = N_("{scores} would replace it")
REPLACE_BY = N_("the new result would be: {outcome}")
ASKED = N_("Not saved, and open: {typed}. Type y if it is correct, or continue with the next one.")
NOT_SAVED = N_("Not saved, and open: {typed}. Continue with the next one, or type it again.")
STILL_OPEN = N_("open, and not saved: {typed} ({why})")
NOT_ASKED = N_(
    "There is no open question that y or n could answer. Specify the table, such as y 11; l lists the open entries."
)
NOT_SURE = N_("y cannot make {typed} a result: type it again.")
RESULT_STANDS = N_("Recorded: {standing}")
CONFIRMED = N_("confirmed: {standing}")
NOTHING_ENTERED = N_("No result was entered here yet.")
NO_CORRECTION = N_("To correct a game that was abandoned, enter its final scores: {command}")
ENTERED_HERE = N_("{count} entered here; {left}.")
LEFT_OUT = N_("Discarded: {typed}")
ENTERED = N_("entered: {standing}")
DISPUTED = N_("Table {table}: the result is disputed, and an official is checking it.")


@dataclass(frozen=True, slots=True)
class _Open:
    """A questioned or refused line, until it is answered: it is not saved."""

    typed: str
    table: int
    why: Sequence[str]
    given: ParsedResult | None = None
    """The result that a yes enters; None if a yes is impossible."""
    stood: Sequence[int] = ()
    """The scores at the time of the question: a yes replaces only these."""


class Prompt:
    """The dialogue about the results of a round until the user ends it; others may enter results too."""

    def __init__(
        self, calls: ResultsClient, ask: Callable[[str], Awaitable[str]], tell: Callable[[str], None], language: str
    ) -> None:
        """Create the dialogue; ``ask`` raises ``EOFError`` at the end of the input."""
        self._calls, self._ask, self._tell, self._language = calls, ask, tell, language
        self._tables: Tables
        self._entered: list[int] = []
        self._skipped: set[int] = set()
        self._open: list[_Open] = []
        self._is_asked = False
        """Whether the last line was questioned: a y without a table answers that."""
        self._past = 0
        """The table that was typed or asked last: the next one comes after it."""
        self._back = 0

    async def run(self) -> None:
        """Ask until the end. Raises ``Refused`` for an unknown round."""
        self._tables = await self._calls.tables()
        listed = self._tables.listed
        self._say(TITLE, tournament=listed.tournament, round=listed.round, left=self._format_tables_left())
        try:
            while await self._one():
                pass
        except EOFError:
            self._tell("")
        self._tell_open()
        self._say(ENTERED_HERE, count=len(set(self._entered)), left=self._format_tables_left())

    async def _one(self) -> bool:
        """Ask once. Returns False when the user ends."""
        asked = self._next()
        if not asked:
            self._say(ALL_IN)
        line = (await self._ask(f"{self._tables.head(asked)}: " if asked else "> ")).strip()
        self._back = 0
        is_asked, self._is_asked = self._is_asked, False
        match line.casefold():
            case "q":
                return False
            case "?" | "h":
                self._say(ENTRY_HELP)
            case "l":
                await self._refresh()
                self._tell(self._format_tables_left())
                self._tell_open()
            case "b" if self._entered:
                self._show_table(self._entered[-1])
            case "b":
                self._say(NOTHING_ENTERED)
            case "":
                if not asked:
                    return False
                self._skip(asked)
            case _:
                await self._answer_or_do(line, asked, is_asked=is_asked)
        return True

    def _next(self) -> int:
        """Return the next table to ask: the one gone back to, else the next without a result, skipped ones last.

        It comes after the table that was typed last: two people may each enter a part of a round.
        """
        if self._back:
            return self._back
        left = self._tables.left
        if left and self._skipped.issuperset(left):
            self._skipped.clear()
        waiting = [table for table in left if table not in self._skipped]
        return next((table for table in waiting if table > self._past), waiting[0] if waiting else 0)

    def _show_table(self, table: int) -> None:
        if self._tables[table].scores:
            self._tell(self._tables.standing(table))
        self._back = table

    def _skip(self, table: int) -> None:
        """Ask for the next table: a user who types without looking at the screen already has its scores in hand."""
        if table:
            self._skipped.add(table)
            self._past = table

    async def _answer_or_do(self, line: str, asked: int, *, is_asked: bool) -> None:
        word, _, table = line.partition(" ")
        answer = fold_name(word)
        if answer in YES | NO and (not table or table.strip().isdecimal()):
            await self._answer(table.strip(), is_right=answer in YES, is_asked=is_asked)
        else:
            await self._do(line, asked)

    async def _answer(self, table: str, *, is_right: bool, is_asked: bool) -> None:
        """Apply a yes or no to the last open line, or to that of a named table."""
        found = [each for each in self._open if not table or str(each.table) == table.lstrip("0")]
        if not found or not (table or is_asked):
            self._say(NOT_ASKED)
            return
        one = found[-1]
        if not is_right:
            self._open.remove(one)
            self._say(LEFT_OUT, typed=one.typed)
        elif one.given is None:
            self._say(NOT_SURE, typed=one.typed)
        else:
            await self._try(one.typed, one.given, is_sure=_standing(self._tables[one.table]) == one.stood)

    async def _do(self, line: str, asked: int) -> None:
        is_short = 0 < len(line.split()) <= self._tables.players(asked)
        typed = f"{asked}: {line}" if is_short else line
        try:
            parsed = read(line, self._tables.players, asked)
        except InvalidLine as slip:
            self._skip(asked)
            table = asked if is_short else self._table_in(line)
            self._keep_open(_Open(typed, table, [say(slip.text, slip.params, self._language)]))
            return
        if isinstance(parsed, TableLookup):
            await self._refresh()
            self._show_table(parsed.table)
            return
        self._past = parsed.table
        await self._try(typed, parsed)

    def _table_in(self, line: str) -> int:
        """Return the table that an unreadable line names; 0 if it names none."""
        first, *scores = line.split()
        number = int(first) if first.isdecimal() and len(first) <= MAX_TABLE_DIGITS else 0
        return number if self._tables.players(number) == len(scores) else 0

    async def _try(self, typed: str, parsed: ParsedResult, *, is_sure: bool = False) -> None:
        """Enter a result, or keep it open with the objections."""
        try:
            if self._tables.stands(parsed):
                await self._stands(parsed.table)
            elif self._tables.is_hidden_from_helper(parsed.table):
                await self._dispute(parsed)
            elif is_sure and self._tables[parsed.table].scores:
                rounds_after = await self._calls.correct(self._tables[parsed.table], self._tables.result(parsed))
                await self._entered_at(parsed.table)
                if rounds_after:
                    self._tell(say_rounds_after(rounds_after, self._language))
            elif is_sure or not (found := self._asked_about(typed, parsed)):
                await self._calls.enter([self._tables.result(parsed)])
                await self._entered_at(parsed.table)
            else:
                self._keep_open(found)
        except InvalidLine as slip:
            self._keep_open(_Open(typed, parsed.table, [say(slip.text, slip.params, self._language)]))
        except Refused as refused:
            await self._refresh()
            self._keep_open(_Open(typed, parsed.table, [str(refused)]))
            if self._tables[parsed.table].scores:
                self._say(RESULT_STANDS, standing=self._tables.standing(parsed.table))

    async def _stands(self, table: int) -> None:
        """Confirm a result that was typed a second time, if a second person has to; else print it."""
        standing = self._tables[table]
        if self._tables.listed.second_person and standing.check == pairing.RESULT_CHECK_PHASE_OPEN:
            await self._calls.confirm_result(standing)
            await self._refresh()
            self._say(CONFIRMED, standing=self._tables.standing(table))
        else:
            self._say(RESULT_STANDS, standing=self._tables.standing(table))
        self._close(table)

    async def _dispute(self, parsed: ParsedResult) -> None:
        """Dispute a result that was typed differently a second time, without a view of the first."""
        await self._calls.dispute_result(
            self._tables[parsed.table], " – ".join(score.written for score in parsed.scores)
        )
        self._close(parsed.table)
        await self._refresh()
        self._say(DISPUTED, table=parsed.table)

    def _asked_about(self, typed: str, parsed: ParsedResult) -> _Open | None:
        """Return the questions before a result is entered; None without any objection."""
        found = self._tables.doubts(parsed)
        why = [say(doubt.text, doubt.params, self._language) for doubt in found]
        if before := ", ".join(each.typed for each in self._open if each.table == parsed.table):
            why.append(say(OPEN_BEFORE, {"table": parsed.table, "typed": before}, self._language))
        if any(doubt.text == SWAPPED for doubt in found) and len(parsed.scores) == 2:
            parsed = ParsedResult(parsed.table, parsed.scores[::-1], parsed.winner)
            why.append(say(SWAP, {"scores": _format_scores(parsed)}, self._language))
        table = self._tables[parsed.table]
        if not table.scores:
            return _Open(typed, parsed.table, why, parsed) if why else None
        why.append(say(RESULT_STANDS, {"standing": self._tables.standing(parsed.table)}, self._language))
        if table.abandoned_by or any(score.left for score in parsed.scores):
            why.append(say(NO_CORRECTION, {"command": self._correction(parsed)}, self._language))
            return _Open(typed, parsed.table, why)
        if parsed.forfeit:
            why.append(say(REPLACE_BY, {"outcome": self._tables.format_forfeit(parsed)}, self._language))
        else:
            why.append(say(REPLACE, {"scores": _format_scores(parsed)}, self._language))
        return _Open(typed, parsed.table, why, parsed, _standing(table))

    def _keep_open(self, one: _Open) -> None:
        for text in one.why:
            self._tell(f"  ? {text}")
        again = [each for each in self._open if each.table and (each.table, each.typed) == (one.table, one.typed)]
        self._open = [*(each for each in self._open if each not in again), one]
        self._is_asked = True
        if one.table and not self._tables[one.table].scores:
            self._skipped.add(one.table)
        self._say(ASKED if one.given else NOT_SAVED, typed=one.typed)

    def _close(self, table: int) -> None:
        """Remove the open lines of a table that has its result."""
        self._open = [each for each in self._open if each.table != table]

    def _tell_open(self) -> None:
        for each in self._open:
            self._say(STILL_OPEN, typed=each.typed, why="; ".join(each.why))

    def _correction(self, parsed: ParsedResult) -> str:
        """Return the command that corrects an abandoned game."""
        table, left = self._tables[parsed.table], [score.left for score in parsed.scores]
        names = names_at(table)
        points = [score.score for score in table.scores] if any(left) or parsed.forfeit else parsed.points
        winner = left.index(False) if any(left) and not all(left) else points.index(max(points))
        scores = " ".join(
            f"--score {shlex.quote(f'{name}={score}')}" for name, score in zip(names, points, strict=True)
        )
        place = f"--table {parsed.table} --round {self._tables.listed.round}"
        return (
            f"faristol result correct {self._calls.tournament} {place} {scores} --winner {shlex.quote(names[winner])}"
        )

    async def _entered_at(self, table: int) -> None:
        self._entered.append(table)
        self._past = table
        self._close(table)
        self._skipped.discard(table)
        await self._refresh()
        self._say(ENTERED, standing=self._tables.standing(table))

    async def _refresh(self) -> None:
        self._tables = await self._calls.tables()

    def _format_tables_left(self) -> str:
        left = self._tables.left
        return (
            say(TABLES_LEFT, {"tables": ranges(left)}, self._language)
            if left
            else say(NOTHING_LEFT, {}, self._language)
        )

    def _say(self, text: str, **params: Param) -> None:
        self._tell(say(text, params, self._language))


def _format_scores(parsed: ParsedResult) -> str:
    return "–".join(map(str, parsed.points))


def _standing(table: pairing.TableResult) -> Sequence[int]:
    """Return the scores of a table; empty without a result."""
    return tuple(score.score for score in table.scores)
