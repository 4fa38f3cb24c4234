"""The entry point of the command line, and the commands `up`, `serve` and `demo`."""

from __future__ import annotations

import gc
import json
import logging
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from enum import StrEnum
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer._click.exceptions import NoArgsIsHelpError
from typer._completion_classes import completion_init

from faristol.cli.commands import find_command
from faristol.cli.completion import COMPLETE
from faristol.cli.groups import Commands, unknown
from faristol.cli.options import (
    AsJson,
    Browser,
    Data,
    Database,
    Grpc,
    Http,
    Nats,
    Network,
    OfAuthority,
    OfChampionship,
    OfHall,
    OfTls,
    OfToken,
    Open,
    PagesApart,
)
from faristol.cli.usage import ERRORS, in_language
from faristol.host.renamed_settings import refuse_renamed_settings
from faristol.host.services import RELAY, SERVICES, to_reachable_address
from faristol.kernel.refusal import N_
from faristol.table_terminal.shared.common import acting_as, localize, run, settings_of
from faristol.text.terminal import language_of_terminal

if TYPE_CHECKING:
    from faristol.host import Settings
    from faristol.launcher.processes import Running


_started = logging.getLogger("faristol.serve")
"""Logger for messages to the operator if logs are JSON."""


COLLECTION_THRESHOLD_COUNTS = (10_000, 5, 80)
"""New objects before a collection of the youngest generation, and collections of each before one of the next.

With those of Python, a tenth of the processor time of services goes to collections. A collection of the second
generation pauses all calls: among 200,000 objects, for 70 to 120 ms.
"""


FIRST_PAGE = "/start"
"""Page of the director's first tournament."""


FOREVER_REST_SECONDS = 900.0
"""Time for which the pages of a run stay after its end."""
FOREVER_ALONE = N_("--forever runs its own services and duplicate game: omit --connect, --json, --mode and databases")


NO_NETWORK = N_("this computer is in no network: only its own browser reaches the pages")


class DemoMode(StrEnum):
    """Kind of a demonstration."""

    CLASSIC = "classic"
    DUPLICATE = "duplicate"


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help=N_("Championships of crossword-tile games."),
)


def _version(wanted: bool) -> None:  # noqa: FBT001 # called by Typer
    if wanted:
        typer.echo(f"faristol {version('faristol')}")
        raise typer.Exit


@app.callback()
def faristol(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Name stored with your actions; default: FARISTOL_CLIENT_NAME."),
    ] = None,
) -> None:
    """Championships of crossword-tile games."""
    refuse_renamed_settings()
    acting_as(name)


@app.command(help=N_("Run all services in one process."))
def up(
    data: Data = None,
    http: Http = None,
    grpc: Grpc = None,
    database_url: Database = None,
    nats_url: Nats = None,
    open_to_all: Open = None,
    tls: OfTls = None,
    pages_apart: PagesApart = None,
    hall: OfHall = None,
    championship: OfChampionship = None,
    token_file: OfToken = None,
    authorities: OfAuthority = None,
    network: Network = False,
    browser: Browser = True,
    json_output: AsJson = False,
) -> None:
    """Run `faristol up`."""
    settings = settings_of(
        hall=hall,
        hall_of=championship,
        hall_token_file=token_file,
        hall_ca=authorities,
        data=data,
        http_port=http,
        grpc_port=grpc,
        database_url=database_url,
        nats_url=nats_url,
        open=open_to_all,
        tls=tls,
        pages_apart=pages_apart,
    )
    if network:
        from faristol.launcher.network import find_network_address, serve_to_network

        if not serve_to_network(settings, find_network_address()):
            typer.echo(f"faristol: {localize(NO_NETWORK)}", err=True)
    run(_serve(settings, SERVICES, json_output=json_output, opens_browser=browser))


@app.command(help=N_("Run one service in its own process."))
def serve(
    service: Annotated[str, typer.Argument(help=", ".join((*SERVICES, RELAY)))],
    data: Data = None,
    http: Http = None,
    grpc: Grpc = None,
    database_url: Database = None,
    nats_url: Nats = None,
    json_output: AsJson = False,
) -> None:
    """Run `faristol serve`."""
    if service not in (*SERVICES, RELAY):
        raise typer.BadParameter(unknown(N_("service"), service, (*SERVICES, RELAY)))
    settings = settings_of(data=data, http_port=http, grpc_port=grpc, database_url=database_url, nats_url=nats_url)
    run(_serve(settings, (service,), json_output=json_output))


