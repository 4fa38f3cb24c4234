"""`faristol shadow`: a tournament of another program, followed and compared with the rules and with the one here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.contract import call
from faristol.cli.tournament.takeover import WHICH_DIVISION, read_options
from faristol.gateway.api.downloads import load_tournament_file
from faristol.gateway.rpc.results import Results
from faristol.host import StartError
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.other_programs.imported_rounds import find_bye_spread
from faristol.rating.systems import SYSTEMS_BY_NAME
from faristol.rules import Ruleset, RulesetError, load_ruleset, with_options
from faristol.rules.tournament_files import TournamentFile
from faristol.shadow.comparison import ClosedRounds, compare, list_closed
from faristol.shadow.difference import Difference, DifferenceKind, Sentence
from faristol.shadow.memory import Memory, find_memory_file, load_memory, save_memory
from faristol.shadow.ratings import NO_COMPARED_RATINGS, RatingComparison, compare_ratings
from faristol.shadow.replay import COMPARED_SYSTEMS, Plan
from faristol.shadow.sentences import describe_difference, to_data
from faristol.shadow.sources import Reader, Reading, Unavailable, open_source
from faristol.table_terminal.shared.common import localize, print_answer
from faristol.text import SOURCE, say
from faristol.text.terminal import language_of_terminal
from faristol.tournament.administration.shadows import MAX_EXAMPLES_COUNT

NO_SYSTEM = "none"

UNREADABLE_PLACE = N_("{file}: {problem}")
UNAVAILABLE = N_("{place} cannot be read now: {problem}")
AGREES = N_("{place}: {players} players, {complete} complete rounds, no difference.")
DIFFERS = N_("{place}: {players} players, {complete} complete rounds, {count} {count:difference|differences}.")
SETTLED = N_("no longer: {difference}")
UNKNOWN_SYSTEM = N_("--system: expected one of {known}, found {found}")
UNKNOWN_RATING_SYSTEM = N_("--rating-system: expected one of {known}, found {found}")
UNKNOWN_RULES = N_("{ruleset} with these options: {problem}")

Place = Annotated[
    str,
    typer.Argument(
        metavar="DIR|FILE|URL",
        help="Folder of tsh; a .t, .tou, TRF or CSV file; their address; or the page of a tournament of Faristol.",
    ),
]


def shadow(
    client: Client,
    place: Place,
    tournament: Annotated[
        str, typer.Option(help="The tournament here to compare with, which gets the report. Default: only the rules.")
    ] = "",
    division: Annotated[str, typer.Option(help="Division of the file, if it has several.")] = "",
    ruleset: Annotated[str, typer.Option(help="Rules of the standings.")] = "fise",
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the rules, such as tie_breaks=spread.")
    ] = None,
    system: Annotated[
        str,
        typer.Option(
            help="System that pairs again: dutch, swiss, classification, king-of-the-hill, or none. "
            "Default: dutch for a TRF file, else none."
        ),
    ] = "",
    rating_system: Annotated[
        str,
        typer.Option(
            help="System of the ratings after the rounds, as `faristol rating systems` lists them, or none. "
            "Default: that which the source names."
        ),
    ] = "",
    once: Annotated[bool, typer.Option("--once", help="Compare once; exit code 1 if there is a difference.")] = False,
    interval: Annotated[float, typer.Option(min=1.0, max=3600.0, help="Seconds between two readings.")] = 5.0,
    memory_file: Annotated[
        Path | None, typer.Option("--state", help="File for the state between readings; default: in the state folder.")
    ] = None,
) -> None:
    """Follow a tournament of another program, and list its differences: from the rules, and from the tournament here.

    The files are only read. One that is half written is read again. The state between two readings is stored, so that
    a restart goes on where the program stopped.
    """
    if system and system not in (*COMPARED_SYSTEMS, NO_SYSTEM):
        known = ", ".join((*COMPARED_SYSTEMS, NO_SYSTEM))
        raise typer.BadParameter(localize(UNKNOWN_SYSTEM, known=known, found=system))
    if rating_system and rating_system not in (*SYSTEMS_BY_NAME, NO_COMPARED_RATINGS):
        known = ", ".join((*SYSTEMS_BY_NAME, NO_COMPARED_RATINGS))
        raise typer.BadParameter(localize(UNKNOWN_RATING_SYSTEM, known=known, found=rating_system))
    file = memory_file or find_memory_file(place)
    rules = _load_rules(ruleset, option or ())
    reader, memory = Reader(open_source(place)), load_memory(file)
    follower = Follower(reader, rules, division, system, tournament, client, memory, rating_system)
    while True:
        try:
            found = follower.compare(follower.reader.read())
        except (Unavailable, StartError) as error:  # the source, or the services here
            is_source = isinstance(error, Unavailable)
            text = localize(UNAVAILABLE, place=place, problem=str(error)) if is_source else str(error)
            if once:
                raise StartError(text) from None
            typer.echo(text, err=True)
        else:
            if once or follower.has_news:
                _print(follower, found, json_output=client.json_output, is_single=once)
            save_memory(file, follower.memory)
            if once:
                raise typer.Exit(1 if found else 0)
        follower.reader.source.wait(interval)


def _load_rules(name: str, options: Sequence[str]) -> tuple[Ruleset, bool]:
    """Return the rules with their options, and whether these have the spread of a bye."""
    given = read_options(options)
    try:
        return with_options(load_ruleset(name), given), "bye_spread" in given
    except (LookupError, RulesetError, Refusal, Invalid) as error:
        raise typer.BadParameter(localize(UNKNOWN_RULES, ruleset=name, problem=str(error))) from None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of one reading."""

    differences: list[Difference]
    closed: ClosedRounds
    """Rounds with all results."""
    rounds: int = 0
    program: str = "unknown"
    """Format of the files."""


