"""Answers about the register of persons, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.presentation.register_sentences import describe_act, describe_licence
from faristol.table_terminal.shared.common import columns
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import say, translations

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


def format_persons(
    _request: object, answer: pb.ListRegisteredPersonsResponse, _known: object, language: str
) -> Iterator[str]:
    """Yield a line for each entry: name, id, club, category, rating and licences."""
    rows = [
        [
            each.name or each.person_id,
            each.person_id,
            each.federation_id,
            each.club,
            each.category,
            str(each.rating) if each.HasField("rating") else "–",
            ", ".join(describe_licence(licence, language) for licence in each.licences),
        ]
        for each in answer.persons
    ]
    yield from columns(rows) if rows else [say(NO_PERSONS, {}, language)]
    if len(answer.persons) < answer.total:
        yield say(MORE_PERSONS, {"shown": len(answer.persons), "total": answer.total}, language)


def format_found(_request: object, answer: pb.SearchRegisterResponse, _known: object, language: str) -> Iterator[str]:
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
    yield from columns(rows) if rows else [say(NO_PERSONS, {}, language)]


def format_clubs(_request: object, answer: pb.ListClubsResponse, _known: object, language: str) -> Iterator[str]:
    """Yield a line for each club or school, with its former names and the number of its persons."""
    read, kinds = translations(language).gettext, labels_of(events.ClubKind.DESCRIPTOR)
    rows = [
        [each.name, each.club_id, read(kinds[each.kind]), str(each.persons), ", ".join(each.former_names)]
        for each in answer.clubs
    ]
    yield from columns(rows) if rows else [say(NO_CLUBS, {}, language)]


def format_categories(
    _request: object, answer: pb.GetCategoriesResponse, _known: object, language: str
) -> Iterator[str]:
    """Yield a line for each category of a season, with its ages and the number of its persons."""
    if not answer.categories:
        yield say(NO_CATEGORIES, {}, language)
        return
    yield say(CATEGORIES_OF, {"season": answer.season_id, "year": answer.year}, language)
    rows = [
        [f"  {each.name}", f"{each.min_age}–{each.max_age or ''}", str(persons)]
        for each, persons in zip(answer.categories, answer.persons, strict=True)
    ]
    yield from columns([*rows, [f"  {say(OTHER_PERSONS, {}, language)}", "", str(answer.others)]])


def format_acts(_request: object, answer: pb.ListRegisterActsResponse, _known: object, language: str) -> Iterator[str]:
    """Yield a line for each act: its version, its time, and a sentence."""
    rows = [
        [str(each.version), f"{to_datetime(each.occurred_at):%Y-%m-%d %H:%M}", describe_act(each, language)]
        for each in answer.acts
    ]
    yield from columns(rows) if rows else [say(NO_ACTS, {}, language)]


def format_missing_licences(
    _request: object, answer: pairing.ListMissingLicencesResponse, known: TournamentNames, language: str
) -> Iterator[str]:
    """Yield a line for each player without the required licence."""
    if not answer.required:
        yield say(NO_LICENCE_REQUIRED, {}, language)
        return
    rows = []
    for each in answer.players:
        why = say(EXPIRED_ON, {"day": each.valid_to}, language) if each.valid_to else ""
        why = why if each.is_registered else say(NOT_IN_REGISTER, {}, language)
        rows.append([known.name(each.player_id), why, say(EXCEPTED, {}, language) if each.has_exception else ""])
    yield from columns(rows) if rows else [say(ALL_LICENSED, {"day": answer.day}, language)]
