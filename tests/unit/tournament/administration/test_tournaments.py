from __future__ import annotations

from datetime import timedelta

import pytest
from tests.support.halls import FISC, LEXICON, NOON, SEED, Hall, decide_command
from tests.support.refusals import refusal_of

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.pins import Pin
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.administration import tournaments
from faristol.tournament.results.results import record_result
from faristol.tournament.situation import Situation
from faristol.tournament.state import Phase, TournamentState

EIGHT = {f"p{place}": 2000 - 100 * place for place in range(1, 9)}


def create(state: TournamentState = TournamentState(), *, rounds: int = 5, seed: bytes = SEED) -> None:  # noqa: B008 # frozen
    asked = pb.CreateTournamentRequest(tournament_id="open", name="Open", rounds=rounds, seed=seed)
    tournaments.create(Situation(state, now=NOON, rules=FISC), asked, LEXICON)


def test_a_championship_of_4_rounds_is_refused() -> None:
    # FISC I.1.
    refusal = refusal_of(lambda: create(rounds=4))

    assert (refusal.reason, refusal.article) == ("TOO_FEW_ROUNDS", "FISC I.1")


def test_rules_and_lexicon_are_pinned_by_content() -> None:
    state = Hall({}).state

    assert state.ruleset == Pin("fisc-2023", FISC.digest)
    assert state.lexicon == LEXICON
    assert (state.name, state.rounds, state.seed, state.created_at) == ("Open", 5, SEED, NOON)


def test_an_id_is_taken_once() -> None:
    with pytest.raises(AlreadyExists, match="tournament 'open'"):
        create(Hall({}).state)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_seed_has_32_bytes(size: int) -> None:
    with pytest.raises(Invalid, match=f"seed: has {size} bytes; expected 32"):
        create(seed=bytes(size))


def test_a_player_registers_once() -> None:
    with pytest.raises(AlreadyExists, match="player 'p1'"):
        decide_command(Hall(EIGHT).state, pb.RegisterPlayerRequest(player_id="p1", rating=1500), rules=FISC)


def test_an_unrated_player_starts_at_1000() -> None:
    (event,) = decide_command(Hall({}).state, pb.RegisterPlayerRequest(player_id="new", rating=None), rules=FISC)

    assert isinstance(event, events.PlayerRegistered)
    assert (event.rating, event.unrated) == (1000, True)


@pytest.mark.parametrize("rating", [-1, 10_000])
def test_a_rating_is_a_sensible_number(rating: int) -> None:
    with pytest.raises(Invalid, match=f"rating: is {rating}"):
        decide_command(Hall({}).state, pb.RegisterPlayerRequest(player_id="p", rating=rating), rules=FISC)


def test_desks_may_register_in_any_order_but_not_before_the_tournament() -> None:
    hall = Hall(EIGHT)
    early = NOON + timedelta(seconds=1)

    (event,) = decide_command(
        hall.state, pb.RegisterPlayerRequest(player_id="ninth", rating=None), rules=FISC, at=early
    )

    assert isinstance(event, events.PlayerRegistered)
    assert to_datetime(event.occurred_at) == early
    with pytest.raises(Invalid, match="occurred_at: is 2024-05-04T11:59:59"):
        decide_command(
            hall.state,
            pb.RegisterPlayerRequest(player_id="ninth", rating=None),
            rules=FISC,
            at=NOON - timedelta(seconds=1),
        )


def test_round_1_follows_the_ratings_and_not_the_order_of_registration() -> None:
    hall = Hall(dict(reversed(EIGHT.items())))

    hall.pair(1)

    (played,) = hall.state.played
    assert [pairing.player_ids for pairing in played.pairings] == [
        ("p1", "p5"),
        ("p2", "p6"),
        ("p3", "p7"),
        ("p4", "p8"),
    ]
    assert [pairing.game_id for pairing in played.pairings] == [f"open-r1-t{table}" for table in (1, 2, 3, 4)]
    assert played.phase is Phase.PAIRED


def test_a_pairing_says_how_it_was_made_without_giving_the_seed_away() -> None:
    hall = Hall(EIGHT)

    (event,) = hall.pair(1)

    assert isinstance(event, events.RoundPaired)
    assert event.algorithm == "swiss-classification-1"
    assert len(event.seed) == 32
    assert event.seed != SEED


