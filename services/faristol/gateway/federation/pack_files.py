"""The files of a federation pack, gathered from the services for an official."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc

from faristol.gateway.api import comma_separated
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.api.downloads import EDITIONS, load_tournament_file, to_tsh_files
from faristol.gateway.api.gcg import gcg_of
from faristol.gateway.api.ratings import RatingService, join_ratings
from faristol.gateway.print.addresses import NO_TYPESETTER, render_paper
from faristol.gateway.print.contents import PaperRequest
from faristol.gateway.print.day import DAY_PAPERS
from faristol.gateway.print.pdf import Pdfs, TypesetterBusy, TypesetterFault, is_installed
from faristol.gateway.rpc.results import Moment
from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.other_programs.open_document import Cell, Sheet, write_ods
from faristol.presentation.other_programs.packs import PROOF_NAME, PackContent
from faristol.rules.gcg import GcgGame, Pragma, write_gcg
from faristol.rules.tournament_files import TournamentFile
from faristol.rules.tournament_files.results_list import write_crosstable
from faristol.rules.tournament_files.tou import write_tou
from faristol.text import translations

GAME_CALL_LIMIT = 8
"""Concurrent calls for the games."""

EXPECTED_CODES = frozenset(
    {grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.PERMISSION_DENIED}
)
"""Codes of answers that leave a file out: there is no such content, such as ratings of an unrated tournament, or the
caller may not read it: the federation does not read the history, which the minutes need."""

Parts = dict[str, bytes]


@dataclass
class _Gathered:
    """The files so far, and the reasons for the missing ones."""

    files: Parts = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    async def add(self, name: str, make: Callable[[], Awaitable[Parts]]) -> None:
        """Add the files of a part; a refusal leaves it out, under its name."""
        try:
            self.files.update(await make())
        except Refusal as refusal:
            self.missing[name] = str(refusal)
        except (TypesetterFault, TypesetterBusy) as error:
            self.missing[name] = str(error) or "busy"
        except grpc.aio.AioRpcError as error:
            if error.code() not in EXPECTED_CODES:
                raise
            self.missing[name] = error.details() or error.code().name


async def gather_pack(wanted: PaperRequest, ratings: RatingService, pdfs: Pdfs) -> PackContent:
    """Return the content of the pack of a tournament, as of the position of ``wanted.head``.

    ``wanted.calls`` are those of a supervisor of the tournament, whose minutes have private notes. A part that the
    tournament cannot have, such as a tsh folder of a team tournament, is missing with its reason.
    """
    maker = _PackMaker(wanted, ratings, pdfs)
    gathered = _Gathered()
    for name, make in maker.list_parts():
        await gathered.add(name, make)
    tournament = wanted.head.tournament
    return PackContent(wanted.id, tournament.name, wanted.head.position, gathered.files, gathered.missing)


class _PackMaker:
    """Maker of the files of one pack."""

    def __init__(self, wanted: PaperRequest, ratings: RatingService, pdfs: Pdfs) -> None:
        self._wanted = wanted
        self._results = wanted.results
        self._ratings = ratings
        self._pdfs = pdfs
        self._then = Moment(as_of_position=wanted.head.position)
        self._read = translations(wanted.language).gettext
        self._file: TournamentFile | None = None
        self._rounds: list[pb.GetPairingsResponse] | None = None

    def list_parts(self) -> Sequence[tuple[str, Callable[[], Awaitable[Parts]]]]:
        """Return the parts with the names under which they are missing."""
        return (
            ("report-trf16.trf", lambda: self._make_report("TRF16")),
            ("report-trf26.trf", lambda: self._make_report("TRF26")),
            ("tsh/", self._make_folder),
            ("results.tou", self._make_tou),
            ("crosstable.txt", self._make_crosstable),
            ("standings.csv", self._make_tables),
            ("ratings.csv", self._make_ratings),
            ("games.gcg", self._make_games),
            ("minutes.pdf", self._make_minutes),
            ("minutes.ods", self._make_spreadsheet),
            (PROOF_NAME, self._make_proof),
        )

    async def _make_report(self, edition: str) -> Parts:
        found = await self._results.report(
            self._wanted.id,
            EDITIONS[edition],  # type: ignore[index] # one of the two names
            0,
            self._then,
            for_officials=True,
        )
        return {f"report-{edition.lower()}.trf": found.text.encode()}

    async def _make_folder(self) -> Parts:
        return {f"tsh/{name}": content for name, content in to_tsh_files(await self._load_file()).items()}

    async def _make_tou(self) -> Parts:
        return {"results.tou": write_tou(await self._load_file()).encode()}

    async def _make_crosstable(self) -> Parts:
        return {"crosstable.txt": write_crosstable(await self._load_file()).encode()}

    async def _make_tables(self) -> Parts:
        """Return the standings, the crosstable and the rounds as CSV."""
        standings = await self._results.standings(self._wanted.id, 0, self._then)
        crosstable = await self._results.crosstable(self._wanted.id, 0, self._then)
        made = {
            "standings.csv": _to_csv(comma_separated.standings(to_json(standings))),
            "crosstable.csv": _to_csv(comma_separated.crosstable(to_json(crosstable))),
        }
        for answer in await self._load_rounds():
            made[f"rounds/round-{answer.round:02}.csv"] = _to_csv(comma_separated.pairings(to_json(answer)))
        return made

    async def _load_file(self) -> TournamentFile:
        if self._file is None:
            self._file, _ = await load_tournament_file(self._results, self._wanted.id, 0, self._then)
        return self._file

    async def _load_rounds(self) -> list[pb.GetPairingsResponse]:
        if self._rounds is None:
            numbers = [played.round for played in self._wanted.head.tournament.played]
            self._rounds = [await self._results.pairings(self._wanted.id, number, self._then) for number in numbers]
        return self._rounds

    async def _make_ratings(self) -> Parts:
        players = await self._results.players(self._wanted.id, self._then)
        found = join_ratings(await self._ratings.of(self._wanted.id), players)
        return {"ratings.csv": _to_csv(comma_separated.ratings(to_json(found)))}

    async def _make_games(self) -> Parts:
        """Return all recorded games with a final result in one file, each with its headers."""
        rounds = await self._load_rounds()
        tables = [(answer.round, table) for answer in rounds for table in answer.tables if table.final and table.turns]
        texts: list[str] = []
        for start in range(0, len(tables), GAME_CALL_LIMIT):
            together = tables[start : start + GAME_CALL_LIMIT]
            texts += await asyncio.gather(*(self._format_game(number, table) for number, table in together))
        return {"games.gcg": "\n".join(texts).encode()} if texts else {}

    async def _format_game(self, number: int, table: pb.Table) -> str:
        game = await self._results.game(table.game_id, self._then)
        result = "–".join(str(seat.score) for seat in table.seats)
        headers = [
            Pragma(keyword="event", text=" ".join(self._wanted.head.tournament.name.split())),
            *([Pragma(keyword="date", text=day)] if (day := self._wanted.head.tournament.starts_on) else []),
            Pragma(keyword="round", text=str(number)),
            Pragma(keyword="table", text=str(table.table)),
            Pragma(keyword="result", text=result),
        ]
        return await asyncio.to_thread(lambda: write_gcg(GcgGame((*headers, *gcg_of(game).lines))))

    async def _make_minutes(self) -> Parts:
        """Return the minutes as PDF. Without a typesetter they are missing, and are a page for a browser instead."""
        if not is_installed():
            raise Refusal("NO_TYPESETTER", NO_TYPESETTER)
        return {"minutes.pdf": await self._pdfs.of(await render_paper(self._wanted, "minutes"))}

    async def _make_spreadsheet(self) -> Parts:
        gathered = await DAY_PAPERS["minutes"].gather(self._wanted)
        return {"minutes.ods": await asyncio.to_thread(write_ods, self._list_sheets(gathered))}

    def _list_sheets(self, gathered: Any) -> list[Sheet]:
        """Return the tables of the minutes: the tournament with its incidents, standings, each round, prizes."""
        read = self._read
        standings: list[list[Cell]] = [[read("Rank"), read("Player"), read("Points"), read("Spread")]]
        standings += [
            [line.rank, line.name or line.player_id, line.half_points / 2, line.spread]
            for line in gathered["standings"]
        ]
        prizes: list[list[Cell]] = [[read("Prizes"), read("Place"), read("Player"), read("Amount")]]
        prizes += [
            [prize.of.name, prize.award.place, prize.award.name or prize.award.player_id, prize.award.amount]
            for prize in gathered["prizes"]
        ]
        return [
            Sheet(read("Minutes of the tournament"), self._list_minutes(gathered)),
            Sheet(read("Standings"), standings),
            *map(self._make_round_sheet, gathered["paired"]),
            *([Sheet(read("Prizes"), prizes)] if gathered["prizes"] else []),
        ]

    def _list_minutes(self, gathered: Any) -> list[list[Cell]]:
        read, tournament, known = self._read, self._wanted.head.tournament, gathered["known"]
        rows: list[list[Cell]] = [
            [read("Tournament"), tournament.name],
            [read("Organiser"), tournament.organiser],
            [read("Rules"), tournament.ruleset.name],
            [read("Arbiters"), ", ".join(known.arbiters) if not isinstance(known.arbiters, str) else known.arbiters],
            [read("Players"), len(known.players)],
            [read("Rounds"), len(tournament.played)],
        ]
        parts = ((read("Incidents"), gathered["incidents"]), (read("End of the tournament"), gathered["ending"]))
        for title, entries in parts:
            rows += [[title, ""]] if entries else []
            for entry in entries:
                moment = f"{entry.act.occurred_at.ToDatetime():%Y-%m-%d %H:%M} UTC"
                rows.append([moment, " ".join(filter(None, (entry.said, entry.act.note)))])
        return rows

    def _make_round_sheet(self, answer: pb.GetPairingsResponse) -> Sheet:
        read = self._read
        rows: list[list[Cell]] = [[read("Table"), read("Player"), read("Points"), read("Player"), read("Points")]]
        for table in answer.tables:
            row: list[Cell] = [table.table]
            for seat in table.seats:
                row += [seat.name or seat.player_id, seat.score if table.final else ""]
            rows.append(row)
        return Sheet(f"{read('Round')} {answer.round}", rows)

    async def _make_proof(self) -> Parts:
        found = await self._results.proof(pb.PROOF_SUBJECT_STANDINGS, tournament_id=self._wanted.id)
        return {PROOF_NAME: found.proof.encode()}


def _to_csv(text: str) -> bytes:
    return f"{comma_separated.BYTE_ORDER_MARK}{text}".encode()
