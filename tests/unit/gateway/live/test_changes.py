"""A change of an answer, applied to the earlier one, gives the later one."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tests.support.content_fold import apply_change

from faristol.gateway.api.contract_json import to_json
from faristol.gateway.live.content import Answer, ContentKind, Subject, compute_change
from faristol.pb.results.v1 import results_pb2 as pb

SEEDS = range(5)


def edit(lines: Any, luck: random.Random, name: str) -> None:
    """Add, change and remove lines."""
    for _ in range(luck.randrange(3)):
        lines.add()
    for line in luck.sample([*lines], luck.randrange(len(lines) + 1)):
        setattr(line, name, luck.randrange(100))
    if luck.random() < 0.3:
        del lines[luck.randrange(len(lines) + 1) :]


def edit_answer(kind: ContentKind, answer: Any, luck: random.Random) -> None:
    answer.position += luck.randrange(1, 5)
    answer.division = luck.choice(["", "a", "b"])
    match kind:
        case ContentKind.GAME:
            edit(answer.entries, luck, "score")
            edit(answer.board, luck, "row")
            answer.bag_left = luck.randrange(3)
        case ContentKind.PAIRINGS:
            edit(answer.tables, luck, "table")
        case ContentKind.STANDINGS:
            edit(answer.standings, luck, "rank")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (ContentKind.GAME, pb.GetGameResponse(game_id="lliga-r1-t1", tournament_id="lliga", position=1)),
        (ContentKind.PAIRINGS, pb.GetPairingsResponse(tournament_id="lliga", round=1, position=1)),
        (ContentKind.STANDINGS, pb.GetStandingsResponse(tournament_id="lliga", position=1)),
    ],
)
def test_changes_add_up_to_the_last_answer(kind: ContentKind, answer: Answer, seed: int) -> None:
    luck, subject = random.Random(seed), Subject(kind, "lliga", 1)
    now: Any = type(answer).FromString(answer.SerializeToString())
    folded = apply_change({}, json.loads(compute_change(subject, now, None, 0)))
    assert folded == to_json(now)
    for _ in range(20):
        before, base = now.position, now.SerializeToString()
        edit_answer(kind, now, luck)
        text = compute_change(subject, now, base, before + 1)
        if text:
            change = json.loads(text)
            assert (change["from_position"], change["to_position"], change["whole"]) == (before, before, False)
            folded = apply_change(folded, change)
        assert {**folded, "position": now.position} == to_json(now)


def test_an_equal_answer_has_no_change_and_an_equal_line_is_not_sent() -> None:
    subject = Subject(ContentKind.STANDINGS, "lliga")
    answer = pb.GetStandingsResponse(tournament_id="lliga", position=1)
    for rank in range(1, 4):
        answer.standings.add(rank=rank)
    base = answer.SerializeToString()
    answer.position = 7
    assert compute_change(subject, answer, base, 5) == b""
    answer.standings[1].rank = 9
    lists = json.loads(compute_change(subject, answer, base, 5))["lists"]
    assert (lists["standings"]["length"], [*lists["standings"]["lines"]]) == (3, ["1"])