async def _serve(
    settings: Settings, services: tuple[str, ...], *, json_output: bool, opens_browser: bool = False
) -> None:
    gc.disable()  # objects of the start are permanent: collecting among them takes a fifth of its time
    from faristol.host.first_restore import FirstRestore
    from faristol.host.process import stop_on_signals
    from faristol.host.startup import Cancelled
    from faristol.launcher.director_link import remove_redirect
    from faristol.launcher.processes import hold_folder, running, serve_until
    from faristol.table_terminal.shared.screen import console

    def tell(sentence: str) -> None:
        if settings.log_format == "json":
            _started.info("%s", sentence)
        else:
            console.print(f"faristol: {sentence}", highlight=False, markup=False, soft_wrap=True)

    _started.setLevel(logging.INFO)
    stop = stop_on_signals()
    keeps_record = len(services) > 1 and not (settings.database_url or settings.nats_url)
    restore = FirstRestore(settings) if keeps_record else None
    stops = (stop, restore.asked) if restore else (stop,)
    with suppress(Cancelled), _ended_in_form(settings):
        while True:
            async with running(
                settings, services, stop=stop, tell=tell, longest=math.inf, first_restore=restore
            ) as process:
                try:
                    if restore and restore.awaits_link:
                        restore.finish(await _grant_link(process) or "/")
                    await _announce(process, services, tell, json_output=json_output, opens_browser=opens_browser)
                    gc.freeze()  # permanent objects: a collection among them would pause serving for 0.3 s
                    gc.set_threshold(*COLLECTION_THRESHOLD_COUNTS)
                    gc.enable()
                    await serve_until(process, *stops)
                finally:  # while the folder is locked: afterwards its files may be those of another process
                    if restore:
                        remove_redirect(settings)
                    if restore and (stop.is_set() or not restore.is_wanted):
                        restore.discard()
            if stop.is_set() or not (restore and restore.is_wanted):
                return
            # A browser on this desktop has the page that waits, and needs no second one.
            opens_browser = False
            tell(localize(N_("the backup is being restored")))
            with hold_folder(settings):
                await restore.carry_out()
            if stop.is_set():
                return


async def _announce(
    process: Running, services: tuple[str, ...], tell: Callable[[str], None], *, json_output: bool, opens_browser: bool
) -> None:
    """Print the addresses of a process, and the link that signs in a director."""
    settings = process.runtime.settings
    pages = settings.http_address or process.http_address
    what = services[0] if len(services) == 1 else "all services"
    if settings.open:
        tell("OPEN: every client of this machine's ports has all permissions; never run a championship so")
    tell(f"{what}: gRPC on {process.grpc_address}")
    if len(services) > 1:
        at = {
            "CLIENT_ADDRESS": to_reachable_address(process.grpc_address),
            "HTTP_ADDRESS": pages,
            "DATA": settings.data.absolute(),
        }
        if settings.tls_certificate and settings.tls_ca:
            at["TLS_CA"] = settings.tls_ca
        exported = " ".join(f"FARISTOL_{name}={value}" for name, value in at.items())
        tell(f"for commands in another terminal: export {exported}")
        is_shown = _is_for_one_user(settings, json_output=json_output) and await _show_director_link(
            process, opens_browser=opens_browser
        )
        if not (is_shown or settings.open):
            tell(
                "a link that signs in a director, to create tournaments: "
                "faristol access grant director NAME --by link, there"
            )
    if "gateway" in services:
        tell(f"pages and JSON on {process.http_address}")
        if settings.http_address:
            tell(f"the pages for other devices: {settings.http_address}")
    if json_output:
        at = {"grpc": process.grpc_address, "http": process.http_address if "gateway" in services else ""}
        typer.echo(json.dumps({"services": services, **at}))


def _is_for_one_user(settings: Settings, *, json_output: bool) -> bool:
    """Check whether the services run for the user of this terminal, with a database and a NATS server of their own.

    Output that is not a terminal may be a log, which must not contain a sign-in link.
    """
    is_embedded = not (settings.database_url or settings.nats_url or settings.open)
    return is_embedded and not json_output and settings.log_format != "json" and sys.stdout.isatty()


async def _grant_link(process: Running, wanted: str = "") -> str:
    """Return a link that signs in a director; empty if the services refuse it: they serve without it."""
    import grpc

    from faristol.launcher import director_link

    channels = director_link.local_channels(process)
    try:
        return await director_link.grant_director_link(process, channels, wanted=wanted)
    except grpc.aio.AioRpcError as error:
        _started.warning("no link for a director could be granted: %s", error.details())
        return ""
    finally:
        await channels.close()


async def _show_director_link(process: Running, *, opens_browser: bool) -> bool:
    """Print the link that signs in a director, and open it in the browser of this desktop.

    Return False if the services refuse the link.
    """
    from faristol.launcher import director_link
    from faristol.table_terminal.shared.screen import console

    link = await _grant_link(process, FIRST_PAGE)
    if not link:
        return False
    message = localize(N_("Begin your tournament in the browser, by this link: {link}"), link=link)
    console.print(message, highlight=False, markup=False, soft_wrap=True)
    if opens_browser and director_link.has_desktop():
        director_link.open_in_browser(director_link.write_redirect(process.runtime.settings, link))
    return True


@contextmanager
def _ended_in_form(settings: Settings) -> Iterator[None]:
    """Log an expected error that ends the services if logs are JSON, since collectors of logs read only that."""
    try:
        yield
    except Exception as error:
        if settings.log_format != "json" or not isinstance(error, _outside()):
            raise
        _started.error("%s", error)
        raise typer.Exit(2) from error


