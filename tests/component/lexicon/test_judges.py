from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from tests.support.court import Court, command, now, reason, serving, sitting, until

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.personal_data.erasure import erase_note
from faristol.words import InstalledLexicon, Library

ANY, ANYS = ("A", "NY"), ("A", "NY", "S")
GAME = "cup-r1-t1"


@pytest.fixture
async def court(tmp_path: Path, library: Library, catalan: InstalledLexicon, shared_nats: str) -> AsyncIterator[Court]:
    async with sitting(tmp_path, library.path, shared_nats, catalan.digest) as made:
        yield made


async def test_a_tournament_is_ruled_on_by_the_lexicon_unless_a_director_says_otherwise(court: Court) -> None:
    await court.open_game(GAME)
    ruled = await court.came(await court.challenge(GAME, ANY), events.CaseRuled)
    assert (ruled.valid, ruled.mode, list(ruled.judge_ids)) == (True, events.MODE_AUTOMATIC, [])
    await court.set_mode(events.MODE_JUDGE)
    case_id = await court.challenge(GAME, ANY, number=2)
    assert (await court.wait_for_case("ada", case_id)).mode == events.MODE_JUDGE
    answer = await court.direct.GetAdjudication(pb.GetAdjudicationRequest(tournament_id="cup"))
    assert (answer.mode, answer.panel, [judge.judge_id for judge in answer.judges]) == (
        events.MODE_JUDGE,
        1,
        ["ada", "berta", "carles", "head"],
    )