def test_an_odd_number_gives_the_last_a_bye_and_the_points_of_a_win() -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 8)})
    hall.play(1)

    # p7 has a point without having played, and so meets a winner's score group.
    (paired, bye) = hall.pair(2)

    assert hall.state.played[0].bye == "p7"
    assert isinstance(paired, events.RoundPaired)
    assert isinstance(bye, events.ByeAwarded)
    pair = next(table for table in paired.pairings if "p7" in (table.first_player_id, table.second_player_id))
    assert {pair.first_player_id, pair.second_player_id} - {"p7"} <= {"p1", "p2", "p3"}
    assert bye.player_id == "p6"


@pytest.mark.parametrize("players", [0, 1])
def test_a_round_needs_two_players(players: int) -> None:
    hall = Hall(dict(list(EIGHT.items())[:players]))

    assert refusal_of(lambda: hall.pair(1)).reason == "TOO_FEW_PLAYERS"


@pytest.mark.parametrize(("players", "most"), [(2, 1), (3, 3), (4, 3)])
def test_more_rounds_than_opponents_are_refused_before_anybody_plays(players: int, most: int) -> None:
    hall = Hall(dict(list(EIGHT.items())[:players]))

    refusal = refusal_of(lambda: hall.pair(1))

    assert refusal.reason == "TOO_MANY_ROUNDS"
    assert f"{players} players can play {most} round" in str(refusal)


@pytest.mark.parametrize("players", [5, 6])
def test_five_rounds_can_be_a_round_robin(players: int) -> None:
    hall = Hall(dict(list(EIGHT.items())[:players]))

    for number in range(1, 6):
        hall.play(number)

    assert all(played.phase is Phase.CLOSED for played in hall.state.played)


@pytest.mark.parametrize("number", [-1, 2, 7])
def test_a_round_out_of_order_is_refused_and_the_next_one_named(number: int) -> None:
    refusal = refusal_of(lambda: Hall(EIGHT).pair(number))

    assert refusal.reason == "ROUND_OUT_OF_ORDER"
    assert "the next is round 1" in str(refusal)


def test_a_round_is_paired_once() -> None:
    hall = Hall(EIGHT)
    hall.pair(1)

    assert refusal_of(lambda: hall.pair(1)).reason == "ROUND_PAIRED"


def test_the_next_round_waits_for_the_one_before() -> None:
    hall = Hall(EIGHT)
    hall.pair(1)
    hall.start(1)

    refusal = refusal_of(lambda: hall.pair(2))

    assert refusal.reason == "ROUND_OPEN"
    assert "round 1 is not closed" in str(refusal)


def test_there_is_no_round_after_the_last() -> None:
    hall = Hall(EIGHT)
    for number in range(1, 6):
        hall.play(number)

    assert refusal_of(lambda: hall.pair(6)).reason == "NO_ROUND_LEFT"


def test_a_round_is_started_once_and_after_it_is_paired() -> None:
    hall = Hall(EIGHT)

    assert refusal_of(lambda: hall.start(1)).reason == "ROUND_NOT_PAIRED"
    hall.pair(1)
    assert refusal_of(lambda: hall.start(2)).reason == "ROUND_NOT_PAIRED"
    hall.start(1)
    assert refusal_of(lambda: hall.start(1)).reason == "ROUND_STARTED"


def test_closing_names_every_table_whose_result_is_missing() -> None:
    hall = Hall(EIGHT)
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t1", 400, 300)
    hall.report("open-r1-t3", 300, 300)

    refusal = refusal_of(lambda: hall.close(1))

    assert (refusal.reason, refusal.article) == ("RESULTS_MISSING", "FISC I.8")
    assert "2 results are missing, at tables 2 (open-r1-t2), 4 (open-r1-t4)" in str(refusal)


def test_a_round_is_closed_once_and_after_it_is_started() -> None:
    hall = Hall(EIGHT)
    assert refusal_of(lambda: hall.close(1)).reason == "ROUND_NOT_PAIRED"
    hall.pair(1)
    assert refusal_of(lambda: hall.close(1)).reason == "ROUND_NOT_STARTED"
    hall.start(1)
    for table in (1, 2, 3, 4):
        hall.report(f"open-r1-t{table}", 400, 300)
    hall.close(1)
    assert refusal_of(lambda: hall.close(1)).reason == "ROUND_CLOSED"


