"""Answers as a client has them that only subscribes to a stream with content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

Subject = tuple[str, str, int]
"""Kind, id, round."""


@dataclass
class Folded:
    """The content of frames, folded by the rules of docs/apps.md."""

    answers: dict[Subject, dict[str, Any]] = field(default_factory=dict)

    fetched: int = 0
    """How often a fresh answer had to be asked for."""

    async def take(
        self, news: Iterable[Mapping[str, Any]], http: httpx.AsyncClient, fresh: dict[tuple[Subject, int], Any]
    ) -> None:
        """Fold frames. A necessary request is made as of the moment of its frame."""
        for piece in news:
            for change in piece["content"]:
                subject, position = (change["kind"], change["id"], change["round"]), change["position"]
                held = self.answers.get(subject, {"position": -1})
                if held["position"] >= position:
                    continue
                if change["whole"] or change["from_position"] <= held["position"] <= change["to_position"]:
                    self.answers[subject] = apply_change(held, change)
                else:
                    self.fetched += 1
                    self.answers[subject] = await _fresh(http, subject, position, fresh)

    async def differs(self, http: httpx.AsyncClient, fresh: dict[tuple[Subject, int], Any]) -> list[Subject]:
        """Return the subjects whose fresh answer at the same position differs; ``fresh`` keeps answers."""
        return [
            each for each, held in self.answers.items() if held != await _fresh(http, each, held["position"], fresh)
        ]


def apply_change(held: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer after a change."""
    before = {} if change["whole"] else held
    made = {**before, **change["fields"], "position": change["position"]}
    for name, told in change["lists"].items():
        lines = dict(enumerate(before.get(name, ()))) | {int(at): line for at, line in told["lines"].items()}
        made[name] = [lines[at] for at in range(told["length"])]
    return made


async def _fresh(
    http: httpx.AsyncClient, subject: Subject, position: int, fresh: dict[tuple[Subject, int], Any]
) -> Any:
    kind, of, number = subject
    if (subject, position) not in fresh:
        path = {
            "game": f"games/{of}",
            "pairings": f"tournaments/{of}/rounds/{number}/pairings",
            "standings": f"tournaments/{of}/standings",
        }[kind]
        answer = await http.get(f"/api/v1/{path}", params={"as_of_position": position})
        assert answer.status_code == 200, answer.text
        fresh[subject, position] = answer.json()
    return fresh[subject, position]
