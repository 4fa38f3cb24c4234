"""The windows of a book are respected in every order of commands: a press and a challenge never both succeed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.component.table_play import GAME, played_by

from faristol.event_store import Recorded
from faristol.host.table_store import load_table
from faristol.kernel.times import instant
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options

BOOKS = {
    "uf": with_options(load_ruleset("uf-2007"), {"minutes": 30}),
    "fisc": load_ruleset("fisc-2023"),
    "festa-major": load_ruleset("festa-major"),
    "fise": load_ruleset("fise"),
    "fise-non-running": with_options(load_ruleset("fise"), {"time": "non-running"}),
    "pes": load_ruleset("pes-2024"),
}
BY_DAY = frozenset({"fisc", "fise-non-running"})
"""A clock that runs up to the press, and one that stops while a play is counted; the others are played every night."""
TURN_COUNT = 12


def find_broken_rules(events: Sequence[Recorded], ruleset: Ruleset) -> Iterator[str]:
    """Yield every rule of the windows that the events of a table and its clock violate, in the order of the record."""
    presses, law = "press" in ruleset.turn.steps, ruleset.challenge
    placed, drawn, pressed, withdrawn, over = (set[int]() for _ in range(5))
    written = defaultdict[int, set[str]](set)
    held_at: dict[int, int] = {}
    open_challenge = turn = 0
    for event in events:
        match event.message:
            case game.PlayPlaced() as play:
                turn = play.turn
                placed.add(turn)
            case game.TilesDrawn() if turn in placed:
                drawn.add(turn)
            case game.ScoreWritten() as score:
                written[score.turn].add(score.player_id)
            case clock.ClockHeldByMover() as held:
                held_at[held.turn] = instant(held.occurred_at)
            case game.ChallengeRaised() as raised:
                open_challenge = raised.turn
                if presses and raised.turn in pressed:
                    yield f"turn {raised.turn} was challenged after the press"
                if law.closes_on == "refill" and raised.turn in drawn:
                    yield f"turn {raised.turn} was challenged after the draw"
                if law.closes_on == "challenger-writes" and raised.player_id in written[raised.turn]:
                    yield f"turn {raised.turn} was challenged by who had written its score"
                if law.closes_on == "both-write" and len(written[raised.turn]) == 2:
                    yield f"turn {raised.turn} was challenged after both had written its score"
                if law.closes_on == "next-turn" and raised.turn + 1 in placed:
                    yield f"turn {raised.turn} was challenged after the next was taken"
                if law.opens_on == "clock-stopped" and raised.turn not in held_at:
                    yield f"turn {raised.turn} was challenged before the clock was stopped"
                if law.seconds_max is not None:
                    waited = instant(raised.occurred_at) - held_at.get(raised.turn, 0)
                    if waited > law.seconds_max * 1_000_000_000:
                        yield f"turn {raised.turn} was challenged {waited} ns after the clock was stopped"
            case game.ChallengeRuled() as ruled if ruled.valid:
                open_challenge = 0
            case game.AppealRaised() as appeal:
                open_challenge = appeal.turn
            case game.AppealRuled() as ruled if ruled.valid:
                open_challenge = 0
            case game.PlayWithdrawn() as gone:
                open_challenge = 0
                withdrawn.add(gone.turn)
                if presses and gone.turn in pressed:
                    yield f"turn {gone.turn} was pressed, and its play withdrawn"
                if presses and gone.turn in over:
                    yield f"turn {gone.turn} was completed and withdrawn"
            case clock.ClockPressed() as press:
                if press.turn in pressed:
                    yield f"turn {press.turn} was pressed twice"
                if open_challenge == press.turn:
                    yield f"turn {press.turn} was pressed while its play was in question"
                if press.turn in withdrawn:
                    yield f"turn {press.turn} was pressed after its play was withdrawn"
                pressed.add(press.turn)
            case game.PlayCompleted() as completed:
                if presses and completed.turn not in pressed:
                    yield f"turn {completed.turn} was completed without a press"
                if completed.turn in over or completed.turn in withdrawn:
                    yield f"turn {completed.turn} was over already when it was completed"
                over.add(completed.turn)


def neutral(events: Sequence[Recorded], ruleset: Ruleset) -> Iterator[str]:
    """Yield every challenge without the stopped clock that the book requires, and every stop without a challenge."""
    raised = [event.message.challenge for event in events if isinstance(event.message, game.ChallengeRaised)]
    stood = [event.message.challenge for event in events if isinstance(event.message, clock.ClockNeutralised)]
    if "challenge" in ruleset.clock.neutralised_by:
        yield from (f"no clock stood for challenge {number}" for number in raised if number not in stood)
    yield from (
        f"a clock stood for challenge {number}, which nobody raised" for number in stood if number not in raised
    )


@pytest.mark.parametrize(
    "book", [pytest.param(book, marks=[pytest.mark.nightly] * (book not in BY_DAY)) for book in BOOKS]
)
async def test_whoever_is_first_the_windows_of_the_book_hold(
    book: str, tmp_path: Path, new_database: str, shared_nats: str
) -> None:
    ruleset = BOOKS[book]
    async with played_by(ruleset, list(BOOKS).index(book), tmp_path, new_database, shared_nats) as hall:
        for _ in range(TURN_COUNT):
            if not await hall.turn():
                break
        record = hall.record
        streams = {f"game-{GAME}", f"clock-{GAME}"}
        events = [event for event in await record.read(0, limit=10_000) if event.stream in streams]
        settled = await load_table(record, GAME, rulings=False)
    assert settled is not None
    assert not settled.missing
    assert [*find_broken_rules(events, ruleset), *neutral(events, ruleset)] == []
    names = {event.name for event in events}
    assert {"ChallengeRaised", "ChallengeRuled", "PlayCompleted"} <= names
    assert "Challenge" in hall.refused or "Press" in hall.refused


def test_the_check_sees_a_press_and_a_challenge_that_both_won() -> None:
    fisc = BOOKS["fisc"]

    def check_events(*events: object) -> list[str]:
        return list(find_broken_rules([Told(event) for event in events], fisc))  # type: ignore[misc] # what is read of an event

    class Told:
        def __init__(self, message: object) -> None:
            self.message = message

    placed = game.PlayPlaced(turn=1, player_id="anna")
    raised = game.ChallengeRaised(turn=1, challenge=1, player_id="biel")
    pressed = clock.ClockPressed(player_id="anna", turn=1)
    assert check_events(placed, pressed, raised) == ["turn 1 was challenged after the press"]
    assert check_events(placed, raised, pressed) == ["turn 1 was pressed while its play was in question"]
    withdrawn = game.PlayWithdrawn(turn=1, player_id="anna")
    assert check_events(placed, raised, withdrawn, pressed) == ["turn 1 was pressed after its play was withdrawn"]
    assert check_events(placed, game.TilesDrawn(player_id="anna"), raised) == ["turn 1 was challenged after the draw"]
    assert check_events(placed, game.PlayCompleted(turn=1)) == ["turn 1 was completed without a press"]