async def test_of_two_judges_who_claim_at_once_one_gets_the_case_and_the_other_is_told_who(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    answers = await asyncio.gather(
        court.claim(case_id, "ada"),
        court.claim(case_id, "berta"),
        court.claim(case_id, "carles"),
        return_exceptions=True,
    )
    (claimed,) = await court.events(case_id, events.CaseClaimed)
    refused = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
    assert len(refused) == 2
    assert all(f"assigned to {claimed.judge_id}" in str(answer.details()) for answer in refused)


async def test_a_judge_holds_one_case_at_a_time(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    first, second = await court.challenge(GAME, ANY), await court.challenge(GAME, ANYS, number=2)
    await court.wait_for_case("ada", second)
    await court.claim(first, "ada")
    assert (await reason(court.claim(second, "ada")))[0] == "HOLDS_ANOTHER"
    await court.rule(first, "ada", {ANY: True})
    assert (await court.claim(second, "ada")).seat == 1


async def test_a_case_file_has_what_is_known_of_the_words_and_nothing_of_the_players(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    first = await court.challenge(GAME, ANYS)
    await court.wait_for_case("ada", first)
    await court.claim(first, "ada")
    await court.rule(first, "ada", {ANYS: True}, "the plural of any", "Gramàtica, 7.2")
    second = await court.challenge(GAME, ANY, ANYS, number=2)
    await court.wait_for_case("berta", second)
    file = await court.judges.GetCaseFile(pb.GetCaseFileRequest(case_id=second, judge_id="berta"))
    known, unknown = file.words
    assert (known.valid, [(listing.layer, listing.on) for listing in known.listings], list(known.earlier)) == (
        True,
        [("", True)],
        [],
    )
    assert (unknown.valid, list(unknown.listings)) == (False, [])
    (earlier,) = unknown.earlier
    assert (earlier.case_id, earlier.valid, earlier.reason, earlier.source) == (
        first,
        True,
        "the plural of any",
        "Gramàtica, 7.2",
    )
    assert (file.edition, file.article, file.language) == ("first", "FISC I.10", "ca")
    told = str(file) + str(await court.queue("berta"))
    for name in ("anna", "biel", GAME):
        assert name not in told
    refused = court.judges.GetCaseFile(pb.GetCaseFileRequest(case_id=second, judge_id="stranger"))
    assert (await reason(refused))[0] == "NOT_A_JUDGE"


async def test_judges_of_a_panel_are_blind_to_each_other_until_the_last_has_ruled(court: Court) -> None:
    await court.set_mode(events.MODE_PANEL, panel=3)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    for judge, valid in (("ada", True), ("berta", False), ("carles", True)):
        await court.claim(case_id, judge)
        before = await court.lexicon.GetCase(lexicon_pb2.GetCaseRequest(case_id=case_id))
        assert not before.opinions
        assert not before.ruled
        answer = await court.rule(case_id, judge, {ANY: valid}, "as said", "a grammar")
        assert answer.ruled == (judge == "carles")
    case = await court.lexicon.GetCase(lexicon_pb2.GetCaseRequest(case_id=case_id))
    assert case.valid
    assert [(opinion.judge_id, opinion.words[0].valid) for opinion in case.opinions] == [
        ("ada", True),
        ("berta", False),
        ("carles", True),
    ]
    (ruled,) = await court.events(case_id, events.CaseRuled)
    assert list(ruled.judge_ids) == ["ada", "berta", "carles"]


async def test_a_judge_who_gives_no_sign_loses_the_case_and_no_other(court: Court) -> None:
    await court.open_game(GAME)
    await court.set_mode(events.MODE_JUDGE, lease_seconds=600)
    kept = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", kept)
    await court.claim(kept, "ada")
    await court.set_mode(events.MODE_JUDGE, lease_seconds=2)
    lost = await court.challenge(GAME, ANY, number=2)
    await court.wait_for_case("berta", lost)
    await court.claim(lost, "berta")
    returned = await court.came(lost, events.CaseReturned)
    assert (returned.judge_id, returned.reason) == ("berta", events.RETURN_REASON_SILENT)
    assert (await reason(court.keep(lost, "berta")))[0] == "CLAIM_LOST"
    assert (await reason(court.rule(lost, "berta", {ANY: True})))[0] == "CLAIM_LOST"
    assert (await court.claim(lost, "carles")).seat == 1
    assert (await court.keep(kept, "ada")).lease_seconds == 600
    assert await court.events(kept, events.CaseReturned) == []


async def test_a_case_that_is_given_back_is_free_at_once(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    await court.claim(case_id, "ada")
    await court.judges.ReleaseCase(pb.ReleaseCaseRequest(command_id=command(), case_id=case_id, judge_id="ada"))
    assert (await court.claim(case_id, "berta")).seat == 1


async def test_a_dismissed_judge_leaves_the_case_and_rules_no_more(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    await court.claim(case_id, "ada")
    await court.direct.DismissJudge(pb.DismissJudgeRequest(command_id=command(), tournament_id="cup", judge_id="ada"))
    assert (await reason(court.rule(case_id, "ada", {ANY: True})))[0] == "NOT_A_JUDGE"
    assert (await court.came(case_id, events.CaseReturned)).reason == events.RETURN_REASON_DISMISSED


async def test_a_case_is_escalated_once_by_however_many_processes_and_the_director_rules(
    court: Court, tmp_path: Path, library: Library, shared_nats: str
) -> None:
    async with serving(tmp_path, library.path, shared_nats):
        await court.set_mode(events.MODE_JUDGE, escalate_after_seconds=5)
        await court.open_game(GAME)
        case_id = await court.challenge(GAME, ANY)
        await court.wait_for_case("ada", case_id)
        assert await court.queue("head") == []
        assert (await court.wait_for_case("head", case_id)).escalated
        await court.claim(case_id, "head")
        assert (await court.rule(case_id, "head", {ANY: True})).ruled
    assert len(await court.events(case_id, events.CaseEscalated)) == 1
    (ruled,) = await court.events(case_id, events.CaseRuled)
    assert ruled.director


async def test_a_queue_tells_its_changes_longest_wait_first(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    call = court.judges.WatchQueue(pb.WatchQueueRequest(judge_id="ada"))
    coming = aiter(call)
    assert list((await anext(coming)).cases) == []
    first = await court.challenge(GAME, ANY)
    second = await court.challenge(GAME, ANY, number=2)

    async def next_with(*case_ids: str) -> list[pb.QueuedCase]:
        async for answer in coming:
            if [case.case_id for case in answer.cases] == list(case_ids):
                return list(answer.cases)
        raise AssertionError("the stream ended")

    await asyncio.wait_for(next_with(first, second), 60)
    await court.claim(first, "berta")
    await asyncio.wait_for(next_with(second), 60)
    await court.claim(second, "ada")
    (held,) = await asyncio.wait_for(next_with(second), 60)
    if not held.held:
        (held,) = await asyncio.wait_for(next_with(second), 60)
    assert held.held
    call.cancel()
    assert await court.queue("ada", "es") == []
    assert await court.queue("stranger") == []


async def test_a_case_whose_game_ended_leaves_the_queue(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    await court.add(f"game-{GAME}", game_events.GameEnded(occurred_at=now()))
    assert (await court.came(case_id, events.CaseWithdrawn)).reason == events.WITHDRAWN_REASON_GAME_ENDED
    assert (await reason(court.claim(case_id, "ada")))[0] == "CASE_WITHDRAWN"


async def test_a_case_whose_challenge_was_taken_back_leaves_the_queue_and_the_next_one_stays(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    await court.add(f"game-{GAME}", game_events.EntriesTakenBack(turn=3, occurred_at=now()))
    again = await court.challenge(GAME, ANYS, number=2)
    withdrawn = await court.came(case_id, events.CaseWithdrawn)
    assert withdrawn.reason == events.WITHDRAWN_REASON_ENTRIES_TAKEN_BACK
    assert (await reason(court.claim(case_id, "ada")))[0] == "CASE_WITHDRAWN"
    await court.wait_for_case("ada", again)
    await court.claim(again, "ada")
    await court.rule(again, "ada", {ANYS: False})


async def test_an_appeal_goes_to_another_judge_with_its_arguments(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANYS)
    await court.wait_for_case("ada", case_id)
    await court.claim(case_id, "ada")
    await court.rule(case_id, "ada", {ANYS: False})
    appeal = await court.wait_for_case("berta", await court.appeal(GAME, "see 7.2"))
    assert appeal.appeal
    assert (await reason(court.claim(appeal.case_id, "ada")))[0] == "RULED_FIRST"
    await court.claim(appeal.case_id, "berta")
    file = await court.judges.GetCaseFile(pb.GetCaseFileRequest(case_id=appeal.case_id, judge_id="berta"))
    assert file.arguments == "see 7.2"
    assert not await court.record.notes_of(f"case-{appeal.case_id}")
    assert not [each for each in await court.record.read() if b"7.2" in each.payload]
    (raised,) = [each for each in await court.record.read_stream(f"game-{GAME}") if each.name == "AppealRaised"]
    await erase_note(court.record, raised.stream, raised.version)
    file = await court.judges.GetCaseFile(pb.GetCaseFileRequest(case_id=appeal.case_id, judge_id="berta"))
    assert file.arguments == ""
    await court.rule(appeal.case_id, "berta", {ANYS: True}, "the plural of any", "Gramàtica, 7.2")
    (ruled,) = await court.events(appeal.case_id, events.CaseRuled)
    assert (ruled.appeal, ruled.valid, ruled.challenge) == (True, True, 1)
    assert len(await court.events(case_id, events.CaseRuled)) == 1


async def test_an_appeal_that_the_arbiter_at_the_table_ruled_on_leaves_the_queue(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    await court.claim(case_id, "ada")
    await court.rule(case_id, "ada", {ANY: True})
    appeal_id = await court.appeal(GAME)
    await court.wait_for_case("berta", appeal_id)
    await court.add(f"game-{GAME}", game_events.AppealRuled(turn=3, challenge=1, occurred_at=now()))
    withdrawn = await court.came(appeal_id, events.CaseWithdrawn)
    assert withdrawn.reason == events.WITHDRAWN_REASON_ARBITER_RULED


async def test_a_judge_is_shown_what_was_ruled_on_a_word_in_every_tournament_of_the_cell_the_latest_first(
    court: Court,
) -> None:
    other = replace(court, tournament="lliga", versions={})
    await other.found_tournament()
    await other.appoint("ada", "berta")
    await other.appoint("head", languages=["en"], director=True)
    ruled = []
    for number, held in enumerate((court, other, court), start=1):
        await held.set_mode(events.MODE_JUDGE)
        game_id = f"{held.tournament}-r1-t{number}"
        await held.open_game(game_id)
        case_id = await held.challenge(game_id, ANYS)
        await held.wait_for_case("ada", case_id)
        await held.claim(case_id, "ada")
        await held.rule(case_id, "ada", {ANYS: number != 2}, f"reason {number}", "Gramàtica, 7.2")
        ruled.append((case_id, held.tournament, number != 2, f"reason {number}"))
    await other.open_game("lliga-r1-t9")
    waits = await other.challenge("lliga-r1-t9", ANY, ANYS)
    await other.wait_for_case("berta", waits)
    file = await court.judges.GetCaseFile(pb.GetCaseFileRequest(case_id=waits, judge_id="berta"))
    unruled, known = file.words
    assert list(unruled.earlier) == []
    assert [(each.case_id, each.tournament_id, each.valid, each.reason) for each in known.earlier] == ruled[::-1]


async def rulings(court: Court, number: int = 0) -> list[pb.PublicRuling]:
    answer = await court.direct.ListRulings(pb.ListRulingsRequest(tournament_id="cup", round=number))
    return list(answer.rulings)


async def test_the_public_sees_rulings_after_the_round_and_as_much_as_the_rules_let_players_know(court: Court) -> None:
    await court.open_game(GAME)
    await court.open_game("cup-r1-t2", ruleset="pes-2024")
    await court.open_game("cup-r2-t1", number=2)
    for game_id in (GAME, "cup-r1-t2", "cup-r2-t1"):
        await court.came(await court.challenge(game_id, ANY, ANYS), events.CaseRuled)
    assert await rulings(court) == []
    await court.close_round(1)
    fisc, pes = await until(lambda: rulings(court))
    assert (fisc.game_id, fisc.valid, list(fisc.ruled_words), fisc.article) == (GAME, False, [], "FISC I.10")
    assert [tuple(word.faces) for word in fisc.words] == [ANY, ANYS]
    assert [(tuple(each.word.faces), each.valid) for each in pes.ruled_words] == [(ANY, True), (ANYS, False)]
    assert (pes.article, pes.edition, pes.lexicon.digest) == ("PES Δ.ε", "first", court.digest)
    assert await rulings(court, 2) == []


async def test_the_committee_gets_every_word_with_reason_and_source(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY, ANYS)
    await court.wait_for_case("ada", case_id)
    await court.claim(case_id, "ada")
    await court.rule(case_id, "ada", {ANY: True, ANYS: True}, 'the "plural", of any', "=Gramàtica, 7.2")

    async def export() -> list[dict[str, str]]:
        call = court.direct.ExportRulings(pb.ExportRulingsRequest(tournament_id="cup"))
        text = "".join([piece.lines async for piece in call])
        return list(csv.DictReader(io.StringIO(text)))

    rows = await until(export)
    assert [(row["word"], row["tiles"], row["valid"], row["reason"], row["source"]) for row in rows] == [
        ("ANY", "A NY", "yes", 'the "plural", of any', "'=Gramàtica, 7.2"),  # no formula in a spreadsheet
        ("ANYS", "A NY S", "yes", 'the "plural", of any', "'=Gramàtica, 7.2"),
    ]
    assert {row["judges"] for row in rows} == {"ada"}
    answer = await court.direct.GetRulingTimes(pb.GetRulingTimesRequest(tournament_id="cup"))
    (times,) = answer.times
    assert (times.mode, times.rulings, answer.waiting) == (events.MODE_JUDGE, 1, 0)
    assert 0 <= times.median_ms <= times.p95_ms <= times.longest_ms


async def test_dictionaries_are_frozen_when_the_first_game_of_a_pes_tournament_begins(court: Court) -> None:
    court.tournament = "lefkada"
    await court.found_tournament("pes-2024")

    def choose(*layers: str) -> grpc.aio.UnaryUnaryCall[pb.ChooseLayersRequest, pb.ChooseLayersResponse]:
        return court.direct.ChooseLayers(
            pb.ChooseLayersRequest(command_id=command(), tournament_id="lefkada", layers=layers)
        )

    assert (await reason(choose("slang")))[0] == "NO_SUCH_LAYER"
    await choose()
    await court.add("tournament-lefkada", pairing_events.RoundStarted(round=1, occurred_at=now()))
    assert (await reason(choose()))[0] == "LAYERS_FROZEN"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (pb.SetAdjudicationRequest(mode=events.MODE_UNSPECIFIED), "mode"),
        (pb.SetAdjudicationRequest(mode=events.MODE_PANEL, panel=4), "panel"),
        (pb.SetAdjudicationRequest(mode=events.MODE_PANEL, panel=1), "panel"),
        (pb.SetAdjudicationRequest(mode=events.MODE_JUDGE, lease_seconds=1), "lease_seconds"),
        (pb.SetAdjudicationRequest(mode=events.MODE_JUDGE, escalate_after_seconds=-1), "escalate_after_seconds"),
        (pb.AppointJudgeRequest(judge_id="Ada", languages=["ca"]), "judge_id"),
        (pb.AppointJudgeRequest(judge_id="ada"), "languages"),
        (pb.AppointJudgeRequest(judge_id="ada", languages=["catalan"]), "languages"),
    ],
)
async def test_what_is_malformed_is_named_with_what_was_expected(
    asked: pb.SetAdjudicationRequest | pb.AppointJudgeRequest, field: str, court: Court
) -> None:
    asked.command_id, asked.tournament_id = command(), "cup"
    call = court.direct.SetAdjudication if isinstance(asked, pb.SetAdjudicationRequest) else court.direct.AppointJudge
    why, sentence = await reason(call(asked))  # type: ignore[arg-type]
    assert why == "INVALID"
    assert sentence.startswith(field)


KEY = b"k" * 32


async def hand_over(court: Court, game_id: str) -> None:
    await court.add(f"game-{game_id}", game_events.TableHandedOver(hall="Nord", epoch=1, key=KEY, occurred_at=now()))


async def test_a_challenge_in_a_hall_is_ruled_on_by_its_lexicon_and_here_if_the_table_is_taken_back(
    court: Court,
) -> None:
    await court.open_game(GAME)
    await hand_over(court, GAME)
    in_hall = await court.challenge(GAME, ANY)
    await court.open_game("cup-r1-t2")
    await court.came(await court.challenge("cup-r1-t2", ANY), events.CaseRuled)  # so the first one was passed over
    assert await court.events(in_hall, events.CaseOpened) == []
    await court.add(f"game-{GAME}", game_events.TableTakenBack(epoch=2, occurred_at=now()))
    assert (await court.came(in_hall, events.CaseRuled)).valid


async def test_judges_rule_on_challenges_in_halls(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE)
    await court.open_game(GAME)
    await hand_over(court, GAME)
    case_id = await court.challenge(GAME, ANY)
    await court.wait_for_case("ada", case_id)
    await court.claim(case_id, "ada")
    assert (await court.rule(case_id, "ada", {ANY: True})).ruled


async def test_a_hall_rules_by_its_lexicon_and_leaves_cases_for_judges_to_the_championship(court: Court) -> None:
    court.record.owner_key = KEY
    await court.open_game(GAME)
    await hand_over(court, GAME)
    first = await court.challenge(GAME, ANY)
    await court.came(first, events.CaseRuled)
    await court.set_mode(events.MODE_JUDGE)
    for_judges = await court.challenge(GAME, ANY, number=2)
    end = await court.record.last_position()

    async def is_handled() -> bool:
        return await court.record.checkpoint("lexicon.ruling") >= end

    await until(is_handled)
    assert await court.events(for_judges, events.CaseOpened) == []
    assert (await reason(court.claim(first, "ada")))[0] == "CASE_OF_CHAMPIONSHIP"
