from __future__ import annotations

import pytest
from google.protobuf.descriptor import FieldDescriptor
from tests.unit.old_events.golden import event_descriptors

from faristol.event_store.beside_events.notes import WITH_WORDS, Note, field_of, split_note
from faristol.kernel.event_types import CONTEXTS
from faristol.kernel.mentions import players_of
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing

NO_FREE_WORDS = frozenset(
    (
        "algorithm", "article", "bag", "blanks", "chosen_by", "claimed_by", "decided_by", "digest", "division_of",
        "face", "faces", "fault", "from_rack", "inputs_digest", "kept", "language", "languages", "layers", "rack",
        "returned", "shown", "system", "time_zone", "warned",
    )
)  # fmt: skip
"""Fields with a term, a tile or an id; so are all whose names end in id or ids."""

PUBLIC = frozenset(
    (
        "faristol.access.v1.Scope.halls",
        "faristol.game.v1.CallName.name",
        "faristol.game.v1.CallNamesSet.numbers",
        "faristol.game.v1.ChosenOption.name",
        "faristol.game.v1.ChosenOption.value",
        "faristol.game.v1.DuplicateHall.name",
        "faristol.game.v1.GameOpened.hall",
        "faristol.game.v1.Pin.name",
        "faristol.game.v1.TableHandedOver.hall",
        "faristol.hall.v1.EventsKeptAside.hall",
        "faristol.hall.v1.EventsKeptAside.problem",
        "faristol.hall.v1.EventsKeptAside.stream",
        "faristol.hall.v1.HallCaughtUp.hall",
        "faristol.hall.v1.HallCommandExecuted.hall",
        "faristol.hall.v1.HallCommandKept.hall",
        "faristol.hall.v1.HallCommandKept.type",
        "faristol.hall.v1.HallCommandRefused.hall",
        "faristol.hall.v1.HallCommandRefused.reason",
        "faristol.hall.v1.HallCommandRefused.text",
        "faristol.hall.v1.HallFellBehind.hall",
        "faristol.hall.v1.HallJoined.address",
        "faristol.hall.v1.HallJoined.hall",
        "faristol.hall.v1.HallJoined.version",
        "faristol.hall.v1.HallReleased.hall",
        "faristol.hall.v1.KeptEffect.type",
        "faristol.pairing.v1.ChangeProposed.type",
        "faristol.pairing.v1.ProposedEvent.type",
        "faristol.hall.v1.RefusalParameter.name",
        "faristol.hall.v1.RefusalParameter.value",
        "faristol.game.v1.Seal.rerun_of",
        "faristol.game.v1.Slip.coordinates",
        "faristol.game.v1.SlipsHandedOver.hall",
        "faristol.game.v1.Slip.score",
        "faristol.game.v1.Slip.word",
        "faristol.lexicon.v1.WordRuling.reason",
        "faristol.lexicon.v1.WordRuling.source",
        "faristol.pairing.v1.Division.name",
        "faristol.pairing.v1.DivisionRenamed.before",
        "faristol.pairing.v1.CategoryFee.category",
        "faristol.pairing.v1.EntryReceived.category",
        "faristol.pairing.v1.EntryReceived.language",
        "faristol.pairing.v1.FeesSet.currency",
        "faristol.pairing.v1.FeesSet.payment_page",
        "faristol.pairing.v1.Hall.name",
        "faristol.pairing.v1.HeldEventTold.of_game",
        "faristol.pairing.v1.HeldEventTold.type",
        "faristol.pairing.v1.LateEntryAdmitted.category",
        "faristol.pairing.v1.MessageSent.hall",
        "faristol.pairing.v1.Pairing.hall",
        "faristol.pairing.v1.ShadowCompared.program",
        "faristol.pairing.v1.ShadowDifference.kind",
        "faristol.pairing.v1.PictureAdded.name",
        "faristol.pairing.v1.PlayerAmended.category",
        "faristol.pairing.v1.PlayerMessageSent.hall",
        "faristol.pairing.v1.PlayerRegistered.category",
        "faristol.pairing.v1.PaymentRecorded.currency",
        "faristol.pairing.v1.PaymentRecorded.reference",
        "faristol.pairing.v1.RegistrationSet.categories",
        "faristol.pairing.v1.RegistrationSet.fields",
        "faristol.pairing.v1.RegistrationSet.required_fields",
        "faristol.pairing.v1.ScreenPart.hall",
        "faristol.pairing.v1.ScreenSet.code",
        "faristol.pairing.v1.ScreenSet.name",
        "faristol.pairing.v1.ScreenRemoved.code",
        "faristol.pairing.v1.PrizeListSet.category",
        "faristol.pairing.v1.PrizeListSet.club",
        "faristol.pairing.v1.PrizeListSet.name",
        "faristol.pairing.v1.PrizeListSet.things",
        "faristol.pairing.v1.PrizeRulesSet.currency",
        "faristol.pairing.v1.TeamRegistered.name",
        "faristol.pairing.v1.TournamentCreated.division",
        "faristol.pairing.v1.TournamentCreated.name",
        "faristol.pairing.v1.TournamentDescribed.country",
        "faristol.pairing.v1.TournamentDescribed.ends_on",
        "faristol.pairing.v1.TournamentDescribed.link",
        "faristol.pairing.v1.TournamentDescribed.name",
        "faristol.pairing.v1.TournamentDescribed.organiser",
        "faristol.pairing.v1.TournamentDescribed.place",
        "faristol.pairing.v1.TournamentDescribed.starts_on",
        "faristol.rating.v1.FederationListPublished.name",
        "faristol.pairing.v1.LicenceRequirementSet.kind",
        "faristol.register.v1.AgeCategory.name",
        "faristol.register.v1.ClubSet.name",
        "faristol.register.v1.LicenceRemoved.kind",
        "faristol.register.v1.LicenceRemoved.valid_from",
        "faristol.register.v1.LicenceSet.kind",
        "faristol.register.v1.LicenceSet.number",
        "faristol.register.v1.LicenceSet.valid_from",
        "faristol.register.v1.LicenceSet.valid_to",
        "faristol.register.v1.ListImported.name",
        "faristol.season.v1.CircuitSet.name",
        "faristol.season.v1.SeasonCreated.ends_on",
        "faristol.season.v1.SeasonCreated.name",
        "faristol.season.v1.SeasonCreated.starts_on",
    )
)
"""Words that are of no player, and that the record keeps for ever: what things are called, and what is law of words.

A category is the class of competition that many are in, and its results are public for ever, as the rating is. What
stands on a slip is a play, of 64 characters at most: it is kept as it was written, or nobody could check its score.
A licence is a number of the federation with its days, like the id of the person.
"""

