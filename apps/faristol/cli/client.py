"""The options `--address` and `--json` of commands that call services, as one parameter, and these calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from faristol.cli.options import Address, AsJson
from faristol.client.services import A_co, RequestFor
from faristol.table_terminal.shared.common import print_answer, run
from faristol.table_terminal.shared.names import TournamentNames, game_meant, load_names, tournament_meant
from faristol.table_terminal.shared.services import Stub, answer_to, ask_service
from faristol.text.terminal import language_of_terminal

if TYPE_CHECKING:
    from faristol.gateway.rpc.results import Results

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ServiceClient:
    """A client of the services at an address, by default that of the settings.

    Its methods raise ``StartError`` as ``service_at`` does, and ``Unclear`` for an unknown or ambiguous name.
    """

    address: Address = None

    @property
    def language(self) -> str:
        """Language of the terminal."""
        return language_of_terminal()

    def answer_to(self, request: RequestFor[A_co]) -> A_co:
        """Return the answer of its service to a request."""
        return answer_to(request, self.address)

    def ask(self, service: str, work: Callable[[Any], Awaitable[T]], stub: Stub | None = None) -> T:
        """Return the result of ``work`` with a stub of a service."""
        return ask_service(service, self.address, work, stub)

    def ask_results(
        self, tournament: str, work: Callable[[Results, str], Awaitable[T]], language: str = "", refusals: str = ""
    ) -> T:
        """Return the result of ``work`` with the results service and the id of a tournament.

        Names and refusals are in these languages, by default that of the terminal.
        """
        from faristol.gateway.rpc.results import Results

        async def ask(stub: Any) -> T:
            results = Results(stub, language or self.language, refusals)
            return await work(results, await tournament_meant(tournament, self.address))

        return self.ask("results", ask)

    def load_names(self, tournament: str) -> TournamentNames:
        """Load a tournament with the names of all its players and teams."""
        return run(load_names(tournament, self.address))

    def find_tournament(self, given: str) -> str:
        """Return the id of the tournament with this id or beginning of its name."""
        return run(tournament_meant(given, self.address))

    def find_game(self, given: str, table: int, number: int) -> str:
        """Return the id of a game: ``given``, or that of tournament ``given`` at ``table`` in round ``number``."""
        return run(game_meant(given, table, number, self.address))


@dataclass(frozen=True, slots=True)
class Client(ServiceClient):
    """A client of the services that prints for people, or JSON for programs."""

    json_output: AsJson = False

    def print(self, content: Any, lines: str | Iterable[str], *, indent: int | None = 2) -> None:
        """Print an answer as ``print_answer`` does."""
        print_answer(content, lines, json_output=self.json_output, indent=indent)
