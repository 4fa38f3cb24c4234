"""The options of the contract on events apply to exactly the events that have them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from faristol.kernel import event_types
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating

PROTO = Path(__file__).parents[3] / "proto" / "faristol"
MESSAGES: list[Descriptor] = [
    message for context in event_types.CONTEXTS for message in context.DESCRIPTOR.message_types_by_name.values()
]
PARTS = {field.message_type for message in MESSAGES for field in message.fields}
IDS = [
    field
    for message in MESSAGES
    for field in message.fields
    if field.type == FieldDescriptor.TYPE_STRING and field.name.rpartition("_")[2] in {"id", "ids", "by"}
]
THINGS = {
    "qualifies_for_id",
    "season_id",
    "ancestor_ids",
    "case_id",
    "circuit_id",
    "club_id",
    "claim_id",
    "command_id",
    "credential_id",
    "game_id",
    "game_ids",
    "key_id",
    "session_id",
    "source_id",
    "source_ids",
    "tournament_id",
    "tournament_ids",
    "withdrawn_id",
    "faristol.register.v1.ClubsMerged.merged_id",
    "faristol.register.v1.ClubsSeparated.merged_id",
}
"""Names of ids of things; with the event if other events name a person by the same field."""


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: str(message.full_name))
def test_a_message_has_a_meaning_when_it_is_an_event_and_none_when_it_is_a_part_of_one(message: Descriptor) -> None:
    said = message.GetOptions().HasExtension(options.meaning)
    assert said != (message in PARTS), "give it the option faristol.event.v1.meaning, or use it in an event"


@pytest.mark.parametrize("kind", event_types.RECORD_EVENT_TYPES, ids=lambda kind: str(kind.DESCRIPTOR.full_name))
def test_an_event_says_who_may_know_of_it_and_which_stream_it_is_on(kind: event_types.Kind) -> None:
    meaning = event_types.meaning(kind)
    assert meaning.audience, "say who its audience is"
    assert meaning.stream
    assert options.CHANGE_UNSPECIFIED not in meaning.changes


@pytest.mark.parametrize("field", IDS, ids=lambda field: str(field.full_name))
def test_an_id_says_whom_it_names_unless_it_is_of_a_thing(field: FieldDescriptor) -> None:
    assert bool(field.GetOptions().Extensions[options.names]) != bool({field.name, field.full_name} & THINGS)


PUBLIC_FIELDS = {
    "BlankSettled.face",  # on the board
    "PlayPlaced.words",
    "RackPenalty.faces",  # at the end of the game
    "RoundPaired.seed",  # makes the draws of the pairing reproducible
    "SeedRevealed.seed",
    "ChallengeRaised.words",  # on the board
    "ChallengeRuled.words",  # only if the rules disclose them
}
HIDDEN_NAMES = {"bag", "category", "face", "faces", "kept", "rack", "returned", "seed", "shown", "word", "words"}


@pytest.mark.parametrize("kind", sorted(event_types.types_for_audience(options.AUDIENCE_PUBLIC), key=str))
def test_a_field_of_a_public_event_that_may_show_tiles_or_a_seed_is_private_or_known_to_be_public(
    kind: event_types.Kind,
) -> None:
    for field in kind.DESCRIPTOR.fields:
        name = f"{kind.DESCRIPTOR.name}.{field.name}"
        if field.name in HIDDEN_NAMES and name not in PUBLIC_FIELDS:
            assert field.GetOptions().Extensions[options.private], name


def test_a_field_whose_comment_says_that_it_is_not_public_is_private() -> None:
    said = re.compile(r"((?:^ +//.*\n)+)( +[^/}][^;]*;)", re.MULTILINE)
    found = [
        field
        for file in PROTO.glob("*/v1/*events.proto")
        for about, field in said.findall(file.read_text(encoding="utf-8"))
        if re.search(r"[Nn]ot public while|secret until", about)
    ]
    assert len(found) >= 14
    assert [field for field in found if "(faristol.event.v1.private) = true" not in field] == []


def test_an_event_has_a_private_value_only_if_a_private_field_or_free_text_is_set() -> None:
    assert not event_types.has_private(game.PlayWithdrawn(turn=1, player_id="anna"))
    assert event_types.has_private(game.PlayWithdrawn(turn=1, player_id="anna", returned=["A"]))
    assert not event_types.has_private(pairing.PlayerWithdrawn(player_id="anna", round=2))
    assert event_types.has_private(pairing.PlayerWithdrawn(player_id="anna", round=2, note="ill"))


def test_draws_are_not_for_the_public_at_all() -> None:
    assert "faristol.game.v1.PlayWithdrawn" in event_types.PUBLIC_TYPES
    assert "faristol.game.v1.TilesDrawn" not in event_types.PUBLIC_TYPES


def test_what_is_no_event_means_nothing() -> None:
    with pytest.raises(TypeError, match=r"faristol\.game\.v1\.Pin is not an event"):
        event_types.meaning(game.Pin)


def test_an_event_is_on_the_stream_of_its_file_or_on_that_which_it_says() -> None:
    assert event_types.on_streams("game") == {*event_types.events_of(game)}
    assert event_types.meaning(lexicon.JudgeAppointed).stream == "lexicon"
    assert event_types.on_streams("ruleset") == {pairing.RulesetKept}
    assert lexicon.CaseRuled in event_types.on_streams("case")


def test_events_are_found_by_what_they_change_and_by_whom_they_are_for() -> None:
    assert event_types.types_that_change(options.CHANGE_ENTRIES) == {
        pairing.PlayerRegistered,
        pairing.LateEntryAdmitted,
    }
    public = event_types.types_for_audience(options.AUDIENCE_PUBLIC)
    assert game.PlayPlaced in public
    assert not public & {game.TilesDrawn, game.RackStated, pairing.PlayerSanctioned, *event_types.events_of(lexicon)}
    assert event_types.types_of([game.Passed]) == {"faristol.game.v1.Passed"}


def test_what_many_events_have_is_read_where_they_have_it() -> None:
    paired = pairing.RoundPaired(round=3)
    paired.occurred_at.FromSeconds(7)
    assert event_types.round_of(paired) == 3
    assert event_types.occurred_at(paired) == paired.occurred_at
    assert event_types.game_of(pairing.ResultEntered(game_id="g")) == "g"
    assert (event_types.round_of(clock.ClockStarted()), event_types.game_of(clock.ClockStarted())) == (0, "")
    assert event_types.occurred_at(rating.RatingUpdated()) is None