class Follower:
    """The comparison of one source, reading by reading."""

    def __init__(
        self,
        reader: Reader,
        rules: tuple[Ruleset, bool],
        division: str,
        system: str,
        tournament: str,
        client: ServiceClient,
        memory: Memory,
        rating_system: str = "",
    ) -> None:
        self.reader = reader
        self.memory = memory
        self.division = division
        self.system = system
        self.rating_system = rating_system
        self.ratings: RatingComparison | None = None
        self.tournament = tournament
        self.client = client
        self.ruleset, self.has_bye_spread = rules
        self.has_news = self.is_first = True
        self.new: list[str] = []
        self.settled: list[str] = []
        self.shown: dict[str, str] = {}
        self.counts = (0, 0)
        self._compared: tuple[str, TournamentFile | None] | None = None
        self._differences: list[Difference] = []

    def compare(self, reading: Reading) -> list[Difference]:
        """Return the differences of a reading, report them if they changed, and remember them."""
        tournament_id, here = self._load_here()
        if self._compared == (reading.digest, here):
            self.new, self.settled, self.has_news = [], [], False
            return self._differences
        found = self._find(reading, here)
        self._differences = found.differences
        texts = self._update_news(found.differences)
        digest = sha256("\n".join((reading.digest, *texts)).encode()).hexdigest()
        if tournament_id and self.memory.reported != digest:
            self._report(tournament_id, here, found, reading.digest)
            self.memory = replace(self.memory, reported=digest)
        self.memory = replace(self.memory, digest=reading.digest, closed=found.closed, texts=texts)
        self._compared = (reading.digest, here)
        return found.differences

    def _update_news(self, found: Sequence[Difference]) -> tuple[str, ...]:
        """Set the new and the settled differences, and return all as English texts."""
        texts = tuple(describe_difference(each, SOURCE) for each in found)
        language = language_of_terminal()
        shown = dict(zip(texts, (describe_difference(each, language) for each in found), strict=True))
        self.new = [shown[text] for text in texts if text not in self.memory.texts]
        self.settled = [self.shown.get(text, text) for text in self.memory.texts if text not in shown]
        self.shown = shown
        self.has_news, self.is_first = bool(self.new or self.settled) or self.is_first, False
        return texts

    def _find(self, reading: Reading, here: TournamentFile | None) -> Comparison:
        if reading.read is None:
            assert reading.problem is not None
            problem = reading.problem
            text = say(problem.problem, problem.params, language_of_terminal())
            sentence = Sentence(UNREADABLE_PLACE, {"file": problem.place, "problem": text})
            return Comparison([Difference(DifferenceKind.UNREADABLE, sentence)], self.memory.closed)
        tournament = reading.read.tournament.choose_division(self.division)
        if tournament is None:
            divisions = reading.read.tournament.name_divisions()
            raise typer.BadParameter(localize(WHICH_DIVISION, divisions=divisions))
        read = replace(reading.read, tournament=tournament)
        division = tournament.divisions[0]
        self.counts = len(division.players), division.complete_rounds
        ruleset = self.ruleset
        if not self.has_bye_spread and (spread := find_bye_spread(division)):
            ruleset = replace(ruleset, championship=replace(ruleset.championship, bye_spread=spread))
        system = self.system or ("dutch" if read.document is not None else NO_SYSTEM)
        plan = Plan(ruleset, "" if system == NO_SYSTEM else system, self.rating_system)
        self.ratings = compare_ratings(tournament, self.rating_system)
        found = compare(read, plan, here, self.memory.closed)
        return Comparison(found, list_closed(division), division.rounds, tournament.program)

    def _load_here(self) -> tuple[str, TournamentFile | None]:
        """Return the tournament here with its id; an empty id without one."""
        if not self.tournament:
            return "", None

        async def ask(results: Results, tournament_id: str) -> tuple[str, TournamentFile]:
            found, _ = await load_tournament_file(results, tournament_id)
            return tournament_id, found

        return self.client.ask_results(self.tournament, ask, SOURCE, self.client.language)

    def _report(self, tournament_id: str, here: TournamentFile | None, found: Comparison, digest: str) -> None:
        players = here.divisions[0].players if here else ()
        id_of = {player.name: player.player_id for player in players}
        examples = [
            events.ShadowDifference(kind=each.kind.value, round=each.round, player_id=id_of.get(each.name, ""))
            for each in found.differences[:MAX_EXAMPLES_COUNT]
        ]
        request = pairing.ReportShadowRequest(
            tournament_id=tournament_id,
            program=found.program,
            digest=digest,
            rounds=found.rounds,
            differences=len(found.differences),
            examples=examples,
        )
        call(self.client, "ReportShadow", request)


def _print(follower: Follower, found: Sequence[Difference], *, json_output: bool, is_single: bool) -> None:
    """Print a comparison: all differences of a single one, else the new and the settled ones."""
    language = language_of_terminal()
    players, complete = follower.counts
    text, place = DIFFERS if found else AGREES, follower.reader.source.name
    head = localize(text, place=place, players=players, complete=complete, count=len(found))
    if is_single:
        lines = [f"- {describe_difference(each, language)}" for each in found]
    else:
        lines = [f"+ {text}" for text in follower.new]
        lines += [f"  {localize(SETTLED, difference=text)}" for text in follower.settled]
    content = {
        "source": place,
        "digest": follower.memory.digest,
        "players": players,
        "complete_rounds": complete,
        "differences": [to_data(each, language) for each in found],
    }
    if (ratings := follower.ratings) is not None:
        note = say(ratings.note.message, ratings.note.params, language)
        lines.append(note)
        content["ratings"] = {
            "system": ratings.system or None,
            "compared": ratings.compared,
            "left_out": ratings.left_out,
            "text": note,
        }
    print_answer(content, [*lines, head], json_output=json_output, indent=2 if is_single else None)
