"""`faristol lexicon …`: the lexicons on this machine."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.options import AsJson
from faristol.host import StartError
from faristol.table_terminal.shared.common import format_count, print_answer, settings_of
from faristol.table_terminal.shared.screen import console, progress
from faristol.words import DEFAULT_NAME, About, LexiconError, Listing
from faristol.words.library import InstalledLexicon
from faristol.words.lists import WordLists

Folder = Annotated[Path | None, typer.Option("--lexicons", help="Folder of the lexicons.")]

MAX_SHOWN_LINES = 10
"""Rejected lines that are printed."""


def install_lexicon(
    name: Annotated[
        str, typer.Argument(help="Name of the word list: catalan, spanish, greek or english.")
    ] = DEFAULT_NAME,
    digest: Annotated[str, typer.Option(metavar="SHA-256", help="Expected edition: a different one is an error.")] = "",
    lexicons: Folder = None,
    json_output: AsJson = False,
) -> None:
    """Fetch an open word list by its package name and build a lexicon from it."""
    from faristol.words import Library, install

    settings = settings_of(lexicons=lexicons)
    with progress(f"installing {name}") as done:
        installed = install(name, Library(settings.lexicons), done)
    about = installed.about
    if digest and installed.digest != digest.lower():
        raise StartError(
            f"{name} is the edition {about.edition} now, with the digest {installed.digest}; expected {digest}."
            " Tournaments keep to their edition: a cell needs both, see docs/operations.md"
        )
    lines = [
        f"{name}: {installed.header.words:,} tile strings from {about.source} {about.edition}",
        f"licence of the words: {about.licence}",
    ]
    print_answer(_content(installed), lines, json_output=json_output, indent=None)


def add_lexicon(
    name: Annotated[str, typer.Argument(help="Name of the lexicon: letters a to z, digits and hyphens.")],
    lists: Annotated[
        list[str],
        typer.Option(
            "--from",
            help="A list with one word per line, UTF-8: FILE, LAYER=FILE, or LAYER/SOURCE=FILE and /SOURCE=FILE to "
            "name its dictionary. hunspell:PATH reads PATH.aff and PATH.dic. Can be repeated.",
        ),
    ],
    tiles: Annotated[str, typer.Option(help="Tile set: ca-100, es-100, el-104 or en-100.")],
    edition: Annotated[str, typer.Option(help="Edition in the federation's own words.")],
    licence: Annotated[str, typer.Option(help="Licence of the words, as an SPDX expression if there is one.")],
    date: Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="Date of the edition.")],
    source: Annotated[str, typer.Option(help="Author of the words.")] = "",
    report: Annotated[Path | None, typer.Option(help="Write the lines without a word to this file, as CSV.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Do not build if a line contains no word.")] = False,
    lexicons: Folder = None,
    json_output: AsJson = False,
) -> None:
    """Build a lexicon from a federation's own lists. The same lists and options give the same lexicon, bit for bit."""
    from faristol.rules.tiles import load_tile_set
    from faristol.words import Library
    from faristol.words.hunspell import expand
    from faristol.words.lists import playable

    settings = settings_of(lexicons=lexicons)
    for option, value in (("edition", edition), ("licence", licence)):
        if not value.strip():
            raise LexiconError(f"--{option} is empty: every ruling records it")
    try:
        tile_set = load_tile_set(tiles)
    except LookupError as error:
        raise LexiconError(f"{error.args[0]}: choose ca-100, es-100, el-104 or en-100") from None
    read = WordLists()
    for given in lists:
        listing, file = _listing(given)
        if file.startswith("hunspell:"):
            base = Path(file.removeprefix("hunspell:"))
            words = playable(expand(base.with_name(f"{base.name}.aff"), base.with_name(f"{base.name}.dic")), tile_set)
            read.listed.setdefault(listing, []).extend(words)
        else:
            read.read(Path(file), tile_set, listing)
    _print_report(read, report)
    if strict and read.left_out:
        raise LexiconError(
            f"{format_count(len(read.left_out), 'line')} contains no word, and --strict was given: no lexicon was built"
        )
    if not any(read.listed.values()):
        raise LexiconError("there is no word in these lists: no lexicon was built")
    about = About(name, edition, licence, source, date.date())
    with progress(f"building {name}") as done:
        installed = Library(settings.lexicons).install(
            name, (), tile_set=tile_set, about=about, listed=read.listed, progress=done
        )
    lines = [f"{name}: {installed.header.words:,} tile strings, digest {installed.digest}"]
    if installed.header.layers:
        lines.append(f"layers: {', '.join(installed.header.layers)}")
    print_answer(_content(installed), lines, json_output=json_output, indent=None)


