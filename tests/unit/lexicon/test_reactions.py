from __future__ import annotations

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.consumers import Reaction
from faristol.event_store import Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.host import Runtime, Settings, StartError
from faristol.kernel.cases import case_id_of
from faristol.lexicon.service_module import part
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules import load_ruleset
from faristol.words import InstalledLexicon

GAME = "cup-r1-t1"
CASE = case_id_of(GAME, b"", 1)


async def record_challenge(record: Record, digest: str, *words: tuple[str, ...]) -> Recorded:
    """Record a game whose only play was challenged; return the event of the challenge."""
    new_events = [
        game_events.GameOpened(
            game_id=GAME,
            tournament_id="cup",
            ruleset=game_events.Pin(name="fisc-2023", digest=load_ruleset("fisc-2023").digest),
            lexicon=game_events.Pin(name="catalan", digest=digest),
        ),
        game_events.ChallengeRaised(
            turn=1,
            challenge=1,
            words=[game_events.Word(faces=word) for word in words],
            occurred_at=Timestamp(seconds=1_700_000_000),
        ),
    ]
    await record.append(Decision([Write(f"game-{GAME}", 0, new_events, "cup")]), Metadata())
    return (await record.read_stream(f"game-{GAME}"))[-1]


@pytest.fixture
def reaction(record: Record, settings: Settings, catalan: InstalledLexicon) -> Reaction:
    (only,) = part(Runtime(settings, record)).reactions
    return only


async def test_a_challenge_is_a_ruled_case_in_one_append(
    record: Record, reaction: Reaction, catalan: InstalledLexicon
) -> None:
    event = await record_challenge(record, catalan.digest, ("A", "NY"), ("A", "N"))
    assert event.type in reaction.types
    decision = await reaction.react(event)
    assert decision is not None
    (write,) = decision.writes
    assert (write.stream, write.expected_version, write.tournament) == (f"case-{CASE}", 0, "cup")
    await record.append(decision, Metadata())
    opened, ruled = (recorded.message for recorded in await record.read_stream(f"case-{CASE}"))
    assert isinstance(opened, events.CaseOpened)
    assert isinstance(ruled, events.CaseRuled)
    assert [word.valid for word in ruled.words] == [True, False]
    assert not ruled.valid


async def test_a_challenge_told_twice_changes_nothing(
    record: Record, reaction: Reaction, catalan: InstalledLexicon
) -> None:
    event = await record_challenge(record, catalan.digest, ("A", "NY"))
    first, again = await reaction.react(event), await reaction.react(event)
    assert first is not None
    assert again is not None
    await record.append(first, Metadata())
    with pytest.raises(Conflict):
        await record.append(again, Metadata())
    assert await reaction.react(event) is None


async def test_another_lexicon_never_rules_in_place_of_the_pinned_one(record: Record, reaction: Reaction) -> None:
    event = await record_challenge(record, "0" * 64, ("A", "NY"))
    with pytest.raises(StartError, match=f"challenge 1 of game {GAME} waits for the lexicon catalan: no lexicon with"):
        await reaction.react(event)


async def test_a_case_that_was_opened_under_its_former_name_keeps_it(
    record: Record, reaction: Reaction, catalan: InstalledLexicon
) -> None:
    event = await record_challenge(record, catalan.digest, ("A", "NY"))
    former = f"{GAME}-1"
    opened = events.CaseOpened(case_id=former, game_id=GAME, challenge=1, panel=1, mode=events.MODE_JUDGE)
    opened.occurred_at.GetCurrentTime()
    await record.append(Decision([Write(f"case-{former}", 0, [opened], "cup")]), Metadata())
    assert await reaction.react(event) is None
    ended = game_events.GameEnded(occurred_at=opened.occurred_at)
    await record.append(Decision([Write(f"game-{GAME}", 2, [ended], "cup")]), Metadata())
    decision = await reaction.react((await record.read_stream(f"game-{GAME}"))[-1])
    assert decision is not None
    assert [(write.stream, write.expected_version) for write in decision.writes] == [(f"case-{former}", 1)]


@pytest.mark.parametrize("end", [game_events.GameEnded, game_events.TableClosed])
async def test_a_case_that_waits_is_withdrawn_when_its_game_or_its_table_ends(
    end: type[game_events.GameEnded | game_events.TableClosed],
    record: Record,
    reaction: Reaction,
    catalan: InstalledLexicon,
) -> None:
    event = await record_challenge(record, catalan.digest, ("A", "NY"))
    opened = events.CaseOpened(case_id=CASE, game_id=GAME, challenge=1, panel=1, mode=events.MODE_JUDGE)
    opened.occurred_at.CopyFrom(Timestamp(seconds=1_700_000_000))
    await record.append(Decision([Write(f"case-{CASE}", 0, [opened], "cup")]), Metadata())
    ended = end(occurred_at=Timestamp(seconds=1_700_000_060))
    await record.append(Decision([Write(event.stream, event.version, [ended], "cup")]), Metadata())
    last = (await record.read_stream(event.stream))[-1]
    assert last.type in reaction.types
    decision = await reaction.react(last)
    assert decision is not None
    ((message,),) = (write.events for write in decision.writes)
    assert isinstance(message, events.CaseWithdrawn)
    assert message.occurred_at == ended.occurred_at
