from __future__ import annotations

import grpc
import pytest
from tests.support.halls import FISC, Hall
from tests.support.pairing_service import CATALAN, SPANISH

from faristol.host import Unreachable
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.errors import Invalid
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.lexicon.v1 import lexicon_pb2
from faristol.rules import OptionValue
from faristol.tournament.command_handling.pins import choose_lexicon, fetch_lexicons, ruleset_named


def test_the_ruleset_is_fisc_when_none_is_named() -> None:
    assert ruleset_named("", []) == ruleset_named("fisc-2023", []) == FISC


def test_an_unknown_ruleset_is_answered_with_those_there_are() -> None:
    with pytest.raises(Invalid, match=r"no ruleset 'fisc-1999'; there are: .*fisc-2023"):
        ruleset_named("fisc-1999", [])


def test_a_tournament_finds_the_rules_that_it_was_pinned_to() -> None:
    assert ruleset_of(Hall({}).state.ruleset) == FISC


@pytest.mark.parametrize("pin", [Pin("fisc-2023", "0" * 64), Pin("fisc-1999", FISC.digest)])
def test_rules_of_other_content_are_not_taken_for_the_pinned_ones(pin: Pin) -> None:
    with pytest.raises(Refusal, match="not installed here") as refused:
        ruleset_of(pin)

    assert refused.value.reason == "RULESET_MISSING"


def test_the_lexicon_is_that_of_the_language_when_none_is_named() -> None:
    assert choose_lexicon([CATALAN, SPANISH], "", FISC) == Pin("catalan", "c" * 64)


def test_a_missing_lexicon_is_answered_with_those_installed() -> None:
    with pytest.raises(
        Refusal, match=r"klingon is not installed here; installed: catalan, spanish\..* `faristol lexicon add klingon`"
    ) as refused:
        choose_lexicon([CATALAN, SPANISH], "klingon", FISC)

    assert refused.value.reason == "LEXICON_MISSING"


def test_a_lexicon_of_other_tiles_is_refused() -> None:
    with pytest.raises(Refusal, match="uses the tiles es-100; fisc-2023 requires ca-100"):
        choose_lexicon([CATALAN, SPANISH], "spanish", FISC)


def test_layers_are_chosen_from_those_that_the_lexicon_has() -> None:
    options: list[tuple[str, OptionValue]] = [("minutes", "30"), ("layers", "balearic, valencian")]
    uf = ruleset_named("uf-2007", options)
    layered = lexicon_pb2.Lexicon(pin=CATALAN.pin, tile_set="ca-100", layers=["balearic", "north-western", "valencian"])
    assert choose_lexicon([layered, SPANISH], "", uf) == Pin("catalan", "c" * 64)
    with pytest.raises(Refusal, match="The lexicon catalan has no layer balearic, valencian; it has: –") as refused:
        choose_lexicon([CATALAN, SPANISH], "", uf)

    assert (refused.value.reason, refused.value.article) == ("NO_SUCH_LAYER", "UF 26")


async def test_a_lexicon_service_that_is_away_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faristol.tournament.command_handling.pins.LEXICON_TIMEOUT_SECONDS", 0.2)
    async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
        with pytest.raises(Unreachable) as away:
            await fetch_lexicons(channel, "127.0.0.1:1")
    assert (away.value.service, away.value.address) == ("lexicon", "127.0.0.1:1")


def test_an_option_that_is_given_twice_is_refused_with_the_values_that_it_takes() -> None:
    with pytest.raises(Invalid, match="options: specify tie_breaks more than once; expected one value: buchholz"):
        ruleset_named("fise", [("tie_breaks", "buchholz"), ("pairing", "dutch"), ("tie_breaks", "berger")])
    assert ruleset_named("fise", [("tie_breaks", "berger")]).chosen == {"tie_breaks": "berger"}
