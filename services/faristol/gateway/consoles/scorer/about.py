"""Static data of a game for its scripts: players, rules and the rights of the user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message
from markupsafe import Markup

from faristol.access_control.roles import ROLE_NAMES
from faristol.gateway.auth.session import Session
from faristol.gateway.consoles.forms import list_fields
from faristol.gateway.consoles.navigation import may
from faristol.gateway.consoles.scorer.words import in_language
from faristol.gateway.live.page_updates import of_page
from faristol.gateway.rpc.calls import METHODS_BY_REQUEST
from faristol.host.ruleset_store import ruleset_of
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.page_addresses import game_path
from faristol.presentation.table_commands import TABLE_COMMANDS
from faristol.rules import Ruleset
from faristol.rules.board import BOARD_SIZE, PREMIUMS, ROW_NAMES, Square
from faristol.rules.look_alikes import look_alikes_of, twins_of
from faristol.rules.tiles import BLANK
from faristol.typed_input.fields import Kind

REQUESTS = [each for each in METHODS_BY_REQUEST if each.DESCRIPTOR.file in (game_pb2.DESCRIPTOR, clock_pb2.DESCRIPTOR)]
"""Requests of a table and its clock."""


def about(game: pb.GetGameResponse, session: Session, language: str) -> dict[str, Any]:
    """Return the data that do not change during a game. Raises ``Refusal`` for unknown rules."""
    ruleset = ruleset_of(game.ruleset)
    return {
        "game": game.game_id,
        "tournament": game.tournament_id,
        "round": game.round,
        "table": game.table,
        "players": [{"id": seat.player_id, "name": seat.name or seat.player_id} for seat in game.seats],
        "arbiter": session.credential.subject_id,
        "role": ROLE_NAMES[session.credential.role],
        "may": [METHODS_BY_REQUEST[request].name for request in REQUESTS if may(session, request)],
        "news": of_page("game.html"),
        "pages": {"keep": game_path(game.game_id, "keep"), "clock": game_path(game.game_id, "clock")},
        "rules": rules(ruleset),
        "fields": {
            method.name: list(_fields(request, ruleset))
            for request, method in METHODS_BY_REQUEST.items()
            if method.name in TABLE_COMMANDS
        },
        **in_language(language),
    }


def _fields(request: type[Message], ruleset: Ruleset) -> Iterator[dict[str, Any]]:
    """Yield the fields of the form of a command, without the player, whom the offer names.

    Arguments of an appeal can be hidden only if the book allows it (FISE 42.4).
    """
    for field in list_fields(request):
        if field.name == "arguments_hidden" and not ruleset.challenge.arguments_hidden:
            continue
        if field.kind not in (Kind.PLAYER, Kind.PERSON, Kind.PARTS):
            yield {"name": field.name, "kind": field.kind, "optional": field.optional}


def tiles_and_squares(ruleset: Ruleset) -> dict[str, Any]:
    """Return the data to draw tiles and squares, and to recognise the letters of one tile."""
    tiles = ruleset.tile_set
    return {
        "tiles": [{"face": face, "value": tiles.values[face]} for face in tiles.faces],
        "values": dict(tiles.values),
        "writings": [list(pair) for pair in tiles.writings],
        "names": [list(pair) for pair in tiles.names.items()],
        "twins": dict(tiles.twins),
        "rowTwins": dict(twins_of(ROW_NAMES)),
        "lost": sorted(tiles.accents) if tiles.accents is not None else None,
        "accentSigns": "".join(map(look_alikes_of, tiles.accent_signs)),
        "marks": ["".join(PREMIUMS[Square(row, col)].value for col in range(BOARD_SIZE)) for row in range(BOARD_SIZE)],
    }


def rules(ruleset: Ruleset) -> dict[str, Any]:
    """Return the rules that a device needs to place and score plays without a network."""
    return {
        **tiles_and_squares(ruleset),
        "blanks": ruleset.tile_set.counts.get(BLANK, 0),
        "centre": ruleset.first_move.centre == "mandatory",
        "firstAcross": ruleset.first_move.direction == "across",
        "bingo": ruleset.scoring.bingo,
        "rack": ruleset.game.rack_size,
        "steps": list(ruleset.turn.steps),
        "writtenBy": ruleset.turn.written_by,
        "exchangeStops": ruleset.exchange.stops_clock and ruleset.clock.stopped_by_mover,
        "digraph": bool(ruleset.law.digraph),
        "untold": ruleset.absence.untold != "none",
    }


def as_data(value: object) -> Markup:
    """Return JSON escaped for embedding: it cannot close its HTML element."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    safe = written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)  # noqa: S704 # what could be markup is escaped
