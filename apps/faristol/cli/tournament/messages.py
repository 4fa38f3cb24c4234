"""`faristol message …`, `screen …` and `slot …`: messages of officials, hall screens, and stream slots."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.client import Client
from faristol.cli.options import Tournament
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.kernel.screens import format_screen_code
from faristol.kernel.spellings import labels_of
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.catalogue import CATALOGUE
from faristol.presentation.messages import describe_message, describe_readers
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.table_terminal.shared.common import columns, localize

EVERYONE = N_("everyone")


def list_messages(client: Client, tournament: Tournament) -> None:
    """List the messages that are shown now, the latest first."""
    known = client.load_names(tournament)
    answer = client.answer_to(pb.ListMessagesRequest(tournament_id=known.tournament_id))
    language = client.language
    of_games = is_of_duplicate_games(known.tournament)
    rows = [
        (
            str(each.number),
            ", ".join(map(known.name, each.player_ids)) or describe_readers(each, language) or localize(EVERYONE),
            describe_message(each, known.tournament, language, of_games=of_games),
        )
        for each in answer.messages
    ]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))


def list_slots(client: Client, tournament: Tournament) -> None:
    """List the slots with the game that each shows."""
    answer = client.answer_to(pb.ListSlotsRequest(tournament_id=client.find_tournament(tournament)))
    rows = [
        (
            localize(N_("slot {slot}"), slot=each.slot),
            localize(N_("line {rank} of the standings"), rank=each.rank)
            if each.rank
            else localize(N_("table {table}"), table=each.table),
            localize(N_("round {round}"), round=each.for_round) if each.for_round else localize(N_("each round")),
            each.game_id or "–",
        )
        for each in answer.slots
    ]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))


def list_claims(client: Client, tournament: Tournament) -> None:
    """List the tables that annotators claim."""
    answer = client.answer_to(pb.ListClaimsRequest(tournament_id=client.find_tournament(tournament)))
    rows = [
        (localize(N_("table {table}"), table=each.table), each.name or "–", each.annotator_id) for each in answer.claims
    ]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))


NEVER_SEEN = N_("never seen")


def list_screens(client: Client, tournament: Tournament) -> None:
    """List the screens with their last reports."""
    asked = pb.ListScreensRequest(tournament_id=client.find_tournament(tournament))
    answer = client.answer_to(asked)
    labels = labels_of(events.ScreenContent.DESCRIPTOR)
    rows = [
        (
            format_screen_code(each.code),
            each.name,
            f"{to_datetime(each.seen_at):%Y-%m-%d %H:%M:%SZ}" if each.HasField("seen_at") else localize(NEVER_SEEN),
            localize(labels[each.showing]) if each.showing in labels else "–",
        )
        for each in answer.screens
    ]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))


def add_picture(
    client: Client,
    tournament: Tournament,
    name: Annotated[str, typer.Argument(help="Name for officials, such as that of a sponsor.")],
    file: Annotated[Path, typer.Argument(help="PNG, JPEG or WebP of 500 kB at most.")],
) -> None:
    """Add a picture for screens from a file."""
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise StartError(f"{file}: {problem.strerror}") from problem
    command = pairing.AddPictureRequest(
        command_id=str(uuid.uuid4()),
        tournament_id=client.find_tournament(tournament),
        name=name,
        content=content,
    )
    answer = client.answer_to(command)
    client.print(answer, localize(CATALOGUE["AddPicture"].said, name=name))
