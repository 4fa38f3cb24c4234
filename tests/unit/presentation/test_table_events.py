"""Events of a table in sentences, for those who compare a hall with the championship."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.hall.v1 import events_pb2 as hall
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.names import Roster
from faristol.presentation.table_events import describe_event, describe_events

KNOWN = Roster(
    pairing.GetTournamentResponse(
        tournament_id="open",
        players=[pairing.Player(player_id="ana", name="Anna Puig"), pairing.Player(player_id="bel", name="Blai Soler")],
    )
)
CASA = game.Word(faces=["C", "A", "S", "A"])
SCORES = [game.FinalScore(player_id="ana", score=400), game.FinalScore(player_id="bel", score=350)]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            game.PlayPlaced(player_id="ana", score=24, words=[game.ScoredWord(word=CASA, score=24)]),
            "Anna Puig plays CASA: 24 points.",
        ),
        (game.Exchanged(player_id="bel", faces=["Q"]), "Blai Soler exchanges 1 tile."),
        (game.ChallengeRaised(player_id="bel", words=[CASA]), "The play is challenged: CASA."),
        (game.ChallengeRuled(valid=True), "The play is ruled valid."),
        (game.ChallengeRuled(valid=False), "The play is ruled not valid."),
        (game.ChallengePenalty(player_id="bel", points=-5), "The challenge costs Blai Soler 5 points."),
        (
            game.SanctionImposed(player_id="ana", kind=game.SANCTION_KIND_POINTS, points=10),
            "Anna Puig is sanctioned: 10 points deducted.",
        ),
        (
            game.SanctionImposed(player_id="ana", kind=game.SANCTION_KIND_WARNING),
            "Anna Puig is sanctioned: a warning.",
        ),
        (game.Abandoned(player_ids=["ana", "bel"]), "Anna Puig – Blai Soler abandons the game."),
        (game.ResultFinal(scores=SCORES), "The result is final: Anna Puig 400 – Blai Soler 350."),
        (game.TableHandedOver(hall="Sala Gran"), "The table is handed over to Sala Gran."),
        (clock.PlayerAbsent(player_id="bel"), "Blai Soler is absent."),
        (
            hall.HallCommandKept(type="faristol.pairing.v1.EnterResultRequest", scores=SCORES),
            "Kept without a line: entry of the result Anna Puig 400 – Blai Soler 350.",
        ),
        (game.TilesDrawn(player_id="ana"), ""),
        (clock.ClockPressed(player_id="ana"), ""),
    ],
    ids=lambda value: value.DESCRIPTOR.name if isinstance(value, Message) else "",
)
def test_an_event_is_a_sentence_with_names_unless_it_only_follows_from_others(event: Message, said: str) -> None:
    assert describe_event(event, KNOWN, "en") == said


def test_events_keep_their_order_and_times_and_the_others_are_counted() -> None:
    at = Timestamp(seconds=1_700_000_000)
    sent = [
        to_sent(game.Passed(player_id="ana", turn=1, occurred_at=at)),
        to_sent(game.TilesDrawn(player_id="ana")),
        to_sent(clock.ClockPressed(player_id="ana")),
        pb.HallEvent(type="faristol.game.v1.CoinTossed", schema_version=1, recorded_at=1_700_000_060_000_000),
        to_sent(game.Passed(player_id="bel", turn=2, occurred_at=at), version=99),
    ]
    lines = describe_events(sent, KNOWN, "en")
    assert [line.said for line in lines] == [
        "Anna Puig passes.",
        "An event of a later version: CoinTossed.",
        "An event of a later version: Passed.",
        "Further events of tiles, scores and clocks: 2.",
    ]
    assert [line.at and line.at.isoformat() for line in lines[:2]] == [
        "2023-11-14T22:13:20+00:00",
        "2023-11-14T22:14:20+00:00",
    ]
    assert lines[-1].at is None


def to_sent(message: Message, version: int = 1) -> pb.HallEvent:
    return pb.HallEvent(type=message.DESCRIPTOR.full_name, schema_version=version, payload=message.SerializeToString())