@app.command(
    help=N_("Play a championship through the public interfaces, with players who bluff, challenge and are late.")
)
def demo(
    mode: Annotated[DemoMode, typer.Option(help="Games at tables, or duplicate games in halls.")] = DemoMode.CLASSIC,
    players: Annotated[
        int,
        typer.Option(
            min=2, max=10_000, help="Number of players: at least the number of rounds; at tables at most 400."
        ),
    ] = 16,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1, max=30, help="Number of rounds: 5 or more under fisc-2023; default for duplicate games: 1."
        ),
    ] = None,
    halls: Annotated[
        int | None, typer.Option(min=1, max=100, help="Number of halls of a duplicate game.", show_default="4")
    ] = None,
    turns: Annotated[
        int | None,
        typer.Option(
            min=0, max=60, help="Racks of a duplicate game; 0 plays it to the end of its tiles.", show_default="4"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same championship.")] = 7,
    ruleset: Annotated[str | None, typer.Option(help="Rules; default: fisc-2023, or fisc-2023-duplicate.")] = None,
    options: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE,…", help="Options of those rules: minutes=25,pairing=round-robin."),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Data folder to resume; default: a new one.")] = None,
    http: Http = None,
    database_url: Database = None,
    nats_url: Nats = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object with the standings.")] = False,
    keep_serving: Annotated[bool, typer.Option("--serve", help="Continue to serve the pages at the end.")] = False,
    connect: Annotated[
        bool, typer.Option("--connect", help="Play against running services, at FARISTOL_CLIENT_ADDRESS.")
    ] = False,
    forever: Annotated[
        bool,
        typer.Option(
            "--forever", help="Play one championship after another in real time, with a duplicate game beside it."
        ),
    ] = False,
    pace: Annotated[
        float,
        typer.Option(min=0.1, max=100_000, help="With --forever: speed of the players at tables; 1 is real time."),
    ] = 1.0,
) -> None:
    """Run `faristol demo`."""
    from faristol.demo import terminal
    from faristol.demo.plans import DemoOptions, plan_duplicate, plan_tables
    from faristol.demo.readiness import options_of

    logging.getLogger("faristol.audit").setLevel(logging.WARNING)  # credentials of invented people
    with ExitStack() as stack:
        if data is None and not connect:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faristol-")))
        settings = settings_of(
            data=data,
            http_port=http if http is not None else (None if keep_serving or forever else 0),
            database_url=database_url,
            nats_url=nats_url,
        )
        given = DemoOptions(players, seed, rounds, halls, turns, ruleset, options_of(options or ()))
        if forever:
            from faristol.demo.forever import plan_run, run_forever

            if connect or json_output or mode is DemoMode.DUPLICATE or database_url or nats_url:
                raise typer.BadParameter(localize(FOREVER_ALONE))
            run(run_forever(settings, partial(plan_run, given, pace), rest_seconds=FOREVER_REST_SECONDS))
            return
        plan = plan_duplicate(given) if mode is DemoMode.DUPLICATE else plan_tables(given)
        run(terminal.run(settings, plan, json_output=json_output, keep_serving=keep_serving, connect=connect))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. An expected error is printed as one sentence, with exit code 2."""
    if COMPLETE in os.environ:
        completion_init()
    try:
        code = app(arguments, prog_name="faristol", standalone_mode=False)
    except typer.TyperException as error:
        words = sys.argv[1:] if arguments is None else arguments
        if isinstance(error, NoArgsIsHelpError):
            print(error.format_message(), file=sys.stderr)  # noqa: T201
            sys.exit(2)
        message = str(getattr(error, "format_message", error.__str__)()).removeprefix("Invalid value: ")
        _print_error(in_language(message, ERRORS, language_of_terminal()), _help(error, words))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        if not isinstance(error, _outside()):
            raise
        _print_error(str(error), "")
    else:
        sys.exit(code if isinstance(code, int) else 0)


_OUTSIDE = (
    ("faristol.host", "StartError"),
    ("faristol.event_store", "RecordError"),
    ("faristol.bus", "BusError"),
    ("faristol.words", "LexiconError"),
)


def _outside() -> tuple[type[Exception], ...]:
    """Return the expected errors, whose messages are for the operator.

    Only loaded modules count: another one cannot have raised an error.
    """
    loaded = ((sys.modules.get(module), name) for module, name in _OUTSIDE)
    return tuple(getattr(module, name) for module, name in loaded if hasattr(module, name))


def _help(problem: Exception, words: Sequence[str]) -> str:
    """Return a pointer to the help of the command in these words, if known."""
    context = getattr(problem, "ctx", None)
    command = context.command_path if context else " ".join(["faristol", *find_command(words)])
    hint = localize(N_("`{command} --help` lists the commands"), command=command)
    return f"; {hint}"


def _print_error(message: str, hint: str) -> None:
    asks = message.endswith(("?", ";"))
    hint, stop = ("", "") if asks else (hint, ".")
    print(f"faristol: {message.rstrip('.')}{hint}{stop}", file=sys.stderr)  # noqa: T201
    sys.exit(2)
