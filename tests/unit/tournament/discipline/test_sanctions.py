"""Sanctions beside the tables, and taking them back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.support.halls import NOON, Hall
from tests.support.refusals import refusal_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1.events_pb2 import FinalScore
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.tournament.results.results import final_scores, record_result
from faristol.tournament.state import GameDecision, TournamentState

FISE = load_ruleset("fise")
PES = load_ruleset("pes-2024")
GAME = "open-r1-t1"
POINTS, LOST, ROUNDS = events.SANCTION_KIND_POINTS, events.SANCTION_KIND_GAME, events.SANCTION_KIND_ROUNDS


def hall_of(ruleset: Ruleset, scores: tuple[int, int] = (400, 390)) -> Hall:
    """Return a tournament after a round, in which p1 met an opponent at the first table."""
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)}, ruleset=ruleset)
    hall.pair(1)
    hall.start(1)
    for pairing in hall.state.played[0].pairings:
        first, second = pairing.pair
        winner = first if scores[0] > scores[1] else second
        hall.do(
            record_result(
                hall.state,
                hall.ruleset,
                game=pairing.game_id,
                scores=list(zip((first, second), scores, strict=True)),
                occurred_at=to_timestamp(hall.now),
                decided=GameDecision(winner_id=winner if scores[0] != scores[1] else ""),
            )
        )
    hall.close(1)
    return hall


def impose(
    hall: Hall,
    kind: events.SanctionKind.ValueType,
    *,
    player_id: str = "p1",
    points: int = 0,
    rounds: Sequence[int] = (),
    game: str | None = None,
    decided_by: Sequence[str] = ("director",),
    arbiter_id: str = "marta",
) -> Sequence[Message]:
    return hall.carry_out(
        pb.SanctionPlayerRequest(
            player_id=player_id,
            kind=kind,
            game_id=("" if kind == ROUNDS else GAME) if game is None else game,
            points=points,
            rounds=rounds,
            arbiter_id=arbiter_id,
            decided_by=decided_by,
        )
    )


def lift(hall: Hall, version: int, decided_by: Sequence[str] = ("director",)) -> Sequence[Message]:
    return hall.carry_out(pb.LiftSanctionRequest(version=version, decided_by=decided_by))


def undo(hall: Hall, version: int) -> Sequence[Message]:
    return hall.carry_out(pb.UndoActRequest(version=version))


def result(hall: Hall) -> tuple[tuple[int, ...], str]:
    played = hall.state.played[0]
    return played.results[GAME], played.decided[GAME].winner_id


def timeless(state: TournamentState) -> TournamentState:
    return replace(state, latest=NOON)


def test_under_fise_points_come_off_the_score_and_the_higher_score_wins() -> None:
    hall = hall_of(FISE)
    imposed, corrected = impose(hall, POINTS, points=25)

    assert isinstance(imposed, events.PlayerSanctioned)
    assert isinstance(corrected, events.ResultCorrected)
    assert (imposed.article, imposed.round) == ("FISE 49", 1)
    assert result(hall) == ((375, 390), hall.state.played[0].pairings[0].pair[1])


def test_under_fise_less_than_25_points_is_no_sanction() -> None:
    with pytest.raises(Refusal) as refused:
        impose(hall_of(FISE), POINTS, points=24)
    assert (refused.value.reason, refused.value.article) == ("SANCTION_TOO_SMALL", "FISE 49")


def test_under_fise_no_more_points_come_off_than_the_player_scored() -> None:
    hall = hall_of(FISE)
    before = hall.state
    refused = refusal_of(lambda: impose(hall, POINTS, points=401))

    assert refused.reason == "SANCTION_TOO_LARGE"
    assert refused.params == {"points": 401, "player": "p1", "game": GAME, "least": 25, "most": 400}
    assert hall.state == before
    impose(hall, POINTS, points=400)
    assert result(hall)[0][0] == 0


def test_off_the_spread_come_no_more_points_than_a_game_can_have() -> None:
    hall = hall_of(PES)

    assert refusal_of(lambda: impose(hall, POINTS, points=1001)).params["most"] == 1000
    impose(hall, POINTS, points=1000)


def test_nobody_of_the_table_proposes_or_decides_a_sanction_in_its_game() -> None:
    hall = hall_of(FISE)
    before = hall.state
    opponent = hall.state.played[0].pairings[0].pair[1]

    for official in ("p1", opponent):
        refused = refusal_of(partial(impose, hall, LOST, arbiter_id=official))
        assert (refused.reason, refused.params["officials"]) == ("OWN_GAME", official)
        assert refusal_of(partial(impose, hall, LOST, decided_by=[official])).reason == "OWN_GAME"
    assert refusal_of(lambda: impose(hall, ROUNDS, rounds=[2], arbiter_id="p1")).reason == "OWN_GAME"
    assert hall.state == before

    impose(hall, ROUNDS, rounds=[2], arbiter_id=opponent)
    assert refusal_of(lambda: lift(hall, len(hall.events), ["p1"])).reason == "OWN_GAME"


def test_under_pes_points_come_off_beside_the_result_which_stays() -> None:
    hall = hall_of(PES)
    _, adjusted = impose(hall, POINTS, points=1)

    assert isinstance(adjusted, events.PointsAdjusted)
    assert (adjusted.player_id, adjusted.points, adjusted.article) == ("p1", -1, "PES Ζ")
    assert result(hall) == ((400, 390), "p1")


@pytest.mark.parametrize(("ruleset", "scores"), [(PES, (0, 150)), (FISE, (0, 0))])
def test_a_game_that_is_taken_counts_as_one_lost_by_decision_and_has_been_played(
    ruleset: Ruleset, scores: tuple[int, int]
) -> None:
    hall = hall_of(ruleset)
    impose(hall, LOST)

    decided = hall.state.played[0].decided[GAME]
    assert result(hall) == (scores, hall.state.played[0].pairings[0].pair[1])
    assert (decided.losers, decided.unplayed, decided.lost_by_all) == (("p1",), False, False)
    with pytest.raises(Refusal, match="has already lost"):
        impose(hall, LOST)


def test_who_are_both_sanctioned_with_the_game_both_lose_it() -> None:
    hall = hall_of(PES)
    other = hall.state.played[0].pairings[0].pair[1]
    impose(hall, LOST)
    impose(hall, LOST, player_id=other)

    assert hall.state.played[0].decided[GAME].lost_by_all
    assert result(hall)[1] == ""


def test_who_is_kept_out_of_rounds_is_not_paired_in_them_and_is_after_them() -> None:
    hall = hall_of(PES)
    impose(hall, ROUNDS, rounds=[2, 3])

    assert [number for number in range(1, 6) if hall.state.players[0].takes_part(number)] == [1, 4, 5]
    hall.pair(2)
    assert "p1" not in hall.state.played[1].player_ids
    with pytest.raises(Refusal, match="is not an upcoming round"):
        impose(hall, ROUNDS, rounds=[2])


def test_of_a_lifted_exclusion_the_rounds_that_were_missed_stay_missed() -> None:
    hall = hall_of(PES)
    impose(hall, ROUNDS, rounds=[2, 3])
    version = len(hall.events)
    hall.pair(2)
    hall.start(2)
    (lifted,) = lift(hall, version)

    assert isinstance(lifted, events.SanctionLifted)
    assert list(lifted.rounds) == [3]
    assert [number for number in range(1, 6) if hall.state.players[0].takes_part(number)] == [1, 3, 4, 5]


@pytest.mark.parametrize("taken_back", [lift, undo])
@pytest.mark.parametrize("paired_when", ["never", "imposed"])
def test_a_sanction_before_the_first_round_is_taken_back_and_the_tournament_goes_on(
    taken_back: Callable[[Hall, int], Sequence[Message]], paired_when: str
) -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 5)}, 3, PES)
    if paired_when == "imposed":
        hall.pair(1)
    impose(hall, ROUNDS, rounds=[1 if paired_when == "never" else 2])
    version = len(hall.events)
    if paired_when == "imposed":
        hall.carry_out(pb.UnpairRoundRequest(round=1))
    taken_back(hall, version)

    assert hall.state.players[0].excluded == frozenset()
    hall.play(1)
    assert "p1" in hall.state.played[0].player_ids


def test_a_round_that_two_sanctions_take_is_given_back_when_both_are_lifted() -> None:
    hall = hall_of(PES)
    versions = []
    for rounds in ([2, 3], [3, 4]):
        impose(hall, ROUNDS, rounds=rounds)
        versions.append(len(hall.events))
    lift(hall, versions[0])
    assert hall.state.players[0].excluded == {3, 4}
    lift(hall, versions[1])
    assert hall.state.players[0].excluded == frozenset()


def test_of_two_sanctions_in_points_the_first_can_be_lifted_alone() -> None:
    hall = hall_of(FISE, (450, 390))
    impose(hall, POINTS, points=25)
    version = len(hall.events) - 1
    impose(hall, POINTS, points=50)
    assert result(hall)[0] == (375, 390)
    lift(hall, version)

    assert result(hall) == ((400, 390), "p1")


def another_result(hall: Hall, scores: tuple[int, int], *, reopened: bool) -> None:
    """Reopen and sign the sheet of the game, or let its players request a correction (FISE 44)."""
    pair = hall.state.played[0].pairings[0].pair
    given = list(zip(pair, scores, strict=True))
    if reopened:
        decided = GameDecision(winner_id=pair[scores[0] < scores[1]], revision=1)
        when = to_timestamp(hall.now)
        hall.do(record_result(hall.state, hall.ruleset, game=GAME, scores=given, occurred_at=when, decided=decided))
    else:
        hall.carry_out(
            pb.CorrectResultRequest(
                game_id=GAME,
                scores=final_scores(given),
                winner_id="",
                lost_by_all=False,
                unplayed=False,
                player_ids=pair,
                arbiter_id="marta",
            )
        )


@pytest.mark.parametrize("reopened", [True, False])
@pytest.mark.parametrize(("kind", "points", "counts"), [(POINTS, 30, (372, 390)), (LOST, 0, (0, 0))])
def test_a_sanction_stays_on_another_result_of_its_game_and_gives_no_more_back_than_it_took(
    reopened: bool, kind: events.SanctionKind.ValueType, points: int, counts: tuple[int, int]
) -> None:
    hall = hall_of(FISE)
    other = hall.state.played[0].pairings[0].pair[1]
    impose(hall, kind, points=points)
    version = len(hall.events) - 1
    another_result(hall, (402, 390), reopened=reopened)
    assert result(hall) == (counts, other)
    lift(hall, version)
    assert result(hall) == ((402, 390), "p1")
    assert not hall.state.played[0].decided[GAME].losers


def corrected_alone(scores: tuple[int, int], minute: int, asked: Sequence[str] = ()) -> events.ResultCorrected:
    """Return a corrected result in the form of streams before results followed sanctions."""
    return events.ResultCorrected(
        round=1,
        game_id=GAME,
        scores=[FinalScore(player_id=name, score=score) for name, score in zip(("p1", "p5"), scores, strict=True)],
        winner_id="p1" if scores[0] > scores[1] else "p5",
        arbiter_id="marta",
        player_ids=asked,
        occurred_at=to_timestamp(NOON + timedelta(minutes=minute)),
    )


@pytest.mark.parametrize("minutes", [(50, 60, 70), (50, 50, 50)])
def test_in_an_old_stream_results_one_after_the_other_of_a_game_with_a_sanction_are_all_results_of_it(
    minutes: tuple[int, int, int],
) -> None:
    hall = hall_of(FISE)
    assert hall.state.played[0].pairings[0].pair == ("p1", "p5")
    impose(hall, POINTS, points=30)
    version = len(hall.events) - 1
    asked = ("p1", "p5") if len(set(minutes)) == 1 else ()
    for minute, scores in zip(minutes, ((402, 390), (404, 390), (406, 390)), strict=True):
        hall.do([corrected_alone(scores, minute, asked)])
        assert hall.state.played[0].without_sanctions(GAME).scores == scores
    another_result(hall, (410, 390), reopened=False)
    assert result(hall) == ((380, 390), "p5")
    lift(hall, version)
    assert result(hall) == ((410, 390), "p1")


def test_in_an_old_stream_a_result_follows_one_of_a_game_with_a_sanction_that_was_opened_again() -> None:
    hall = hall_of(FISE)
    impose(hall, LOST)
    version = len(hall.events) - 1
    sheet = [FinalScore(player_id=name, score=score) for name, score in (("p1", 402), ("p5", 390))]
    when = to_timestamp(NOON + timedelta(minutes=50))
    hall.do([events.ResultRecorded(round=1, game_id=GAME, scores=sheet, winner_id="p1", revision=1, occurred_at=when)])
    hall.do([corrected_alone((404, 390), 60)])
    assert hall.state.played[0].without_sanctions(GAME).scores == (404, 390)
    lift(hall, version)
    assert result(hall) == ((404, 390), "p1")


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("book", [FISE, PES])
def test_sanctions_on_a_game_are_lifted_in_any_order(book: Ruleset, first: int) -> None:
    hall = hall_of(book)
    other = hall.state.played[0].pairings[0].pair[1]
    versions = []
    for kind, points, player_id in ((LOST, 0, "p1"), (POINTS, 30, other)):
        versions.append(len(hall.events) + 1)
        impose(hall, kind, points=points, player_id=player_id)
    another_result(hall, (402, 390), reopened=True)
    lift(hall, versions.pop(first))
    lift(hall, versions.pop())
    assert result(hall) == ((402, 390), "p1")
    assert (hall.state.played[0].game_sanctions, hall.state.played[0].unsanctioned) == ({}, {})


def test_who_both_lost_a_game_are_given_it_back_one_by_one() -> None:
    hall = hall_of(PES)
    other = hall.state.played[0].pairings[0].pair[1]
    impose(hall, LOST)
    version = len(hall.events) - 1
    impose(hall, LOST, player_id=other)
    lift(hall, version)
    assert (result(hall)[1], hall.state.played[0].decided[GAME].losers) == ("p1", (other,))


def test_points_beside_a_result_leave_every_other_result_as_it_is() -> None:
    hall = hall_of(PES)
    impose(hall, POINTS, points=30)
    version = len(hall.events) - 1
    another_result(hall, (402, 390), reopened=True)
    assert result(hall) == ((402, 390), "p1")
    (_, given_back) = lift(hall, version)
    assert isinstance(given_back, events.PointsAdjusted)
    assert (given_back.points, result(hall)) == (30, ((402, 390), "p1"))


def test_a_sanction_is_lifted_once_and_by_somebody() -> None:
    hall = hall_of(PES)
    impose(hall, POINTS, points=20)
    version = len(hall.events) - 1

    with pytest.raises(Invalid, match="decided_by"):
        lift(hall, version, decided_by=())
    lift(hall, version)
    with pytest.raises(Refusal, match="has already been lifted"):
        lift(hall, version)
    with pytest.raises(Refusal, match="is not a warning, sanction or expulsion: it is PointsAdjusted"):
        lift(hall, len(hall.events))


def test_a_warning_that_is_lifted_does_not_count() -> None:
    hall = hall_of(FISE)
    for _ in range(2):
        hall.carry_out(pb.WarnPlayerRequest(player_id="p1", arbiter_id="marta"))
    (lifted,) = lift(hall, len(hall.events) - 1)

    assert isinstance(lifted, events.WarningLifted)
    assert (lifted.count, hall.state.players[0].warnings) == (1, 1)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("kind", {"kind": 0}),
        ("kind", {"kind": 9}),
        ("game_id", {"kind": POINTS, "points": 30, "game": ""}),
        ("game_id", {"kind": ROUNDS, "rounds": [2], "game": GAME}),
        ("points", {"kind": POINTS}),
        ("points", {"kind": POINTS, "points": -25}),
        ("points", {"kind": LOST, "points": 25}),
        ("rounds", {"kind": ROUNDS}),
        ("rounds", {"kind": LOST, "rounds": [2]}),
        ("player_id", {"kind": LOST, "player_id": "p2"}),
        ("decided_by", {"kind": LOST, "decided_by": ()}),
    ],
)
def test_what_does_not_go_with_a_kind_is_refused_by_its_field(field: str, wrong: dict[str, object]) -> None:
    hall = hall_of(PES)
    before = hall.state
    with pytest.raises(Invalid, match=field):
        impose(hall, **wrong)  # type: ignore[arg-type] # each is the argument of its name
    assert hall.state == before


def test_in_a_game_without_a_result_a_sanction_is_imposed_at_its_table() -> None:
    hall = hall_of(PES)
    hall.pair(2)
    hall.start(2)
    game = next(table.game_id for table in hall.state.played[1].pairings if "p1" in table.player_ids)
    with pytest.raises(Refusal, match="impose the sanction at its table"):
        impose(hall, POINTS, points=30, game=game)


def test_where_the_book_knows_no_sanctions_nothing_is_taken() -> None:
    hall = hall_of(load_ruleset("box"))
    with pytest.raises(Refusal, match="provide for no sanctions"):
        impose(hall, POINTS, points=30)


SANCTIONS = st.one_of(
    st.tuples(st.just(POINTS), st.integers(25, 500), st.just(())),
    st.tuples(st.just(LOST), st.just(0), st.just(())),
    st.tuples(st.just(ROUNDS), st.just(0), st.lists(st.integers(2, 5), min_size=1, max_size=4).map(tuple)),
)


@given(st.sampled_from(["fise", "pes-2024", "fisc-2023"]), st.lists(SANCTIONS, min_size=1, max_size=4), st.booleans())
@settings(max_examples=scale_examples(60), deadline=None)
def test_undo_of_a_sanction_leaves_what_there_was_and_redo_what_there_had_been(
    book: str, sanctions: list[tuple[events.SanctionKind.ValueType, int, tuple[int, ...]]], drawn: bool
) -> None:
    hall = hall_of(load_ruleset(book), (400, 400) if drawn else (400, 390))
    for kind, points, rounds in sanctions:
        before = hall.state
        version = len(hall.events) + 1
        try:
            impose(hall, kind, points=points, rounds=rounds)
        except Refusal:  # the game is lost already
            continue
        after = hall.state
        undone = len(hall.events) + 1
        undo(hall, version)
        assert timeless(hall.state) == timeless(before)
        undo(hall, undone)
        assert timeless(hall.state) == timeless(after)


@pytest.mark.parametrize("kind", [POINTS, ROUNDS, None])
def test_a_lifting_is_undone_once(kind: events.SanctionKind.ValueType | None) -> None:
    hall = hall_of(FISE)
    version = len(hall.events) + 1
    if kind is None:
        hall.carry_out(pb.WarnPlayerRequest(player_id="p1", arbiter_id="marta"))
    else:
        impose(hall, kind, points=30 if kind == POINTS else 0, rounds=[2] if kind == ROUNDS else ())
    imposed = hall.state
    lifted = len(hall.events) + 1
    lift(hall, version)
    undo(hall, lifted)
    assert timeless(hall.state) == timeless(imposed)
    with pytest.raises(Refusal, match="came after it"):
        undo(hall, lifted)
    assert timeless(hall.state) == timeless(imposed)


def test_who_is_let_back_while_a_round_is_paired_plays_it_when_it_is_paired_again() -> None:
    hall = hall_of(PES)
    impose(hall, ROUNDS, rounds=[2])
    version = len(hall.events)
    hall.pair(2)
    lift(hall, version)
    assert not hall.state.players[0].takes_part(2)
    with pytest.raises(Refusal, match="p1 entered after it was paired; pair it again"):
        hall.start(2)
    hall.carry_out(pb.UnpairRoundRequest(round=2))
    hall.pair(2)
    assert "p1" in hall.state.played[1].player_ids
    hall.start(2)


@pytest.mark.parametrize("kept_out", ["leaves", "is sanctioned again", "has another sanction"])
def test_a_round_starts_without_who_was_let_back_after_its_pairing_and_would_not_play_it(kept_out: str) -> None:
    hall = hall_of(PES)
    impose(hall, ROUNDS, rounds=[2])
    version = len(hall.events)
    if kept_out == "has another sanction":
        impose(hall, ROUNDS, rounds=[2, 3])
    hall.pair(2)
    lift(hall, version)
    lifted = len(hall.events)
    if kept_out == "leaves":
        hall.carry_out(pb.WithdrawPlayerRequest(player_id="p1"))
    if kept_out == "is sanctioned again":
        undo(hall, lifted)
    hall.start(2)


def test_an_exclusion_of_which_no_round_is_left_is_not_imposed_again() -> None:
    hall = hall_of(PES)
    impose(hall, ROUNDS, rounds=[2])
    lift(hall, len(hall.events))
    lifted = len(hall.events)
    impose(hall, POINTS, points=5)
    hall.events[lifted - 1].rounds[:] = []  # type: ignore[attr-defined] # as it was recorded with the round begun
    hall.pair(2)
    hall.start(2)
    with pytest.raises(Refusal, match="No round with an exclusion of p1"):
        undo(hall, lifted)


def test_a_warning_imposed_again_proposes_what_its_number_does_and_has_the_note_of_the_undo() -> None:
    hall = hall_of(FISE)
    for _ in range(2):
        hall.carry_out(pb.WarnPlayerRequest(player_id="p1", arbiter_id="marta", note="old"))
    first = len(hall.events) - 1
    lift(hall, first)
    (again,) = hall.decide(pb.UndoActRequest(version=len(hall.events), note="it was not hers"))
    assert isinstance(again, events.PlayerWarned)
    assert (again.count, again.expulsion_proposed, again.note) == (2, True, "it was not hers")
