"""Regenerate the table of `docs/access.md`: `python tests/unit/access_control/access_table.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import ServiceDescriptor

from faristol.access_control.needs import Needs, needs_of
from faristol.access_control.roles import PUBLIC, ROLE_NAMES, Role
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.clock.v1 import clock_pb2 as clock
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_pb2 as duplicate
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.hall.v1 import hall_pb2 as hall
from faristol.pb.lexicon.v1 import adjudication_pb2 as adjudication
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon
from faristol.pb.pairing.v1 import fees_pb2 as fees
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.rating.v1 import federation_pb2 as rating_lists
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.register.v1 import register_pb2 as register
from faristol.pb.results.v1 import careers_pb2 as careers
from faristol.pb.results.v1 import fair_play_pb2 as fair_play
from faristol.pb.results.v1 import push_pb2 as push
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import seasons_pb2 as season_results
from faristol.pb.results.v1 import webhooks_pb2 as webhooks
from faristol.pb.season.v1 import season_pb2 as season

PAGE = Path(__file__).parents[3] / "docs" / "access.md"
HEAD = "## Every method\n\n"
FILES = (
    *(access, game, duplicate, clock, turns, lexicon, adjudication, hall),
    *(
        pairing,
        registration,
        fees,
        rating,
        rating_lists,
        season,
        register,
        results,
        season_results,
        careers,
        fair_play,
        webhooks,
        push,
    ),
)
SERVICES: list[ServiceDescriptor] = [service for file in FILES for service in file.DESCRIPTOR.services_by_name.values()]


def table() -> str:
    """Return every method with its callers and its required scope."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield from ("| method | callers | required scope |", "|---|---|---|")
    for service in SERVICES:
        yield f"| **{service.name}** | | |"
        for method in service.methods:
            needs = needs_of(method)
            yield f"| {method.name} | {_roles(needs.roles)} | {'; '.join(_scope(needs))} |"


def _roles(roles: frozenset[Role]) -> str:
    return "all callers" if PUBLIC in roles else ", ".join(ROLE_NAMES[role] for role in sorted(roles))


def _scope(needs: Needs) -> Iterator[str]:
    for what, paths in (("tournament", needs.tournaments), ("game", needs.games), ("case", (needs.case,))):
        for path in paths if needs.narrowed or not needs.is_public else ():
            if path:
                yield f"{what} `{'.'.join(path)}`"
    if needs.hall:
        yield f"hall `{'.'.join(needs.hall)}`"
    for what, path in (("player", needs.players), ("judge", needs.judge), ("arbiter", needs.arbiter)):
        if path:
            yield f"own {what} `{'.'.join(path)}`"
    for path, roles in needs.narrowed:
        recent = " with a recent sign-in" if path in needs.recent_fields else ""
        yield f"`{'.'.join(path)}` only for {_roles(roles)}{recent}"
    if needs.recent_sign_in:
        yield "recent sign-in"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    PAGE.write_text(f"{text}{HEAD}{table()}", encoding="utf-8")
