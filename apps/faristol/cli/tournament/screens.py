"""`faristol screen …`: hall screens and their pictures."""

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
from faristol.table_terminal.shared.common import columns, localize

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
