"""Queries of tournaments, their players and teams."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date
from zoneinfo import ZoneInfo

from faristol.host.held_events import hears_late
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import content_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.names import begins
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.names import search_words
from faristol.read_models.api import answers
from faristol.read_models.api.page import page
from faristol.read_models.api.queries.messages import load_messages
from faristol.read_models.computed import standings
from faristol.read_models.storage import history, lookup
from faristol.read_models.storage.history import Moment
from faristol.read_models.storage.lookup import Found, Listing, Part
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.names import load_people
from faristol.rules.clockwork import round_ms

DIGEST = re.compile(r"[0-9a-f]{64}")


async def list_tournaments(
    models: ReadModels, request: results.ListTournamentsRequest, context: Context
) -> results.ListTournamentsResponse:
    """List all tournaments, the latest first."""
    if moment := await models.moment(request):
        listing = await history.tournaments(models.record, moment)
        listing = await _fold_again(models, listing, await _find_moments(models, listing))
    else:
        await models.reach(request.min_position, context)
        listing = await _list_as_told(models, await lookup.tournaments(models.record))
    found = [each for each in listing.tournaments if request.archived or not each.archived]
    wanted = search_words(request.search)
    if request.search.strip() and not wanted:
        found = []  # a search text without a word finds no tournament
    elif wanted:
        found = [each for each in found if begins(wanted, search_words(f"{each.name} {each.division}"))]
    first, last = days_between(request)
    found = [each for each in found if _is_wanted(each, request.state, first, last)]
    shown, following = page(found, request.page_size, request.page_token)
    await listing.add_words(models.record, shown)
    return results.ListTournamentsResponse(
        tournaments=shown, position=listing.position, next_page_token=following, total=len(found)
    )


async def _list_as_told(models: ReadModels, listing: Listing) -> Listing:
    """Return the present tournaments as the caller may know them."""
    late = {each.id: await models.moment_told(each.tournament, listing.position) for each in listing.of.values()}
    return await _fold_again(models, listing, {each: moment for each, moment in late.items() if moment})


async def _find_moments(models: ReadModels, listing: Listing) -> dict[str, Moment]:
    """Return the moments, of past tournaments with a delay, that the caller may know."""
    await models.delays.read(models.record)
    return {
        each: await history.as_told(models.record, each, Moment(listing.position))
        for each, begun in models.delays.starts.items()
        if each in listing.of and begun <= listing.position and hears_late(each)
    }


async def _fold_again(models: ReadModels, listing: Listing, moments: Mapping[str, Moment]) -> Listing:
    """Return a listing with some tournaments as of other moments."""
    if not moments:
        return listing
    found = dict(listing.of)
    for each, moment in moments.items():
        if lookup.is_made(found[each].tournament):
            found[each] = (await history.tournament(models.record, each, moment)).of
    return lookup.build_listing(found, listing.position)


def days_between(request: results.ListTournamentsRequest) -> tuple[str, str]:
    """Return the first and the last day of the filter; each is empty if it is not given.

    Raises ``Invalid`` for an invalid day, and for a last day before the first.
    """
    first, last = _day("from", getattr(request, "from")), _day("until", request.until)
    if first and last and last < first:
        raise Invalid(
            "until", N_("is before from: expected {first} or later, got {last}"), {"first": first, "last": last}
        )
    return first, last


def _day(field: str, given: str) -> str:
    """Return a day as given; empty for none. Raises ``Invalid`` for an invalid day."""
    try:
        return date.fromisoformat(given).isoformat() if given else ""
    except ValueError:
        raise Invalid(
            field, N_("expected a date such as 2026-11-28, got {given}"), {"given": repr(given[:40])}
        ) from None


def _is_wanted(tournament: results.Tournament, state: results.TournamentState.ValueType, first: str, last: str) -> bool:
    """Check whether a tournament has a state and is played between two days; empty filters accept all."""
    if state and state != tournament.state:
        return False
    if not first and not last:
        return True
    begins, ends = _days_of(tournament)
    return (not first or ends >= first) and (not last or begins <= last)


def _days_of(tournament: results.Tournament) -> tuple[str, str]:
    """Return the first and the last day, in its time zone: as specified, else of its rounds, else of its creation."""
    if tournament.starts_on:
        return tournament.starts_on, tournament.ends_on or tournament.starts_on
    zone = ZoneInfo(tournament.time_zone or "UTC")
    times = [each.starts_at for each in tournament.announced]
    times += [each.started_at for each in tournament.played if each.HasField("started_at")]
    days = sorted(each.ToDatetime(UTC).astimezone(zone).date().isoformat() for each in times or [tournament.created_at])
    return days[0], days[-1]


async def get_tournament(
    models: ReadModels, request: results.GetTournamentRequest, context: Context
) -> results.GetTournamentResponse:
    """Return a tournament with the phases of its rounds, and the public messages that are shown now."""
    return await describe_tournament(models, await models.find_tournament(request, context, history.tournament))


async def describe_tournament(models: ReadModels, found: Found) -> results.GetTournamentResponse:
    """Return a tournament with its texts, the ends of its rounds, and the public messages that are shown now."""
    answer = results.GetTournamentResponse(tournament=found.tournament, position=found.position)
    await lookup.add_words(models.record, [(answer.tournament, found.head)])
    answer.messages.extend(await load_messages(models.record, found.head, models.now_ns()))
    try:
        length = round_ms(standings.rules_of(found.head))
    except Refusal:  # the rules are no longer installed
        return answer
    if length is None:
        return answer
    for round_ in answer.tournament.played:
        if round_.HasField("started_at"):
            round_.ends_at.FromMilliseconds(round_.started_at.ToMilliseconds() + length)
    for each in answer.tournament.announced:
        each.ends_at.FromMilliseconds(each.starts_at.ToMilliseconds() + length)
    return answer


async def list_players(
    models: ReadModels, request: results.ListPlayersRequest, context: Context
) -> results.ListPlayersResponse:
    """List players with their ratings."""
    found = await models.find_tournament(request, context, history.players, Part.PLAYERS | Part.TEAMS)
    people = await load_people(models.record, found.of.players)
    answer = answers.players(found.of, people, request.page_size, request.page_token)
    answer.position = found.position
    return answer


async def list_teams(
    models: ReadModels, request: results.ListTeamsRequest, context: Context
) -> results.ListTeamsResponse:
    """List teams with their line-ups."""
    found = await models.find_tournament(request, context, history.players, Part.TEAMS)
    registered = answers.teams(found.of)
    listed, following = page(registered, request.page_size, request.page_token)
    await models.name([member for team in listed for member in team.line_up], request.tournament_id)
    return results.ListTeamsResponse(
        teams=listed,
        position=found.position,
        division=found.head.division,
        next_page_token=following,
        total=len(registered),
    )


async def get_ruleset(
    models: ReadModels, request: results.GetRulesetRequest, context: Context
) -> results.GetRulesetResponse:
    """Return the rules that some tournament pins, as they were when it did."""
    if not DIGEST.fullmatch(request.digest):
        raise Invalid("digest", N_("expected 64 characters of 0-9 and a-f"))
    content = await content_of(models.record, request.digest)
    if not content:
        raise NotFound("ruleset", request.digest)
    return results.GetRulesetResponse(content=content)
