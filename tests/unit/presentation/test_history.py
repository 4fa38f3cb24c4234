"""The description of a director's command with several events."""

from __future__ import annotations

from typing import Any

import pytest

from faristol.kernel.event_types import events_of
from faristol.kernel.spellings import kebab, labels_of, name_of
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import fee_events_pb2 as fee_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.history import describe_done, describe_history, fold_entries, list_effective
from faristol.presentation.names import Roster
from faristol.rules.ruleset.file import load_ruleset

HEAD = pairing.GetTournamentResponse(
    tournament_id="open",
    players=[pairing.Player(player_id=each, name=each.capitalize()) for each in ("anna", "blai", "cesc")],
    played=[
        pairing.Round(
            round=1,
            pairings=[
                events.Pairing(game_id="open-r1-t1", table=1, first_player_id="anna", second_player_id="blai"),
            ],
        )
    ],
)

WITH_NUMBER = [labels_of(game.SanctionKind.DESCRIPTOR)[game.SANCTION_KIND_POINTS]]
"""Label that the sentence about a table replaces by one with the number of points."""


def acts(*given: pairing.Act) -> list[pairing.Act]:
    for position, act in enumerate(given, 1):
        act.version = act.position = position
    return list(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            acts(*(pairing.Act(type="PlayerCheckedIn", player_ids=[each]) for each in ("anna", "blai", "cesc"))),
            "Checked in: 3 players.",
        ),
        (acts(pairing.Act(type="PlayerCheckedIn", player_ids=["anna"])), "Anna is checked in."),
        (
            acts(
                pairing.Act(type="RoundPaired", round=1),
                pairing.Act(type="ByeAwarded", round=1, player_ids=["cesc"]),
            ),
            "Round 1 is paired: 1 game. Cesc sits out round 1: a point.",
        ),
        (
            acts(
                pairing.Act(type="PlayerSanctioned", player_ids=["anna"], details=["kind: points", "points: 20"]),
                pairing.Act(type="SpreadAdjusted", player_ids=["anna"], details=["points: -20"]),
            ),
            "Anna is sanctioned. Points deducted: 20.",
        ),
        (
            acts(*(pairing.Act(type="PlayerWithdrawn", player_ids=[each]) for each in ("anna", "blai", "cesc"))),
            "Withdrawn: 3 players (Anna, Blai, Cesc).",
        ),
        (
            acts(*(pairing.Act(type="ByeGranted", round=2, player_ids=[each]) for each in ("anna", "blai"))),
            "Sitting out: 2 players (Anna, Blai).",
        ),
        (
            acts(pairing.Act(type="PublicationScheduled", round=1, details=["publish-at: 2027-03-07T09:00:00+00:00"])),
            "The pairing of round 1 is published at March 7, 2027, 9:00\u202fAM UTC.",
        ),
        (
            acts(pairing.Act(type="BroadcastDelaySet")),
            "Plays and results are published after 0 min.",
        ),
        ([], ""),
    ],
)
def test_the_notice_names_the_act_and_how_many_it_concerned(given: list[pairing.Act], said: str) -> None:
    roster = Roster(HEAD)
    answer = pairing.ListActsResponse(acts=given)
    assert describe_done(list(describe_history(answer, roster, "en")), roster, "en").startswith(said)


def describe_acts(head: pairing.GetTournamentResponse, language: str, *given: pairing.Act) -> str:
    roster = Roster(head, language)
    answer = pairing.ListActsResponse(acts=acts(*given))
    return describe_done(list(describe_history(answer, roster, language)), roster, language)


def test_a_correction_names_the_rounds_that_were_paired_before_it() -> None:
    head = pairing.GetTournamentResponse(played=[pairing.Round(round=number) for number in (1, 2, 3)])
    said = describe_acts(head, "en", pairing.Act(type="ResultCorrected", round=1))
    assert said.endswith(" Rounds paired with the earlier result: 2, 3.")
    assert "earlier" not in describe_acts(head, "en", pairing.Act(type="ResultCorrected", round=3))


def test_a_round_of_duplicate_games_is_called_a_game() -> None:
    pin = game.Pin(name="fisc-2023-duplicate", digest=load_ruleset("fisc-2023-duplicate").digest)
    head = pairing.GetTournamentResponse(ruleset=pin)
    assert [describe_acts(head, "ca", pairing.Act(type=kind, round=1)) for kind in ("RoundPaired", "RoundStarted")] == [
        "Tothom té seient a la partida 1.",
        "La partida 1 és oberta.",
    ]


