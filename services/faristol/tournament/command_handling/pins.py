"""The rules and the lexicon of a tournament, pinned by content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import grpc

from faristol.host.rpc.errors import Unreachable
from faristol.kernel.errors import Invalid
from faristol.kernel.pins import LEXICONS, Pin, lexicon_missing
from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.lexicon.v1 import lexicon_pb2, lexicon_pb2_grpc
from faristol.rules import OptionValue, Ruleset, load_ruleset, ruleset_names
from faristol.rules.ruleset.with_options import with_options

DEFAULT_RULESET = "fisc-2023"

LEXICON_TIMEOUT_SECONDS = 10.0
"""Timeout of calls to the lexicon service, in seconds."""


def ruleset_named(name: str, options: Sequence[tuple[str, OptionValue]]) -> Ruleset:
    """Return the ruleset with this name, ``fisc-2023`` if empty, with the chosen option values.

    Raises ``Invalid`` if it is unknown or an option is given twice. Raises ``Refusal`` if an option is unknown or
    options clash.
    """
    known = ruleset_names()
    wanted = name or DEFAULT_RULESET
    if wanted not in known:
        near = nearest(name, known)
        text = N_("there is no ruleset {name}; there are: {known}")
        if near:
            text = N_("there is no ruleset {name}; did you mean {near}? There are: {known}")
        params = {"name": repr(name), "known": ", ".join(known), "near": near}
        raise Invalid("ruleset", text, params)
    ruleset = load_ruleset(wanted)
    times = Counter(option for option, _ in options)
    for option in ruleset.options:
        if times[option.name] > 1:
            raise Invalid(
                "options",
                N_("specify {option} more than once; expected one value: {range}"),
                {"option": option.name, "range": option.range},
            )
    return with_options(ruleset, dict(options))


async def fetch_lexicons(channel: grpc.aio.Channel, address: str) -> list[lexicon_pb2.Lexicon]:
    """Return the lexicons of the lexicon service at ``address``. Raises ``Unreachable`` if it does not answer."""
    stub = lexicon_pb2_grpc.LexiconServiceStub(channel)
    try:
        answer = await stub.ListLexicons(
            lexicon_pb2.ListLexiconsRequest(), timeout=LEXICON_TIMEOUT_SECONDS, wait_for_ready=True
        )
    except grpc.aio.AioRpcError as problem:
        raise Unreachable("lexicon", address) from problem
    return list(answer.lexicons)


def choose_lexicon(lexicons: list[lexicon_pb2.Lexicon], name: str, ruleset: Ruleset) -> Pin:
    """Return the pin of the lexicon with this name, or of the default for the tile set's language if empty.

    Raises ``Refusal`` if it is not installed, has a tile set other than the ruleset's, or lacks a chosen layer (UF 26).
    """
    wanted = name or LEXICONS.get(ruleset.tile_set.language, ruleset.tile_set.language)
    found = next((lexicon for lexicon in lexicons if lexicon.pin.name == wanted), None)
    if found is None:
        raise lexicon_missing(wanted, [lexicon.pin.name for lexicon in lexicons])
    if found.tile_set != ruleset.game.tile_set:
        raise Refusal(
            "LEXICON_OF_OTHER_TILES",
            N_("The lexicon {name} uses the tiles {found}; {ruleset} requires {expected}."),
            {
                "name": wanted,
                "found": found.tile_set,
                "ruleset": ruleset.name,
                "expected": ruleset.game.tile_set,
            },
        )
    if unknown := sorted(set(ruleset.lexicon.layers) - set(found.layers)):
        raise Refusal(
            "NO_SUCH_LAYER",
            N_("The lexicon {lexicon} has no layer {layers}; it has: {known}."),
            {"lexicon": wanted, "layers": ", ".join(unknown), "known": ", ".join(found.layers) or "–"},
            article=ruleset.article("lexicon.layers"),
        )
    return Pin(found.pin.name, found.pin.digest)