def test_winners_meet_in_round_2() -> None:
    hall = Hall(EIGHT)
    hall.play(1)

    hall.pair(2)

    pairs = [pairing.player_ids for pairing in hall.state.played[1].pairings]
    assert pairs == [("p1", "p2"), ("p3", "p4"), ("p5", "p6"), ("p7", "p8")]


def test_a_result_is_recorded_as_it_became_final() -> None:
    hall = Hall(EIGHT)
    hall.pair(1)
    hall.start(1)
    at = to_timestamp(NOON + timedelta(hours=1))

    (event,) = record_result(
        hall.state, hall.ruleset, game="open-r1-t2", scores=[("p2", 401), ("p6", 388)], occurred_at=at
    )

    assert isinstance(event, events.ResultRecorded)
    assert (event.round, event.game_id, event.occurred_at) == (1, "open-r1-t2", at)
    assert [(score.player_id, score.score) for score in event.scores] == [("p2", 401), ("p6", 388)]


def test_a_result_heard_twice_is_recorded_once() -> None:
    hall = Hall(EIGHT)
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t1", 400, 300)

    assert hall.report("open-r1-t1", 400, 300) == []


@pytest.mark.parametrize(
    ("game", "scores", "reason", "article"),
    [
        ("open-r1-t5", [("p1", 1), ("p5", 2)], "GAME_NOT_PAIRED", ""),
        ("other-r1-t1", [("p1", 1), ("p5", 2)], "GAME_NOT_PAIRED", ""),
        ("open-r1-t2", [("p6", 1), ("p2", 2)], "WRONG_PLAYERS", ""),
        ("open-r1-t2", [("p2", 1)], "WRONG_PLAYERS", ""),
        ("open-r1-t1", [("p1", 401), ("p5", 300)], "RESULT_KNOWN", "FISC I.8"),
    ],
)
def test_a_result_that_cannot_be_is_not_taken_silently(
    game: str, scores: list[tuple[str, int]], reason: str, article: str
) -> None:
    hall = Hall(EIGHT)
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t1", 400, 300)

    refusal = refusal_of(
        lambda: record_result(hall.state, hall.ruleset, game=game, scores=scores, occurred_at=to_timestamp(NOON))
    )

    assert (refusal.reason, refusal.article) == (reason, article)
    assert str(refusal)


def test_no_result_comes_before_the_round_is_started() -> None:
    hall = Hall(EIGHT)
    hall.pair(1)

    assert refusal_of(lambda: hall.report("open-r1-t1", 400, 300)).reason == "ROUND_NOT_STARTED"


def test_final_standings_follow_the_last_round_and_end_the_tournament() -> None:
    hall = Hall(EIGHT)
    for number in range(1, 6):
        refusal = refusal_of(lambda: hall.decide(pb.PublishStandingsRequest()))
        assert refusal.reason == "ROUNDS_LEFT"
        assert f"{number - 1} of 5 rounds are closed, round {number} is not" in str(refusal)
        hall.play(number)

    hall.carry_out(pb.PublishStandingsRequest())

    assert hall.state.over
    for act in (
        lambda: hall.pair(6),
        lambda: hall.start(5),
        lambda: hall.close(5),
        lambda: hall.decide(pb.PublishStandingsRequest()),
    ):
        assert refusal_of(act).reason == "TOURNAMENT_OVER"


def test_an_act_on_a_round_is_never_before_what_has_happened() -> None:
    hall = Hall(EIGHT)
    latest = hall.state.latest

    with pytest.raises(Invalid) as refused:
        hall.decide(pb.PairRoundRequest(round=1), at=latest - timedelta(microseconds=1))
    assert latest.isoformat() in str(refused.value)

    (event,) = decide_command(hall.state, pb.PairRoundRequest(round=1), rules=FISC, now=latest - timedelta(hours=1))
    assert isinstance(event, events.RoundPaired)
    assert to_datetime(event.occurred_at) == latest, "a slow clock of the service does not turn time back"
