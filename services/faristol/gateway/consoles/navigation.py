"""Consoles that a user can open, by role, with a description of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.access_control.needs import CALLERS, needs_of
from faristol.access_control.roles import ARBITER, DIRECTOR, FEDERATION, MAY_GIVE, PLAYER, SCORER, Role
from faristol.gateway.auth.session import Session
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST, Method
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import needs_pb2
from faristol.pb.pairing.v1.pairing_pb2 import RegisterPlayerRequest
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.ruleset_lookup import is_of_duplicate_games


class ConsoleLink(NamedTuple):
    """Link to a console."""

    name: str
    """Key of the console: ``director``."""
    text: str
    """Label, an English text marked with ``N_``."""
    address: str
    """Address with placeholders for the ``{id}`` of a tournament, its ``{round}`` and the ``{player}``."""
    about: str
    """Description in a sentence."""
    roles: frozenset[Role]
    of_duplicate: bool | None = None
    """True for tournaments of duplicate games only, False for those of tables only, None for all."""


_CONSOLE_LINKS: tuple[ConsoleLink, ...] = (
    ConsoleLink(
        "director",
        N_("Director’s console"),
        "/tournaments/{id}/console",
        N_("Players, rounds, halls, prizes, history."),
        frozenset({DIRECTOR, ARBITER}),
    ),
    ConsoleLink(
        "results",
        N_("Enter results"),
        "/tournaments/{id}/round/{round}/results",
        N_("Table, two scores, Enter."),
        frozenset({DIRECTOR, ARBITER, SCORER}),
        of_duplicate=False,
    ),
    ConsoleLink(
        "collector",
        N_("Type slips"),
        "/tournaments/{id}/duplicate/{id}-r{round}/slips",
        N_("Number, coordinates, word, Enter."),
        frozenset({DIRECTOR, ARBITER, SCORER}),
        of_duplicate=True,
    ),
    ConsoleLink(
        "duplicate-judge",
        N_("Judge of the duplicate game"),
        "/tournaments/{id}/duplicate/{id}-r{round}/judge",
        N_("Racks, time, tops, scores, claims."),
        frozenset({DIRECTOR, ARBITER}),
        of_duplicate=True,
    ),
    ConsoleLink(
        "arbiter",
        N_("Arbiter"),
        "/tournaments/{id}/arbiter",
        N_("Tables that call, clocks, sanctions."),
        frozenset({DIRECTOR, ARBITER}),
        of_duplicate=False,
    ),
    ConsoleLink(
        "judge",
        N_("Judge of words"),
        "/judge",
        N_("Challenges that wait for a ruling."),
        CALLERS[needs_pb2.CALLERS_JUDGES],
    ),
    ConsoleLink(
        "fees",
        N_("Fees"),
        "/tournaments/{id}/fees",
        N_("What each person owes, payments, receipts."),
        CALLERS[needs_pb2.CALLERS_TREASURERS],
    ),
    ConsoleLink(
        "slots",
        N_("Broadcast"),
        "/tournaments/{id}/slots",
        N_("Stream slots, and the tables that annotators claim."),
        CALLERS[needs_pb2.CALLERS_ANNOTATORS],
        of_duplicate=False,
    ),
    ConsoleLink(
        "fair-play",
        N_("Fair play"),
        "/tournaments/{id}/fair-play",
        N_("Plays beside the best plays: a signal, never a verdict."),
        CALLERS[needs_pb2.CALLERS_SUPERVISORS],
        of_duplicate=False,
    ),
    ConsoleLink(
        "access",
        N_("Roles and credentials"),
        "/tournaments/{id}/access",
        N_("Roles, links, PINs and cards for tables."),
        frozenset(role for role, given in MAY_GIVE.items() if given),
    ),
    ConsoleLink(
        "print",
        N_("Print"),
        "/tournaments/{id}/print",
        N_("Pairings, score slips, standings on paper."),
        frozenset({DIRECTOR, ARBITER, FEDERATION}),
    ),
    ConsoleLink(
        "slip",
        N_("My slip"),
        "/duplicate/{id}-r{round}/slip",
        N_("Rack, time, your slip, your sheet and your claims."),
        frozenset({PLAYER}),
        of_duplicate=True,
    ),
    ConsoleLink(
        "find",
        N_("My day"),
        "/tournaments/{id}/my-table",
        N_("Your table, your opponent and your options there."),
        frozenset({PLAYER}),
        of_duplicate=False,
    ),
    ConsoleLink(
        "own-result",
        N_("My result"),
        "/tournaments/{id}/round/{round}/results",
        N_("Confirm the result or report an error, if the organiser allows it."),
        frozenset({PLAYER}),
        of_duplicate=False,
    ),
    ConsoleLink(
        "own",
        N_("My page"),
        "/players/{player}",
        N_("Your games, opponents and ratings."),
        frozenset({PLAYER}),
    ),
)


HELP_PAGES: Mapping[str, str] = {
    "director": "director",
    "start": "director",
    "new": "director",
    "results": "scorer",
    "collector": "duplicate",
    "duplicate-judge": "duplicate",
    "arbiter": "arbiter",
    "judge": "judge",
    "fees": "treasurer",
    "slots": "broadcast",
    "fair-play": "arbiter",
}
"""Page of help of each console."""

HELP_PAGES_OF_PARTS: Mapping[str, str] = {
    **dict.fromkeys(("registration", "presence", "messages", "screens", "prizes"), "day"),
    "halls": "hall",
}
"""Page of help of each part of the director's console that has one of its own."""


def find_help_page(session: Session, console: str) -> str:
    """Return the name of the page of help for a user of a console; empty without a page."""
    if console == "results" and session.credential.role == PLAYER:
        return "player"
    return HELP_PAGES.get(console, "")


def list_console_links(session: Session, tournament: pb.Tournament) -> Iterator[ConsoleLink]:
    """Yield the consoles of a tournament for a user. Those of a round need a paired round."""
    played = tournament.played[-1].round if tournament.played else 0
    of_duplicate = is_of_duplicate_games(tournament)
    for link in _CONSOLE_LINKS:
        if link.of_duplicate not in (None, of_duplicate):
            continue
        if session.credential.role not in link.roles or ("{round}" in link.address and not played):
            continue
        address = link.address.format(id=tournament.tournament_id, round=played, player=session.credential.player_id)
        yield link._replace(address=address)


def may(session: Session, request: type[Message]) -> bool:
    """Check whether the user's role may make a call. The service authorises it in any case."""
    return session.credential.role in callers(METHODS_BY_REQUEST[request])


def may_direct(session: Session) -> bool:
    """Check whether the user may direct tournaments. The federation creates them, but directs none."""
    return may(session, RegisterPlayerRequest)


def may_supervise(session: Session, tournament_id: str) -> bool:
    """Check whether the user is a supervisor of a tournament: an arbiter, a director, the federation."""
    scope = session.credential.scope.tournament_ids
    return session.credential.role in CALLERS[needs_pb2.CALLERS_SUPERVISORS] and (not scope or tournament_id in scope)


@cache
def callers(method: Method) -> frozenset[Role]:
    """Return the roles that may call a method by the contract."""
    return needs_of(method.descriptor).roles
