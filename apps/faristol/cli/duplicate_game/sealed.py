"""`faristol duplicate bundle` and `verify`: prepared games and their verification."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.duplicate_game.play import Game, Hall
from faristol.duplicate_game.draws import Words
from faristol.duplicate_game.game import play_of, went_back
from faristol.duplicate_game.sealed import (
    DocumentError,
    EnvelopeError,
    SealedGame,
    check,
    differences,
    document_of,
    read_document,
)
from faristol.game.duplicate_game.lexicons import Installed
from faristol.host import StartError
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.duplicate_game.verification import CalledRack, HeldSeed, PlayedTurn, check_racks
from faristol.table_terminal.hall import bundle as bundles
from faristol.table_terminal.shared.common import localize, settings_of
from faristol.words import Library

BUNDLED = N_("the bundle of {game} is in {file}")
NO_KEY = N_("without its key, which is published when the game begins")
ALL_RIGHT = N_("{game}: every rack matches the seed {seed}")
SEALED_RIGHT = N_("the sealed game of {game} is valid; its SHA-256 is {digest}")
UNCHECKED = N_("the lexicon {lexicon} is not installed here: the plays were not checked against it")
NOT_OVER = N_("the game is not over: its seed is not public")
NO_FILE = N_("there is neither a file nor a duplicate game {given}")
KEY_REQUIRED = N_("{file} cannot be read without the key of its game, which is published when the game begins")


def bundle(
    client: Client,
    game: Game,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write to this file.")],
    hall: Hall = "",
) -> None:
    """Write the bundle with which a hall can continue offline."""
    answer = client.answer_to(pb.GetBundleRequest(game_id=game, hall=hall))
    bundles.write(bundles.Bundle(answer, hall), output)
    lines = [localize(BUNDLED, game=game, file=str(output))]
    if answer.HasField("seal") and not answer.key:
        lines.append(localize(NO_KEY))
    content = {"game_id": game, "hall": hall, "sealed": answer.HasField("seal"), "has_key": bool(answer.key)}
    client.print(content, lines)


def verify(
    client: Client,
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME|FILE", help="A game that is over, or a file: a bundle with its key, or a sealed game."
        ),
    ],
) -> None:
    """Draw the racks of a finished game again, and compare; a file is verified offline.

    Exit code 1 if a rack differs.
    """
    if (file := Path(game)).is_file():
        wrong, right, content = _of_file(file)
    else:
        if not place_of_duplicate(game)[0]:
            raise typer.BadParameter(localize(NO_FILE, given=game))
        wrong, right, content = _of_game(game, client)
    client.print({**content, "wrong": wrong}, wrong or right)
    if wrong:
        raise typer.Exit(1)


def _of_file(file: Path) -> tuple[list[str], list[str], dict[str, str]]:
    """Return the errors in the sealed game of a file, the lines for a valid one, and the rest of the answer."""
    try:
        sealed = _sealed_of(file)
    except (DocumentError, EnvelopeError) as error:
        return [str(error)], [], {}
    digest = _digest(sealed)
    words, lines = _words(sealed)
    try:
        wrong = list(check(sealed, ruleset_of(sealed.ruleset), words))
    except Refusal as refusal:
        raise StartError(str(refusal)) from refusal
    right = [localize(SEALED_RIGHT, game=sealed.game_id, digest=digest), *lines]
    return wrong, right, {"game_id": sealed.game_id, "digest": digest}


def _sealed_of(file: Path) -> SealedGame:
    content = file.read_bytes()
    if not content.startswith(bundles.HEAD.encode()):
        return read_document(content)
    sealed = bundles.read(file).open_sealed()
    if sealed is None:
        raise StartError(localize(KEY_REQUIRED, file=str(file)))
    return sealed


def _of_game(game: str, client: ServiceClient) -> tuple[list[str], list[str], dict[str, str]]:
    """Return the same of a finished game."""
    shown = client.answer_to(pb.GetDuplicateRequest(game_id=game))
    if not shown.end:
        raise typer.BadParameter(localize(NOT_OVER))
    ruleset = ruleset_of(shown.ruleset)
    sealed = read_document(shown.seal.content) if shown.seal.content else None
    held = HeldSeed(sealed.seed, shown.seal.commitment) if sealed and sealed.seed else None
    wrong = list(
        check_racks(
            [_to_played_turn(turn, sealed) for turn in shown.turns],
            game_id=game,
            held=HeldSeed(shown.seed, shown.commitment),
            ruleset=ruleset,
            sealed=held,
        )
    )
    right = [localize(ALL_RIGHT, game=game, seed=shown.seed.hex())]
    if sealed is not None:
        digest = _digest(sealed)
        if digest != shown.seal.digest.hex():
            wrong.append(f"the sealed game has the SHA-256 {digest}, and {shown.seal.digest.hex()} is on the record")
        wrong += check(sealed, ruleset)
        wrong += differences(sealed, list(_of_seal(shown)))
        right.append(localize(SEALED_RIGHT, game=game, digest=digest))
    return wrong, right, {"game_id": game, "seed": shown.seed.hex()}


def _of_seal(shown: pb.GetDuplicateResponse) -> Iterator[tuple[int, list[str], Play | None]]:
    """Yield the turns played from the sealed game, the last one without the master play that voids it."""
    for turn in shown.turns:
        if turn.sealed:
            is_last = turn.turn + 1 == shown.seal.void_from_turn
            master = None if is_last or not turn.HasField("master") else play_of(turn.master)
            yield turn.turn, list(turn.faces), master


def _words(sealed: SealedGame) -> tuple[Words | None, list[str]]:
    """Return the lexicon of a sealed game, or None and a line if it is not installed."""
    try:
        ruleset = ruleset_of(sealed.ruleset)
        return Installed(Library(settings_of().lexicons)).words(sealed.lexicon, ruleset), []
    except Refusal:
        return None, [localize(UNCHECKED, lexicon=sealed.lexicon.name)]


def _digest(sealed: SealedGame) -> str:
    return hashlib.sha256(document_of(sealed)).hexdigest()


def _to_played_turn(turn: pb.DuplicateTurn, sealed: SealedGame | None) -> PlayedTurn:
    of_seal = sealed.turn(turn.turn) if sealed is not None and turn.sealed else None
    return PlayedTurn(
        rack=CalledRack(tuple(turn.faces), turn.leftover, turn.draw),
        went_back=went_back(turn.rejected_racks),
        by_hand=turn.by_hand,
        used=tuple("?" if tile.blank else tile.face for tile in turn.master.placements),
        sealed=turn.sealed,
        drawn_as=of_seal.drawn_as if of_seal is not None else 0,
    )
