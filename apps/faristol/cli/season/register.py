"""`faristol register …`: lists of persons, categories by age, and answers about the register as text."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import MAX_CONTRACT_NUMBER
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.federation.people_export import format_register
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of, names_of
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.presentation.register_sentences import describe_act, describe_change, describe_licence
from faristol.table_terminal.shared.common import columns, localize
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import say
from faristol.text.terminal import language_of_terminal
from faristol.typed_input.lists import decoded_content_of
from faristol.typed_input.people_list import PeopleList, read_people

MAX_PEOPLE_LIST_BYTES = 20_000_000
"""Limit of a list in bytes."""
ROW_LINE = N_("{line}: {name}: {status}")
CANDIDATE_LINE = N_("perhaps {name} ({id}, {number})")
EXPIRED_ROW = N_("the licence expired on {day}")
SUMMARY = N_("{new} new, {changed} changed, {same} the same, {doubtful} doubtful, {missing} missing in the list")
WRONG_LINES = N_("These lines cannot be read: mend them, or leave them out with {option}.")
LIST_TAKEN = N_(
    "Taken as act {version}: {entered} new, {changed} changed, {removed} removed. `register undo {version}` undoes it."
)
NOT_A_CATEGORY = N_("{given} is not a category: expected one such as U18=0-17 or Veteran=60-")
NOT_A_LINE = N_("{given} is not the number of a line: expected numbers such as 2,5,9")
NOT_A_DECISION = N_("{given} is not a decision: expected a line and an id, such as 17=anna, or 17= for a new person")
CATEGORIES_SET = N_("The categories of {season} are set.")

ListArgument = Annotated[str, typer.Argument(metavar="LIST", help="File with the list, - for standard input.")]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Encoding of the file; guessed if not given.")]
LinesOption = Annotated[str, typer.Option("--lines", help="Lines to take, such as 2,5,9; all new and changed ones.")]
DecisionOption = Annotated[
    list[str] | None,
    typer.Option("--same-as", help="A doubtful line and its person: 17=anna, or 17= for a new person. Repeatable."),
]
RemoveOption = Annotated[
    str, typer.Option("--remove", help="IDs of missing persons to remove from the register, separated by commas.")
]
NameOption = Annotated[str, typer.Option("--name", help="Name of the list in the history.")]
SkipOption = Annotated[bool, typer.Option("--skip-wrong", help="Leave out lines that cannot be read.")]
DigestOption = Annotated[
    str, typer.Option("--digest", help="Digest of a preview: the import is refused if the register has changed since.")
]
SeasonArgument = Annotated[str, typer.Argument(metavar="SEASON", help="ID of the season.")]
YearOption = Annotated[int, typer.Option("--year", min=0, max=9_999, help="Year in which the ages are counted.")]
CategoriesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="CATEGORY...", help="Categories with their ages: U18=0-17 Veteran=60-. None removes them."),
]


def preview_import(client: Client, file: ListArgument, encoding: EncodingOption = "") -> None:
    """Print what a list would change: new, changed, doubtful and missing persons, and expired licences."""
    language = client.language
    listed = _read(file, encoding, language)
    found = client.answer_to(pb.PreviewImportRequest(rows=listed.rows))
    client.print(to_json(found), _format_preview(found, listed))


def import_list(
    client: Client,
    file: ListArgument,
    encoding: EncodingOption = "",
    lines: LinesOption = "",
    same_as: DecisionOption = None,
    remove: RemoveOption = "",
    name: NameOption = "",
    skip_wrong: SkipOption = False,
    digest: DigestOption = "",
) -> None:
    """Take a list into the register in one act: all new and changed rows, or those of some lines."""
    language = client.language
    listed = _read(file, encoding, language)
    if listed.errors and not skip_wrong:
        wrong = "\n".join(map(str, listed.errors))
        raise StartError(f"{say(WRONG_LINES, {'option': '--skip-wrong'}, language)}\n{wrong}")
    if not digest:
        found = client.answer_to(pb.PreviewImportRequest(rows=listed.rows))
        digest = found.digest
    request = pb.ImportPersonsRequest(
        command_id=str(uuid.uuid4()),
        rows=listed.rows,
        digest=digest,
        name=name or (Path(file).name if file != "-" else ""),
        lines=[_parse_line(each) for each in lines.replace(",", " ").split()],
        decisions=[_parse_decision(each) for each in same_as or ()],
        removed_ids=remove.replace(",", " ").split(),
    )
    taken = client.answer_to(request)
    params = {name: getattr(taken, name) for name in ("version", "entered", "changed", "removed")}
    client.print(to_json(taken), [say(LIST_TAKEN, params, language)])


def export(client: ServiceClient) -> None:
    """Print the register as CSV, the input of `faristol register import`."""
    persons: list[pb.RegisteredPerson] = []
    while True:
        request = pb.ListRegisteredPersonsRequest(offset=len(persons), limit=1_000)
        found = client.answer_to(request)
        persons += found.persons
        if not found.persons or len(persons) >= found.total:
            break
    typer.echo(format_register(persons), nl=False)


def set_categories(
    client: Client, season: SeasonArgument, categories: CategoriesArgument = None, year: YearOption = 0
) -> None:
    """Set the categories by age of a season. A person belongs to the first one with the age."""
    language = client.language
    request = pb.SetCategoriesRequest(
        command_id=str(uuid.uuid4()),
        season_id=season,
        year=year,
        categories=[_parse_category(each) for each in categories or ()],
    )
    answer = client.answer_to(request)
    client.print(to_json(answer), [say(CATEGORIES_SET, {"season": season}, language)])


def _read(file: str, encoding: str, language: str) -> PeopleList:
    """Read a list. Raises ``StartError`` if no line can be read."""
    decoded = decoded_content_of(file, language, MAX_PEOPLE_LIST_BYTES, encoding)
    listed = read_people(decoded.text, language)
    if not listed.rows:
        raise StartError("\n".join(map(str, listed.errors)))
    return listed


def _parse_line(given: str) -> int:
    if not _is_number(given):
        raise StartError(localize(NOT_A_LINE, given=repr(given)))
    return int(given)


def _is_number(given: str) -> bool:
    """Check whether a text is a number that fits a field of the contract."""
    return given.isdecimal() and int(given) <= MAX_CONTRACT_NUMBER


def _parse_decision(given: str) -> pb.RowDecision:
    line, sign, person_id = given.partition("=")
    if not sign or not _is_number(line.strip()):
        raise StartError(localize(NOT_A_DECISION, given=repr(given)))
    return pb.RowDecision(line=int(line), person_id=person_id.strip())


def _parse_category(given: str) -> events.AgeCategory:
    name, sign, ages = given.partition("=")
    least, dash, most = ages.partition("-")
    numbers = [least.strip() or "0", most.strip() or "0"]
    if not (sign and dash and name.strip() and all(map(_is_number, numbers))):
        raise StartError(localize(NOT_A_CATEGORY, given=repr(given)))
    return events.AgeCategory(name=name.strip(), min_age=int(numbers[0]), max_age=int(numbers[1]))


def _format_preview(found: pb.PreviewImportResponse, listed: PeopleList) -> Iterator[str]:
    statuses = labels_of(pb.RowStatus.DESCRIPTOR)
    doubts = labels_of(pb.RowDoubt.DESCRIPTOR)
    for row in found.rows:
        if row.status == pb.ROW_STATUS_SAME and not row.expired_on:
            continue
        status = localize(statuses[row.status])
        if row.doubt:
            status = f"{status} ({localize(doubts[row.doubt])})"
        who = f"{row.name} ({row.person_id})" if row.person_id else row.name
        yield localize(ROW_LINE, line=row.line or "–", name=who, status=status)
        yield from (f"    {describe_change(change, language_of_terminal())}" for change in row.changes)
        yield from _format_candidates(row.candidates)
        if row.expired_on:
            yield f"    {localize(EXPIRED_ROW, day=row.expired_on)}"
    count = Counter[int](row.status for row in found.rows)
    yield localize(SUMMARY, **{name: count[number] for name, number in names_of(pb.RowStatus.DESCRIPTOR).items()})
    yield from map(str, listed.errors)
    yield f"--digest {found.digest}"


def _format_candidates(candidates: Sequence[pb.RowCandidate]) -> Iterator[str]:
    for each in candidates:
        params = {"name": each.name, "id": each.person_id, "number": each.federation_id or each.club or "–"}
        yield f"    {localize(CANDIDATE_LINE, **params)}"


NO_PERSONS = N_("No person was found in the register.")
MORE_PERSONS = N_("{shown} of {total} persons are shown.")
NO_CLUBS = N_("The register has no clubs.")
NO_CATEGORIES = N_("The season has no categories.")
CATEGORIES_OF = N_("Categories of {season}, by the age in {year}:")
OTHER_PERSONS = N_("without a category")
NO_ACTS = N_("The register has no history yet.")
NO_LICENCE_REQUIRED = N_("No licence is required.")
ALL_LICENSED = N_("All players have a licence that is valid on {day}.")
NOT_IN_REGISTER = N_("not in the register")
EXPIRED_ON = N_("expired on {day}")
EXCEPTED = N_("exception granted")


def format_persons(answer: pb.ListRegisteredPersonsResponse) -> Iterator[str]:
    """Yield a line for each entry: name, id, club, category, rating and licences."""
    rows = [
        [
            each.name or each.person_id,
            each.person_id,
            each.federation_id,
            each.club,
            each.category,
            str(each.rating) if each.HasField("rating") else "–",
            ", ".join(describe_licence(licence, language_of_terminal()) for licence in each.licences),
        ]
        for each in answer.persons
    ]
    yield from columns(rows) if rows else [localize(NO_PERSONS)]
    if len(answer.persons) < answer.total:
        yield localize(MORE_PERSONS, shown=len(answer.persons), total=answer.total)


def format_found(answer: pb.SearchRegisterResponse) -> Iterator[str]:
    """Yield a line for each person that can be registered in a tournament."""
    rows = [
        [
            each.name,
            each.person_id,
            each.club,
            each.category,
            str(each.rating) if each.HasField("rating") else "–",
            each.licence_to,
        ]
        for each in answer.persons
    ]
    yield from columns(rows) if rows else [localize(NO_PERSONS)]


def format_clubs(answer: pb.ListClubsResponse) -> Iterator[str]:
    """Yield a line for each club or school, with its former names and the number of its persons."""
    kinds = labels_of(events.ClubKind.DESCRIPTOR)
    rows = [
        [each.name, each.club_id, localize(kinds[each.kind]), str(each.persons), ", ".join(each.former_names)]
        for each in answer.clubs
    ]
    yield from columns(rows) if rows else [localize(NO_CLUBS)]


def format_categories(answer: pb.GetCategoriesResponse) -> Iterator[str]:
    """Yield a line for each category of a season, with its ages and the number of its persons."""
    if not answer.categories:
        yield localize(NO_CATEGORIES)
        return
    yield localize(CATEGORIES_OF, season=answer.season_id, year=answer.year)
    rows = [
        [f"  {each.name}", f"{each.min_age}–{each.max_age or ''}", str(persons)]
        for each, persons in zip(answer.categories, answer.persons, strict=True)
    ]
    yield from columns([*rows, [f"  {localize(OTHER_PERSONS)}", "", str(answer.others)]])


def format_acts(answer: pb.ListRegisterActsResponse) -> Iterator[str]:
    """Yield a line for each act: its version, its time, and a sentence."""
    rows = [
        [
            str(each.version),
            f"{to_datetime(each.occurred_at):%Y-%m-%d %H:%M}",
            describe_act(each, language_of_terminal()),
        ]
        for each in answer.acts
    ]
    yield from columns(rows) if rows else [localize(NO_ACTS)]


def format_missing_licences(answer: pairing.ListMissingLicencesResponse, known: TournamentNames) -> Iterator[str]:
    """Yield a line for each player without the required licence."""
    if not answer.required:
        yield localize(NO_LICENCE_REQUIRED)
        return
    rows = []
    for each in answer.players:
        why = localize(EXPIRED_ON, day=each.valid_to) if each.valid_to else ""
        why = why if each.is_registered else localize(NOT_IN_REGISTER)
        rows.append([known.name(each.player_id), why, localize(EXCEPTED) if each.has_exception else ""])
    yield from columns(rows) if rows else [localize(ALL_LICENSED, day=answer.day)]