def test_announced_times_are_written_as_the_language_does() -> None:
    announced = pairing.Act(type="RoundsAnnounced", details=["times: 1 2027-03-07T09:00:00+00:00"])
    head = pairing.GetTournamentResponse(time_zone="Europe/Andorra")
    assert "1 (7 de març del 2027, 10:00 CET)" in describe_acts(head, "ca", announced)


def test_an_entered_result_is_one_line_of_the_history_and_an_entry_that_gives_up_turns_is_two() -> None:
    scores = [game.FinalScore(player_id="anna", score=412), game.FinalScore(player_id="blai", score=378)]
    given = acts(
        pairing.Act(type="ResultEntered", scores=scores, note="second slip", first_version=1),
        pairing.Act(type="ResultRecorded", scores=scores, first_version=1),
        pairing.Act(type="ResultEntered", scores=scores, first_version=3, details=["turns-given-up: 4"]),
        pairing.Act(type="ResultRecorded", scores=scores, first_version=3),
        pairing.Act(type="ResultEntered", scores=scores, first_version=5),
        pairing.Act(type="ResultRecorded", scores=scores, first_version=6),
    )
    for act in given:
        act.game_id, act.actor_name = "open-r1-t1", "Eva Soler"
    shown = fold_entries(list(describe_history(pairing.ListActsResponse(acts=given), Roster(HEAD), "en")))
    assert [each.act.version for each in shown] == [2, 3, 4, 5, 6]
    assert shown[0].said == "Result: Anna 412 – Blai 378 (round 1, table 1)."
    assert list(shown[0].also.values()) == ["By Eva Soler.", "Note: second slip"]


def test_the_reason_of_an_undo_is_shown_with_it() -> None:
    given = acts(
        pairing.Act(type="PlayerCheckedIn", first_version=1, undone_in=2),
        pairing.Act(type="PlayerCheckedOut", first_version=2, undoes=1),
        pairing.Act(type="UndoNoted", first_version=2, note="the wrong Anna", details=["version: 1"]),
    )
    described = list(describe_history(pairing.ListActsResponse(acts=given), Roster(HEAD), "en"))
    assert described[2].said == "The reason for the undo of command 1 is noted."
    assert [each.also.get("note") for each in fold_entries(described)] == [None, "Note: the wrong Anna"]
    assert list_effective(described) == []


@pytest.mark.parametrize(
    ("actor", "name", "shown"),
    [
        ("o-5d01d9f5a288", "", "By an official without a name."),
        ("o-5d01d9f5a288", "Eva Soler", "By Eva Soler."),
        ("marta", "", "By marta."),
    ],
)
def test_the_history_names_an_author_and_shows_no_id_that_was_made_for_one(actor: str, name: str, shown: str) -> None:
    given = acts(pairing.Act(type="RoundStarted", round=1, actor=actor, actor_name=name))
    (line,) = describe_history(pairing.ListActsResponse(acts=given), Roster(HEAD), "en")
    assert line.also["by"] == shown


def test_an_undo_of_an_undo_puts_the_first_act_in_force_again() -> None:
    given = acts(*(pairing.Act(type="PlayerWithdrawn", player_ids=["anna"]) for _ in range(5)))
    given[1].undoes, given[2].undoes, given[4].undoes = 1, 2, 4
    told = list(describe_history(pairing.ListActsResponse(acts=given), Roster(HEAD), "en"))
    assert [each.act.version for each in list_effective(told)] == [1]


LABELLED = [
    (kind, field)
    for kind in events_of(events, fee_events)
    for field in kind.DESCRIPTOR.fields
    if field.enum_type is not None and labels_of(field.enum_type)
]


@pytest.mark.parametrize(("kind", "field"), LABELLED, ids=[field.full_name for _, field in LABELLED])
def test_a_sentence_shows_values_of_enumerations_by_the_labels_of_the_contract(kind: Any, field: Any) -> None:
    others = [
        f"{kebab(other.name)}: 1"
        for other in kind.DESCRIPTOR.fields
        if other.enum_type is None and other.message_type is None and other.type != other.TYPE_BOOL
    ]

    def describe_value(number: int) -> str:
        details = [*others, f"{kebab(field.name)}: {name_of(field.enum_type, number)}"]
        return describe_acts(HEAD, "en", pairing.Act(type=kind.DESCRIPTOR.name, details=details))

    texts = {label: describe_value(number) for number, label in labels_of(field.enum_type).items()}
    if len(set(texts.values())) > 1:  # the sentence has a place for the field
        assert [label for label, text in texts.items() if label not in text] in ([], WITH_NUMBER)
