"""Hall screens of few and of many players, measured in the browser while notifications arrive: no name is cut."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.message import Message
from playwright.async_api import Page
from tests.support.stage import Stage
from tests.support.synthetic import Championship, Step, append

from faristol.kernel.details import Person
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data.people import store_players

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

HALL = "Sala Gran de l’Ateneu"
GIVEN = ("Anna", "Jordi", "Montserrat", "José María", "Laia", "Αικατερίνη")
FAMILY = ("Puig", "Ferrer i Oliver", "Rovira-Casadevall de la Torre", "Παπαδοπούλου", "Soler")

NAMESAKES = ("Anna Puig Ferrer", "Anna Puig Ferrer i Casadevall", "Anna Puig Ferrer i Casademont")
LONGEST = "Maria de les Neus Constança Puigdomènech i Casadevall de Rocabertí, comtessa de Sant Martí de Tous"

STATE = """() => {
  const shown = [...document.querySelectorAll("[data-turning]")].filter((each) => each.getClientRects().length);
  const cut = [];
  const ids = [];
  const range = document.createRange();
  for (const list of shown.map((each) => each.querySelector("[data-pages]"))) {
    const box = list.getBoundingClientRect();
    for (const row of list.children) {
      const place = row.getBoundingClientRect();
      if (place.left > box.right - 2 || place.right < box.left + 2) continue; // on another page
      const name = row.querySelector(".name");
      range.selectNodeContents(name);
      const text = range.getBoundingClientRect();
      const more = row.querySelector(".more").getBoundingClientRect();
      const isWhole = text.left >= box.left - 1 && text.right <= box.right + 1 && text.top >= box.top - 1 &&
        text.bottom <= box.bottom + 1 && (text.right <= more.left + 1 || text.bottom <= more.top + 1 || !more.width);
      if (!isWhole || place.bottom > box.bottom + 1) cut.push(name.textContent);
      ids.push(row.dataset.key.slice(2));
    }
  }
  const size = shown[0] ? parseFloat(getComputedStyle(shown[0].querySelector("[data-pages]")).fontSize) : 0;
  return { sections: shown.map((each) => each.dataset.turning), cut, ids, size, most: window.mostSections ?? 0 };
}"""
"""The visible sections, players and truncated names, and the font size in px."""

WATCH = """() => {
  const sections = () => [...document.querySelectorAll("[data-turning]")];
  const count = () => sections().filter((each) => each.getClientRects().length).length;
  const look = () => { window.mostSections = Math.max(window.mostSections ?? 0, count()); };
  const all = { childList: true, subtree: true, attributes: true };
  new MutationObserver(look).observe(document.getElementById("live"), all);
}"""


def names_of(number: int) -> dict[str, str]:
    """Return names by their ids: namesakes, one very long, and common ones."""
    given = [*NAMESAKES, LONGEST]
    for n in range(number):
        family = f"{FAMILY[n % 5]} {FAMILY[n % 4]}" if n % 3 else "Riu"
        given.append(f"{GIVEN[n % 6]} {family}")
    return {f"p{number}-{place}": name for place, name in enumerate(given[:number])}


_KEPT: set[str] = set()
"""Digests of the rules that are on the record."""


class _Tournament(Championship):
    def __init__(self, number: int, names: dict[str, str]) -> None:
        super().__init__()
        self.stream, self.id, self.names = f"tournament-hall-{number}", f"hall-{number}", list(names)
        self.pairs = list(zip(self.names[::2], self.names[1::2], strict=True))

    def open(self) -> Iterator[Step]:
        """Yield the tournament with its players, and round 1 paired in two halls."""
        created = next(self.create())
        opening = created[self.stream][0]
        assert isinstance(opening, pairing.TournamentCreated)
        opening.tournament_id = self.id
        created[self.stream] += [
            pairing.PlayerRegistered(player_id=each, rating=1500, occurred_at=self.at()) for each in self.names
        ]
        seats = [
            pairing.Pairing(
                table=table,
                game_id=f"{self.id}-r1-t{table}",
                first_player_id=first,
                second_player_id=second,
                hall=HALL if table % 2 else "Nord",
            )
            for table, (first, second) in enumerate(self.pairs, 1)
        ]
        created[self.stream].append(pairing.RoundPaired(round=1, pairings=seats, occurred_at=self.at()))
        if self.rules.digest in _KEPT:
            del created[f"ruleset-{self.rules.digest}"]
        _KEPT.add(self.rules.digest)
        yield created

    def news(self) -> Iterator[tuple[list[Message], str]]:
        """Yield the start of the round, a result, the others with the end of the round; each with its heading."""
        results: list[Message] = [
            pairing.ResultRecorded(
                round=1,
                game_id=f"{self.id}-r1-t{table}",
                scores=[game.FinalScore(player_id=first, score=400), game.FinalScore(player_id=second, score=table)],
                occurred_at=self.at(),
            )
            for table, (first, second) in enumerate(self.pairs, 1)
        ]
        yield [pairing.RoundStarted(round=1, occurred_at=self.at())], "0 of"
        yield results[:1], "1 of"
        yield [*results[1:], pairing.RoundClosed(round=1, occurred_at=self.at())], "closed"


SIZES = {6: 45, 12: 33, 64: 26, 500: 26}
"""The least size of the type in px on a screen of 1920 x 1080, by the number of players."""


async def test_a_hall_screen_shows_one_section_with_whole_names_while_there_is_news(page: Page, stage: Stage) -> None:
    await page.set_viewport_size({"width": 1920, "height": 1080})
    await page.clock.install()
    for number, least_px in SIZES.items():
        names = names_of(number)
        tournament = _Tournament(number, names)
        async with stage.record.writing() as connection:
            await store_players(connection, [Person(player, name, "") for player, name in names.items()])
        for step in tournament.open():
            await append(stage.record, step, tournament.id)
        await stage.caught_up()
        await page.goto(f"/tournaments/{tournament.id}/screen")
        await page.evaluate(WATCH)
        seen: set[str] = set()
        for _ in range(40):
            state = await page.evaluate(STATE)
            assert state["sections"] == ["seats"]
            assert state["cut"] == []
            assert state["size"] >= least_px
            seen |= set(state["ids"])
            if seen == set(names):
                break
            await page.clock.fast_forward(9_000)
        assert seen == set(names)
        for news, sign in tournament.news():
            await append(stage.record, {tournament.stream: news}, tournament.id)
            for _ in range(100):
                await page.clock.run_for(250)
                state = await page.evaluate(STATE)
                assert len(state["sections"]) == 1
                assert state["cut"] == []
                if sign in await page.locator(".screen-round").inner_text():
                    break
            else:
                pytest.fail(f"{sign} is not on the screen")
            await page.clock.fast_forward(9_000)  # its pages turn
            assert (await page.evaluate(STATE))["cut"] == []
        state = await page.evaluate(STATE)
        assert state["sections"] == ["top"]
        assert state["most"] == 1
