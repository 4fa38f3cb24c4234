"""A game is played to its end under the rules that it began with."""

from __future__ import annotations

import hashlib
import json

import pytest

from faristol.host.ruleset_store import kept_ruleset, ruleset_of
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options

FISC = load_ruleset("fisc-2023")


def test_only_the_ruleset_that_is_pinned_is_found() -> None:
    assert ruleset_of(Pin("fisc-2023", FISC.digest)) is FISC
    with pytest.raises(Refusal) as caught:
        ruleset_of(Pin("fisc-2023", "0" * 64))
    assert caught.value.reason == "RULESET_MISSING"
    assert FISC.digest in str(caught.value)
    assert "0" * 64 in str(caught.value)


def test_what_was_chosen_for_the_rules_comes_back_from_a_message() -> None:
    chosen = with_options(load_ruleset("uf-2007"), {"minutes": 25})
    pin = Pin("uf-2007", chosen.digest, (("minutes", "25"),))
    assert ruleset_of(pin.message()).clock.minutes == 25
    assert Pin.of(pin.message()) == pin


def test_an_unknown_ruleset_is_named() -> None:
    with pytest.raises(Refusal) as caught:
        ruleset_of(Pin("fisc-1999", FISC.digest))
    assert caught.value.reason == "RULESET_MISSING"
    assert "fisc-1999" in str(caught.value)


def test_content_of_a_later_version_is_refused_in_words() -> None:
    content = json.loads(FISC.canonical)
    content["clock"]["colour"] = "red"
    kept = json.dumps(content).encode()
    pin = Pin("fisc-2023", hashlib.sha256(kept).hexdigest())
    with pytest.raises(Refusal, match=r"clock\.colour: is not a value of this version") as refused:
        kept_ruleset(kept, pin)
    assert refused.value.reason == "RULESET_UNREADABLE"
