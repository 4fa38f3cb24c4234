"""Rulesets are restored from the recorded content, for any later files."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict

import pytest

from faristol.kernel.refusal import Refusal
from faristol.rules import load_ruleset, pinned_ruleset, ruleset_names
from faristol.rules.ruleset import pins
from faristol.rules.ruleset.file import RulesetError
from faristol.rules.ruleset.pins import keep_content, read_content
from faristol.rules.ruleset.with_options import with_options

CHOSEN = {"uf-2007": {"minutes": "25"}}


@pytest.mark.parametrize("name", ruleset_names())
def test_what_is_read_from_content_has_every_value_and_article_of_the_file(name: str) -> None:
    chosen = CHOSEN.get(name, {})
    ruleset = with_options(load_ruleset(name), chosen)
    read = read_content(ruleset.canonical, chosen)
    assert read.same_values(ruleset)
    assert (read.articles, read.title, read.digest) == (ruleset.articles, ruleset.title, ruleset.digest)
    assert read.tile_set == ruleset.tile_set


def test_a_title_is_no_part_of_the_content() -> None:
    assert "title" not in json.loads(load_ruleset("fise").canonical)


def test_a_ruleset_whose_file_has_changed_is_found_once_a_record_gave_its_content() -> None:
    content = json.loads(load_ruleset("fise").canonical)
    content["clock"]["minutes"] = 23
    content["articles"]["clock.minutes"] = "FISE 31.z"
    kept = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    digest = read_content(kept, {}).digest
    with pytest.raises(Refusal, match="not installed here"):
        pinned_ruleset("fise", digest)
    keep_content(kept, digest, {})
    found = pinned_ruleset("fise", digest)
    assert (found.clock.minutes, found.article("clock.minutes")) == (23, "FISE 31.z")
    assert load_ruleset("fise").clock.minutes != 23


def test_content_that_is_not_of_its_digest_is_not_taken() -> None:
    ruleset = load_ruleset("fise")
    with pytest.raises(ValueError, match="does not match its digest"):
        keep_content(ruleset.canonical + b" ", ruleset.digest, {})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content["clock"].pop("minutes"), "clock.minutes: is missing, and has no default"),
        (lambda content: content["clock"].update(colour="red"), "clock.colour: is not a value of this version"),
        (lambda content: content.update(weather={}), "weather: is not a section of this version"),
        (lambda content: content["clock"].update(minutes="x"), "clock.minutes: expected a whole number, got 'x'"),
    ],
)
def test_content_that_this_version_cannot_read_says_where(change: object, said: str) -> None:
    content = json.loads(load_ruleset("fise").canonical)
    change(content)  # type: ignore[operator] # one of the above
    with pytest.raises(RulesetError, match=said):
        read_content(json.dumps(content).encode(), {})


def test_the_ruleset_that_was_asked_for_longest_ago_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "RULESET_CACHE_SIZE", 2)
    monkeypatch.setattr(pins, "_kept", OrderedDict())
    digests = []
    for minutes in (41, 42, 43):
        content = json.loads(load_ruleset("fise").canonical)
        content["clock"]["minutes"] = minutes
        kept = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        digests.append(hashlib.sha256(kept).hexdigest())
        keep_content(kept, digests[-1], {})
        assert pinned_ruleset("fise", digests[0]).clock.minutes == 41, "it is asked for again and again"
    assert pinned_ruleset("fise", digests[2]).clock.minutes == 43
    with pytest.raises(Refusal, match="not installed here"):
        pinned_ruleset("fise", digests[1])
