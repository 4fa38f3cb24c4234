"""Entrants and their phones: the entry, the check-in, their own table, the result."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.campaigns.day.browser import Browser
from tests.campaigns.day.forms import FormError, Page, read_page
from tests.campaigns.day.site import AddressedInbox
from tests.support.push_services import PushBrowser, PushServer

from faristol.tournament.registration import messages

GIVEN_NAMES = [
    head + tail
    for head in ("Al", "Ber", "Car", "Do", "Eu", "Fer", "Gui", "Ma")
    for tail in ("nau", "ta", "les", "mina", "ric")
]
FAMILY_NAMES = [
    head + tail
    for head in ("Pu", "Sol", "Roc", "Vi", "Ser", "Com", "Gra", "Bat")
    for tail in ("ig", "er", "adal", "ons", "olà")
]
"""Names of which no two people have both."""

CLUBS = ("Valls", "Reus", "Vic", "Olot", "Berga", "Girona", "Lleida", "Mataró", "Sitges", "Tortosa")
MAIL_SECONDS = 600.0
"""Seconds in which the messages to all entrants arrive."""

_ENTRY_LINK = re.compile(r"https?://\S+/entry\?key=\S+")
_WAITING_PLACE = re.compile(r"on the waiting list · place (\d+)")
_OWN_PLAYER = re.compile(r'data-kind="own" data-value="([^"]+)"')
_RESULT_LINK = re.compile(r'href="([^"]*/round/(\d+)/results/(\d+))"')


@dataclass
class Player:
    """A person with an address, a phone and, once accepted, a code."""

    number: int
    name: str
    club: str
    phone: Browser
    tournament: str
    code: str = ""
    player_id: str = ""
    entry_link: str = ""
    waiting_place: int = 0
    """Place on the waiting list when the entry was received; 0 for a place in the tournament."""
    mails: Counter[str] = field(default_factory=Counter)
    """Kinds of messages that this person must get, with their number."""
    push: PushBrowser | None = None
    is_gone: bool = False
    """Whether the push service answers that the subscription has ended."""
    pushes: Counter[str] = field(default_factory=Counter)
    """Beginnings of the notifications that this phone must get, with their number."""
    table: int = 0
    """Table of the present round; 0 for a bye."""
    points: int = 0
    """Games won, and byes."""

    @property
    def email(self) -> str:
        """Address."""
        return f"player{self.number}@example.org"

    @property
    def path(self) -> str:
        """Path of the subscription at the push service."""
        return f"/push/phone-{self.number}"

    # --- registration ------------------------------------------------------------------------------------------------

    async def enter(self, post: AddressedInbox, *, confirms: bool) -> None:
        """Send the form, and confirm it by the link of the message."""
        page = await self.phone.open("registration", f"/tournaments/{self.tournament}/register")
        form = page.form_to(f"/tournaments/{self.tournament}/register")
        await self.phone.send("registration", page, form, name=self.name, email=self.email, club=self.club, listing="2")
        self.mails[messages.CONFIRM] += 1
        mail = await post.wait(self.email, 1, MAIL_SECONDS)
        found = _ENTRY_LINK.search(mail.get_content())
        assert found, mail.get_content()
        self.entry_link = found[0]
        if confirms:
            shown = await self.phone.open("registration", self.entry_link)
            after = await self.phone.send("registration", shown, shown.form("confirm"))
            waiting = _WAITING_PLACE.search(after.text)
            self.waiting_place = int(waiting[1]) if waiting else 0
            self.mails[messages.WAITING if waiting else messages.RECEIVED] += 1

    async def withdraw_entry(self) -> None:
        """Withdraw the entry by its link."""
        shown = await self.phone.open("registration", self.entry_link)
        await self.phone.send("registration", shown, shown.form("withdraw"))
        self.mails[messages.WITHDRAWN] += 1

    async def answer_question(self) -> None:
        """Answer the question of the director."""
        shown = await self.phone.open("registration", self.entry_link)
        await self.phone.send("registration", shown, shown.form("answer"), note="I play for the club since 2020.")

    # --- the day -----------------------------------------------------------------------------------------------------

    async def open_check_in(self) -> Page:
        """Sign in by the code on the page that the wall shows, and return the check-in."""
        here = f"/tournaments/{self.tournament}/here"
        page = await self.phone.open("check-in", here)
        answer = await self.phone.send("check-in", page, page.form_to("/sign-in"), code=self.code)
        return read_page(str(answer.request.url), answer.text)

    async def check_in(self, page: Page) -> None:
        """Press the button of the check-in. A phone without a network sends it later."""
        form = next(form for form in page.forms if form.action == "" and "command_id" in form.fields)
        after = await self.phone.send("check-in", page, form)
        if "You are checked in." not in after.text:
            raise FormError(f"{self.name} is not checked in")

    async def subscribe(self, server: PushServer, *, is_gone: bool) -> None:
        """Ask for notifications on the locked phone, as the script of the page does."""
        answer = await self.phone.get("my table", f"/tournaments/{self.tournament}/my-table")
        found = _OWN_PLAYER.search(answer.text)
        assert found, "the page of their own table offers notifications"
        self.player_id, self.is_gone = found[1], is_gone
        key = (await self.phone.request("push", "GET", "/push/key")).json()["key"]
        self.push = PushBrowser()
        fields = {
            "act": "follow",
            "endpoint": server.endpoint(f"phone-{self.number}"),
            "tournament_id": self.tournament,
            "kind": "own",
            "value": self.player_id,
            "key": key,
            **self.push.keys(),
        }
        followed = await self.phone.post("push", "/push", fields)
        if followed.status_code != 200 or not followed.json()["follows"]:
            raise FormError(f"{self.name} gets no notifications: {followed.status_code} {followed.text[:200]}")

    async def read_table(self, round_number: int) -> None:
        """Read their own table of a round."""
        answer = await self.phone.get("my table", f"/tournaments/{self.tournament}/my-table")
        found = _RESULT_LINK.search(answer.text)
        self.table = int(found[3]) if found and int(found[2]) == round_number else 0
        if f"Round {round_number}" not in answer.text:
            raise FormError(f"{self.name} does not see round {round_number}")

    async def look_again(self) -> None:
        """Open the page of their own table, which updates itself."""
        await self.phone.get("my table", f"/tournaments/{self.tournament}/my-table?part=live")


@dataclass
class Game:
    """A table of a round: its players, and the scores on which they agree."""

    round: int
    table: int
    players: Sequence[Player]
    scores: tuple[int, int]
    """In the order of the seats."""
    winner: Player | None = None
    """Winner, once the result is entered."""

    @property
    def address(self) -> str:
        """Address of the form of its result."""
        return f"/tournaments/{self.players[0].tournament}/round/{self.round}/results/{self.table}"

    async def enter(self) -> None:
        """Let the winner enter the result."""
        for player in self.players:
            page = await player.phone.open("result", self.address)
            form = page.form("ReportResult")
            if form.labels.index(player.name) == self.winning_seat:
                self.winner = player
                await player.phone.send("result", page, form, first=self.scores[0], second=self.scores[1])
                return
        raise FormError(f"{self.address} names no winner among {[player.name for player in self.players]}")

    async def confirm(self, *, disputes: bool = False) -> None:
        """Let the loser confirm the result, or dispute it with an own version."""
        loser = next(player for player in self.players if player is not self.winner)
        page = await loser.phone.open("result", self.address)
        own: dict[str, object] = {"says": "wrong" if disputes else "right"}
        if disputes:
            own |= {"first": self.scores[0] - 10, "second": self.scores[1]}
        await loser.phone.send("result", page, page.form("ConfirmResult"), **own)

    @property
    def winning_seat(self) -> int:
        """Seat of the winner, 0 or 1."""
        return int(self.scores[1] > self.scores[0])


def list_names(count: int, seed: int) -> list[str]:
    """Return different names."""
    every = [f"{given} {family}" for given, family in itertools.product(GIVEN_NAMES, FAMILY_NAMES)]
    if count > len(every):
        every += [f"{name} i {family}" for name in list(every) for family in FAMILY_NAMES]
    chance = random.Random(f"names/{seed}")
    chance.shuffle(every)
    return every[:count]


def code_of_link(link: str) -> str:
    """Return the code at the end of a link."""
    return link.rpartition("#")[2]
