"""The director and the treasurer: only forms of the console."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.campaigns.day.browser import Browser
from tests.campaigns.day.forms import FormError, Page, read_page
from tests.campaigns.day.players import Game, code_of_link

_SIGN_IN_LINK = re.compile(r'href="([^"]*/sign-in#[^"]+)"')
_PLAYER_CARD = re.compile(
    r'<li data-player="[^"]*">\s*<p><strong>([^<]+)</strong>.*?<p class="code">([^<]+)</p>', re.DOTALL
)
_ENTRY_TICK = re.compile(
    r'name="(entries\.\d+)" value="(\d+)".*?class="sub">entry \d+ · (received|on the waiting list)', re.DOTALL
)
CONSOLE = "console"
PAPER = "paper"


class Director:
    """The director or a helper, and the forms of both in each part of the day."""

    def __init__(self, browser: Browser, tournament: str, acts: Counter[str] | None = None) -> None:
        self.browser = browser
        self.tournament = tournament
        self.acts: Counter[str] = Counter() if acts is None else acts
        """Forms by part of the day."""
        self.part = "preparation"
        """Present part of the day."""

    @property
    def console(self) -> str:
        """Address of the console."""
        return f"/tournaments/{self.tournament}/console"

    async def sign_in(self, link: str) -> None:
        """Sign in by a link."""
        page = await self.browser.open(CONSOLE, "/sign-in")
        form = next(form for form in page.forms if "code" in form.fields)
        await self.browser.send(CONSOLE, page, form, code=code_of_link(link))

    async def open(self, part: str = "") -> Page:
        """Open a page of the console."""
        return await self.browser.open(CONSOLE, f"{self.console}/{part}".rstrip("/"))

    async def do(self, part: str, act: str, *, having: Mapping[str, str] | None = None, **values: object) -> str:
        """Send a form on a page of the console, and return the text of the page after it."""
        page = await self.open(part)
        return await self.send(page, act, having=having, **values)

    async def send(self, page: Page, act: str, *, having: Mapping[str, str] | None = None, **values: object) -> str:
        """Send a form of an open page, and return the text of the page after it."""
        self.acts[self.part] += 1
        return (await self.browser.send(CONSOLE, page, page.form(act, **having or {}), **values)).text

    # --- before the day ----------------------------------------------------------------------------------------------

    async def create(self, name: str, rounds: int) -> None:
        """Create the tournament, with results by the players and drafts of pairings."""
        page = await self.browser.open(CONSOLE, "/new?ruleset=fisc-2023")
        await self.send(page, "CreateTournament", name=name, rounds=rounds, tournament_id=self.tournament, lexicon="-")
        await self.do("closing", "SetResultCheck", players="1", players_enter="1")
        settings = await self.open("settings")
        drafts = settings.form("SetPairingPublication").offered["publication"][-1]
        await self.send(settings, "SetPairingPublication", publication=drafts)

    async def set_halls(self, halls: Sequence[tuple[str, int, int]]) -> None:
        """Set the halls with their first and last tables, as many at once as the form has lines for."""
        done = 0
        while done < len(halls):
            page = await self.open("halls")
            lines = sum(name.endswith(".first_table") for name in page.form("SetHalls").fields)
            fields: dict[str, Any] = {
                f"halls.{place}.{part}": value
                for place, hall in enumerate(halls[:lines])
                for part, value in zip(("name", "first_table", "last_table"), hall, strict=True)
            }
            await self.send(page, "SetHalls", **fields)
            done = min(lines, len(halls))

    async def open_registration(self, places: int, waiting_places: int) -> None:
        """Open the form, with a field for the club."""
        club = next(
            name
            for name, offered in (await self.open("registration")).form("SetRegistration").offered.items()
            if name.startswith("fields.") and offered == ["club"]
        )
        ticked: dict[str, Any] = {club: "club"}
        await self.do(
            "registration",
            "SetRegistration",
            open="true",
            places=places,
            waiting_places=waiting_places,
            moves_up="true",
            **ticked,
        )

    async def set_fees(self) -> None:
        """Set the fee."""
        self.acts[self.part] += 1
        page = await self.browser.open(CONSOLE, f"/tournaments/{self.tournament}/fees")
        await self.browser.send(CONSOLE, page, page.form("SetFees"), currency="EUR", amount="25")

    async def grant(self, role: str, name: str) -> str:
        """Return the link of an official."""
        self.acts[self.part] += 1
        page = await self.browser.open(CONSOLE, f"/tournaments/{self.tournament}/access")
        form = page.form("grant")
        shown = await self.browser.send(CONSOLE, page, form, role=role, name=name, by="link")
        found = _SIGN_IN_LINK.search(shown.text)
        assert found, "the link of the official is shown"
        return html.unescape(found[1])

    async def accept_all(self) -> None:
        """Accept all entries with a place by one form; those with a similar name are marked by hand."""
        answer = await self.browser.get(CONSOLE, f"{self.console}/registration")
        page = read_page(str(answer.request.url), answer.text)
        placed: dict[str, Any] = {
            name: value for name, value, state in _ENTRY_TICK.findall(answer.text) if state == "received"
        }
        text = await self.send(page, "AcceptEntries", **placed)
        if "could not be accepted" in text:
            raise FormError(text[text.index("could not be accepted") :][:300])

    async def close_registration(self) -> None:
        """Close the form, after which no entry moves up from the waiting list."""
        await self.do("registration", "SetRegistration", open=None, moves_up=None)

    async def hand_out_codes(self, count: int) -> dict[str, str]:
        """Return the codes on the cards of the players, by name: as many forms as it takes."""
        found: dict[str, str] = {}
        while len(found) < count:
            self.acts[self.part] += 1
            page = await self.browser.open(CONSOLE, f"/tournaments/{self.tournament}/access")
            shown = await self.browser.send(CONSOLE, page, page.form("player-cards"), lasts="weekend")
            cards = _PLAYER_CARD.findall(shown.text)
            if not cards:
                raise FormError(f"{count - len(found)} players have no card")
            found |= {html.unescape(name).strip(): code.strip() for name, code in cards}
        return found

    # --- the day -----------------------------------------------------------------------------------------------------

    async def let_players_check_in(self) -> None:
        """Open the check-in for phones."""
        await self.do("presence", "SetPlayerActs", check_in="1")

    async def settle_absences(self) -> None:
        """Leave out all players who are marked as absent, by one form."""
        await self.do("presence", "SettleAbsences")

    async def send_message(self, text: str) -> None:
        """Write to everyone."""
        await self.do("messages", "SendMessage", text=text)

    async def pair(self, number: int) -> str:
        """Pair a round as a draft, and return the page with its checks."""
        return await self.do(f"round/{number}", "PairRound", draft="1")

    async def publish(self, number: int) -> None:
        """Publish the draft."""
        await self.do(f"round/{number}", "PublishRound")

    async def start(self, number: int) -> None:
        """Start the round."""
        await self.do(f"round/{number}", "StartRound")

    async def settle_late(self, games: Mapping[int, Game]) -> list[int]:
        """Enter the missing results of the late tables by their slips, and decide the disputes as entered.

        Returns the tables that the list of late ones had.
        """
        late = await self.open("late?show=all")
        tables = sorted({int(link.rpartition("/")[2]) for link in late.links if re.search(r"/results/\d+$", link)})
        for table in tables:
            address = next(link for link in late.links if link.endswith(f"/results/{table}"))
            page = await self.browser.open(CONSOLE, address)
            self.acts[self.part] += 1
            if decide := next(page.forms_of("DecideDispute"), None):
                await self.browser.send(CONSOLE, page, decide)
            else:
                form, game = page.form("EnterResult"), games[table]
                await self.browser.send(CONSOLE, page, form, first=game.scores[0], second=game.scores[1])
                seated = sorted(game.players, key=lambda player: form.labels.index(player.name))
                game.winner = seated[game.winning_seat]
        return tables

    async def confirm_entered(self, number: int) -> None:
        """Confirm the results that the helper entered, as the second person, by one form."""
        page = await self.browser.open(CONSOLE, f"/tournaments/{self.tournament}/round/{number}/results")
        self.acts[self.part] += 1
        together = next(page.forms_of("ConfirmAll"), None)
        if together is not None:
            await self.browser.send(CONSOLE, page, together)
        else:
            await self.browser.send(CONSOLE, page, page.form("ConfirmResult"), says="right")

    async def close(self, number: int) -> None:
        """Close the round."""
        await self.do(f"round/{number}", "CloseRound")

    # --- the end -----------------------------------------------------------------------------------------------------

    async def set_prizes(self) -> None:
        """Set the rules of the prizes and a list with money."""
        await self.do("prizes", "SetPrizeRules", currency="EUR")
        await self.do("prizes", "SetPrizeList", having={"list": "0"}, name="Open", money="300\n150.50\n75")

    async def publish_standings(self) -> None:
        """Publish the final standings."""
        await self.do("closing", "PublishStandings")

    async def read_papers(self) -> bytes:
        """Return the certificates as a PDF, after the page of the ceremony and that of the certificates."""
        base = f"/tournaments/{self.tournament}"
        await self.browser.get(PAPER, f"{base}/ceremony")
        await self.browser.get(PAPER, f"{base}/print/certificates")
        return (await self.browser.get(PAPER, f"{base}/print/certificates.pdf")).content


class Treasurer:
    """Records payments on the page of the fees."""

    def __init__(self, browser: Browser, tournament: str) -> None:
        self._browser = browser
        self._address = f"/tournaments/{tournament}/fees"

    async def sign_in(self, link: str) -> None:
        """Sign in by a link."""
        page = await self._browser.open("treasurer", "/sign-in")
        form = next(form for form in page.forms if "code" in form.fields)
        await self._browser.send("treasurer", page, form, code=code_of_link(link))

    async def record(self, count: int) -> int:
        """Record payments in cash of the first ``count`` people, and return the number of receipts that are listed."""
        for place in range(count):
            page = await self._browser.open("treasurer", self._address)
            forms = [form for form in page.forms_of("RecordPayment") if form.fields["amount"] not in ("", "0", "0.00")]
            if not forms:
                raise FormError(f"only {place} people owe a fee")
            await self._browser.send("treasurer", page, forms[0], method="1")
        page = await self._browser.open("treasurer", self._address)
        return len({link for link in page.links if re.search(r"/fees/receipts/\d+$", link)})