def _content(installed: InstalledLexicon) -> dict[str, object]:
    """Return the JSON of a lexicon."""
    about, header = installed.about, installed.header
    return {
        "name": installed.name,
        "digest": installed.digest,
        "words": header.words,
        "layers": list(header.layers),
        "edition": about.edition,
        "licence": about.licence,
        "source": about.source,
        "date": about.date.isoformat(),
    }


def _listing(given: str) -> tuple[Listing, str]:
    """Parse ``LAYER/SOURCE=FILE``. Raises ``LexiconError`` for an invalid name of a layer."""
    where, equals, file = given.partition("=")
    if not equals:
        return Listing(), given
    layer, _, source = where.partition("/")
    listing = Listing(layer, source)
    if not file:
        raise LexiconError(f"--from {given}: expected the name of a file behind the =")
    if not listing.well_named:
        raise LexiconError(
            f"--from {given}: {layer!r} is not a valid name of a layer: use letters a to z, digits and hyphens"
        )
    return listing, file


def _print_report(read: WordLists, report: Path | None) -> None:
    """Print counts of lines and the first rejected ones, with reasons, and write all of those to ``report``."""
    left_out = read.left_out
    for line in left_out[:MAX_SHOWN_LINES]:
        console.print(f"{line.path}:{line.line}: {line.reason}", markup=False, highlight=False, soft_wrap=True)
    if left_out:
        reasons = ", ".join(f"{reason} {count}" for reason, count in Counter(o.reason.reason for o in left_out).items())
        console.print(
            f"{format_count(len(left_out), 'line')} gave no word ({reasons})", highlight=False, soft_wrap=True
        )
    if read.lines:
        console.print(
            f"{format_count(read.lines, 'line')} read: {read.passed_over:,} empty or comments,"
            f" {format_count(read.repeated, 'word')} repeated",
            highlight=False,
            soft_wrap=True,
        )
    if report:
        try:
            with report.open("w", newline="", encoding="utf-8-sig") as file:
                rows = csv.writer(file)
                rows.writerow(["file", "line", "text", "reason", "why"])
                rows.writerows([line.path, line.line, line.text, line.reason.reason, line.reason] for line in left_out)
        except OSError as error:
            raise LexiconError(f"cannot be written: {error.strerror}", path=report) from error


def look_up(
    name: Annotated[str, typer.Argument(help="Name or digest of the lexicon.")],
    words: Annotated[list[str], typer.Argument(help="The words.")],
    layers: Annotated[list[str] | None, typer.Option("--layer", help="An enabled layer.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each word.")] = False,
    lexicons: Folder = None,
) -> None:
    """Print as which tiles each word is in the lexicon, with layers and sources. Exit code 1 if one is not in it."""
    from faristol.words import Library
    from faristol.words.lists import unplayable

    graph = Library(settings_of(lexicons=lexicons).lexicons).open(name).with_layers(layers or ())
    missing = False
    for text in words:
        found = list(graph.spellings(text))
        elsewhere = [word for word in graph.every_layer.spellings(text) if word not in found]
        refused = None if found or elsewhere else unplayable(text, graph.tile_set)
        missing |= not found
        if as_json:
            entry = {
                "text": text,
                "valid": bool(found),
                "spellings": [_spelling(graph.listings(word), word, on=word in found) for word in found + elsewhere],
                "reason": str(refused) if refused else "",
            }
            print_answer(entry, (), json_output=True, indent=None)
            continue
        for word in found + elsewhere:
            listed = ", ".join(f"{layer or 'always'}{f' by {by}' if by else ''}" for layer, by in graph.listings(word))
            typer.echo(f"{text}: {'in' if word in found else 'off'}  {' '.join(word)}  ({listed})")
        if not found and not elsewhere:
            typer.echo(f"{text}: not in {name}" if refused is None else f"{text}: {refused}")
    if missing:
        raise typer.Exit(1)


def _spelling(listings: tuple[Listing, ...], word: tuple[str, ...], *, on: bool) -> dict[str, object]:
    return {"tiles": word, "on": on, "listings": [listing._asdict() for listing in listings]}


def list_lexicons(lexicons: Folder = None, json_output: AsJson = False) -> None:
    """List the lexicons on this machine."""
    from faristol.words import Library

    library = Library(settings_of(lexicons=lexicons).lexicons)
    found = library.list()
    lines = list(map(_line, found)) or f"no lexicons in {library.path}"
    print_answer(list(map(_content, found)), lines, json_output=json_output)


def _line(installed: InstalledLexicon) -> str:
    about, header = installed.about, installed.header
    layers = f"  layers: {', '.join(header.layers)}" if header.layers else ""
    words = f"{header.words:,} tile strings"
    return f"{installed.name}  {words}  {installed.digest}  {about.edition}  {about.licence}{layers}"
