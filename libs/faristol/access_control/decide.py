"""The check of a credential against the requirements of a call. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from google.protobuf.message import Message

from faristol.access_control.credential import Credential
from faristol.access_control.errors import Denied, Unauthenticated
from faristol.access_control.needs import Needs, values, values_of_all
from faristol.access_control.roles import (
    ANNOTATOR,
    ARBITER,
    DIRECTOR,
    FEDERATION,
    HALL,
    JUDGE,
    PLAYER,
    PUBLIC,
    ROLE_NAMES,
    SCORER,
)
from faristol.kernel.errors import NotFound
from faristol.kernel.refusal import N_

SIGN_IN_TOO_OLD = N_(
    "this cannot be undone, so it requires a sign-in within the last {minutes} {minutes:minute|minutes}: sign in again "
    "under Your account, or at a terminal with `faristol access sign-in`, then repeat it"
)
NO_CREDENTIAL = N_("this requires a credential with one of the roles {roles}; the call has none")


@dataclass(frozen=True, slots=True)
class GamePlace:
    """The place and the players of a game; for a case, those of its game."""

    tournament: str
    hall: str
    """Empty if the tournament has no halls."""
    table: int
    """Number of the table, from 1."""
    players: frozenset[str]
    language: str = ""
    """Language of the words of a case."""
    everywhere: bool = False
    """True for a duplicate game, which all players of the tournament play, in every hall."""


@dataclass(frozen=True, slots=True)
class Places:
    """The games and cases that a request names, by their ids; unknown ids are omitted."""

    games: Mapping[str, GamePlace] = field(default_factory=dict)
    cases: Mapping[str, GamePlace] = field(default_factory=dict)


def check_role(credential: Credential | None, needs: Needs, request: Message) -> None:
    """Check the role, before any look-up in the record.

    Raises ``Unauthenticated`` if a credential is required and missing, ``Denied`` if the role is not sufficient.
    """
    wanted = [needs.roles, *(roles for path, roles in needs.narrowed if values(request, path))]
    for roles in wanted:
        if PUBLIC in roles:
            continue
        names = {"roles": ", ".join(sorted(ROLE_NAMES[role] for role in roles))}
        if credential is None:
            raise Unauthenticated("NO_CREDENTIAL", NO_CREDENTIAL, names)
        if credential.role not in roles:
            text = N_("the role {role} is not permitted to do this; expected one of {roles}")
            raise Denied("ROLE_MAY_NOT", text, {"role": credential.role_name, **names})


def check_scope(credential: Credential | None, needs: Needs, request: Message, places: Places) -> None:
    """Check that the scope of the credential includes everything that the request names.

    Unknown games and cases are left to the call itself. Raises ``Denied``; for a case out of scope ``NotFound``, as for
    an unknown case.
    """
    if credential is None or (needs.is_public and not any(values(request, path) for path, _ in needs.narrowed)):
        return
    for game in values_of_all(request, needs.games):
        if place := places.games.get(game):
            if place.everywhere:
                halls = values(request, needs.hall) if needs.hall else None
                _check_everywhere(credential, game, place, halls, reads=needs.is_public)
            else:
                _check_game(credential, game, place)
    for case in values_of_all(request, (needs.case,)):
        if (place := places.cases.get(case)) and not may_judge(credential, place):
            raise NotFound("case", case)
    _check_tournaments(credential, needs, request, places)
    _check_persons(credential, needs, request)


def check_recent(
    credential: Credential | None, needs: Needs, request: Message, now: datetime, limit: timedelta
) -> None:
    """Check that the caller of a command that cannot be undone has signed in recently.

    ``limit`` is the age of a sign-in that is still recent; 0 for no check. Raises ``Denied``.
    """
    if needs.recent_sign_in or any(values(request, path) for path in needs.recent_fields):
        check_sign_in(credential, now, limit)


def check_sign_in(credential: Credential | None, now: datetime, limit: timedelta) -> None:
    """Check that a caller has signed in within ``limit``, if that is not 0. Raises ``Denied``."""
    if credential is not None and limit and now - credential.signed_in > limit:
        raise Denied("SIGN_IN_TOO_OLD", SIGN_IN_TOO_OLD, {"minutes": int(limit / timedelta(minutes=1))})


def may_judge(credential: Credential, place: GamePlace) -> bool:
    """Check whether the holder may judge a case: it is in their scope and languages, and is not their own game."""
    scope = credential.scope
    in_scope = scope.holds_table(place.tournament, place.hall, place.table)
    in_language = not scope.languages or place.language in scope.languages
    return in_scope and in_language and not _is_own(credential, place)


def may_know(credential: Credential, tournament: str, place: GamePlace | None, *, of_case: bool) -> bool:
    """Check whether the holder may receive a notification for officials.

    ``place`` is that of a game or case; None stands for the whole tournament, which arbiters, directors and federations
    receive. A notification of a case goes to holders who may judge it, except scorers.
    """
    if of_case:
        return place is not None and credential.role != SCORER and may_judge(credential, place)
    if place is None:
        return credential.role in (ARBITER, DIRECTOR, FEDERATION) and credential.scope.touches(tournament)
    in_scope = credential.scope.holds_table(place.tournament, place.hall, place.table)
    return in_scope and credential.role != JUDGE and not _is_own(credential, place)


def _is_own(credential: Credential, place: GamePlace) -> bool:
    return credential.role in (ARBITER, JUDGE) and credential.player in place.players


def _check_not_own(credential: Credential, game: str, place: GamePlace) -> None:
    if _is_own(credential, place):
        raise Denied(
            "OWN_GAME", N_("a player cannot be the arbiter or judge of their own game: {game}"), {"game": game}
        )


def _check_game(credential: Credential, game: str, place: GamePlace) -> None:
    _check_not_own(credential, game, place)
    theirs = credential.role != PLAYER or credential.player in place.players
    if not theirs or not credential.scope.holds_table(place.tournament, place.hall, place.table):
        raise Denied("OUT_OF_SCOPE", N_("the credential does not cover game {game}"), {"game": game})


def _check_everywhere(
    credential: Credential, game: str, place: GamePlace, halls: list[str] | None, *, reads: bool
) -> None:
    """Check a duplicate game: a holder limited to halls acts only in those.

    A request without a hall requires the whole tournament. ``reads``: the answer is public, at the end of an embargo.
    """
    if not reads:
        _check_not_own(credential, game, place)
    scope = credential.scope
    if reads:
        held = scope.touches(place.tournament)
    elif credential.role == PLAYER or halls is not None:
        held = scope.touches(place.tournament) and (not scope.halls or scope.halls.issuperset(halls or ("",)))
    else:
        held = scope.holds(place.tournament)
    if not held:
        raise Denied("OUT_OF_SCOPE", N_("the credential does not cover game {game}"), {"game": game})


def _check_tournaments(credential: Credential, needs: Needs, request: Message, places: Places) -> None:
    scope = credential.scope
    games = values_of_all(request, needs.games)
    of_games = {places.games[game].tournament if game in places.games else "" for game in games}
    for path in needs.tournaments:
        named = values(request, path)
        if not named and scope.tournaments:
            # An unset field names no tournament; it must not bypass a scope that is limited to tournaments.
            text = N_("{field} is empty; this credential is limited to tournaments")
            raise Denied("OUT_OF_SCOPE", text, {"field": path[-1]})
        for tournament in named:
            # A command at a table needs only that table in scope, if the table belongs to the named tournament. The
            # cell of a hall reads events that officials of the tournament do not, so its hall must be in scope too.
            is_query = not needs.is_command and credential.role != HALL
            enough = is_query or credential.role == PLAYER or of_games == {tournament}
            halls = values(request, needs.hall) if needs.hall and not needs.games else []
            in_hall = bool(halls) and scope.holds_halls(tournament, halls)
            if not (scope.touches(tournament) if enough else in_hall or scope.holds(tournament)):
                text = N_("the credential does not cover tournament {tournament}")
                raise Denied("OUT_OF_SCOPE", text, {"tournament": tournament})


def _check_persons(credential: Credential, needs: Needs, request: Message) -> None:
    if credential.role == PLAYER:
        if needs.players and values(request, needs.players) != [credential.player]:
            text = N_("a player can act only for themselves: the credential is for player {player}")
            raise Denied("OTHER_PLAYER", text, {"player": credential.player})
        if needs.occurred_at and values(request, needs.occurred_at):
            raise Denied("DATED_BY_PLAYER", N_("a player cannot set the time of an action; omit occurred_at"))
    bound = (
        *((JUDGE, needs.judge), (ARBITER, needs.judge)),
        *((ARBITER, needs.arbiter), (SCORER, needs.arbiter), (ANNOTATOR, needs.arbiter)),
    )
    for role, path in bound:
        if credential.role == role and path and any(value != credential.subject for value in values(request, path)):
            text = N_("{field} is not the caller, {subject}")
            raise Denied("OTHER_PERSON", text, {"field": path[-1], "subject": credential.subject})