TEXTS = [
    field
    for context in CONTEXTS
    for message in context.DESCRIPTOR.message_types_by_name.values()
    for field in message.fields
    if field.type == FieldDescriptor.TYPE_STRING
]


@pytest.mark.parametrize("field", TEXTS, ids=lambda field: str(field.full_name))
def test_whatever_somebody_can_write_freely_stands_beside_the_event(field: FieldDescriptor) -> None:
    fixed = field.name in NO_FREE_WORDS or field.name.rpartition("_")[2] in {"id", "ids"} or field.full_name in PUBLIC
    marked = field.GetOptions().debug_redact
    assert fixed != marked, "mark it with debug_redact, or say above why it stays in the event for ever"
    if marked:
        assert field.containing_type in event_descriptors(), "a part of an event: its words are not taken out"
        assert not field.is_repeated
        assert field_of(field.containing_type) == field.name, "an event has words in one field"


def test_what_is_marked_is_known() -> None:
    assert "faristol.pairing.v1.PlayerWithdrawn" in WITH_WORDS
    assert "faristol.game.v1.SanctionImposed" in WITH_WORDS
    assert "faristol.pairing.v1.PlayerCheckedIn" not in WITH_WORDS


def test_words_are_parted_from_the_event_and_concern_whom_it_names_and_whom_the_writer_says() -> None:
    event = pairing.ResultCorrected(round=1, winner_id="biel", player_ids=["biel", "anna"], note="a slip")
    stored, note = split_note(event, {"carme"})
    assert note == Note("a slip", ("anna", "biel", "carme"))
    assert stored == pairing.ResultCorrected(round=1, winner_id="biel", player_ids=["biel", "anna"])
    assert event.note == "a slip"
    assert note.written_ids == '["anna","biel","carme"]'


def test_an_event_without_words_is_stored_as_it_is() -> None:
    for event in (game.Passed(turn=1, player_id="anna"), pairing.PlayerWithdrawn(player_id="anna")):
        assert split_note(event, ()) == (event, None)
        assert split_note(event, ())[0] is event


def test_players_are_found_wherever_in_an_event_they_are_named() -> None:
    paired = pairing.RoundPaired(pairings=[pairing.Pairing(first_player_id="anna", second_player_id="biel")])
    assert players_of(paired) == ["anna", "biel"]
