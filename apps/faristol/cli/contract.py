"""Commands built from the contract and the catalogue: from descriptors, comments and ``CATALOGUE``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import grpc
import typer
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.cli.client import Client, ServiceClient
from faristol.cli.commands import format_command
from faristol.cli.completion import players, tournaments
from faristol.cli.defaults import RULES, add_defaults
from faristol.cli.fields import TEAM_FOR, Reader, choices, describe_syntax, option_of
from faristol.cli.money import ABOUT_AMOUNTS, load_currency, to_smallest_units
from faristol.cli.options import MAX_CONTRACT_NUMBER, Tournament
from faristol.cli.tournament.webhooks import find_webhook_id
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.comments import COMMENTS
from faristol.pb.game.v1 import duplicate_pb2 as duplicate
from faristol.pb.hall.v1 import hall_pb2 as halls
from faristol.pb.lexicon.v1 import adjudication_pb2 as lexicon
from faristol.pb.pairing.v1 import fees_pb2 as fees
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.rating.v1 import federation_pb2 as rating_lists
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.register.v1 import register_pb2 as register
from faristol.pb.results.v1 import webhooks_pb2 as webhooks
from faristol.pb.season.v1 import season_pb2 as season
from faristol.presentation.catalogue import CATALOGUE
from faristol.presentation.tournament_commands import HIDDEN, Command
from faristol.table_terminal.shared.common import localize
from faristol.table_terminal.shared.names import TournamentNames
from faristol.typed_input.fields import Kind, kind_of
from faristol.typed_input.known_players import describe_taken, take_from_register
from faristol.typed_input.resembling import similar_player

SERVICE = pairing.DESCRIPTOR.services_by_name["PairingService"]

METHODS_WITH_NAMES = frozenset({"ListKeptAside", "ListKeptCommands"})
"""Methods of other services whose answers are formatted with the names of players and tables."""

COMMAND_METHODS: Mapping[str, MethodDescriptor] = {
    method.name: method
    for contract in (
        *(access, duplicate, turns, webhooks, lexicon, rating, registration),
        *(fees, halls, season, register, rating_lists, pairing),
    )
    for service in contract.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Methods that can be commands."""

Table = Annotated[
    int, typer.Option("--table", min=0, max=MAX_CONTRACT_NUMBER, help="Table of the game, instead of its id.")
]
UNIT_PATTERN = r",? in the smallest unit of the currency(: [^.]*)?"
"""Unit of an amount in the comments of the contract, which the command line does not use."""

REGISTER_UNAVAILABLE = N_("The register cannot be read, so no value is taken from it: {problem}")

ANOTHER = "another_person"
ANOTHER_HELP = "The new name is similar to that of another player, and they are two people: do not ask."
OfRound = Annotated[int, typer.Option("--round", min=0, max=999, help="Round of that table; 0: the last one paired.")]


def command_of(method: str) -> Callable[..., None]:
    """Build the command of a method of the contract."""
    act, kind = CATALOGUE[method], _kind(method)

    def carry_out(*, client: Client, **given: Any) -> None:
        _carry_out(method, given, client)

    parameters = [_parameter("client", Client), *_parameters(act, kind), *_of_names(kind)]
    carry_out.__doc__ = readable(COMMENTS[method])
    carry_out.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # read by inspect
    carry_out.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return carry_out


def readable(comment: str) -> str:
    """Return a comment of the contract with methods replaced by their commands."""
    return re.sub(r"\b(?:[A-Z][a-z]+){2,}\b", lambda found: f"`{format_command(found[0])}`", comment) if comment else ""


def _kind(method: str) -> type[Message]:
    return GetMessageClass(COMMAND_METHODS[method].input_type)


def _parameters(act: Command, kind: type[Message]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command: the tournament, its arguments, and an option for every other field."""
    fields, arguments = act.fields(kind.DESCRIPTOR), act.positional(kind.DESCRIPTOR)
    if "tournament_id" in fields and "tournament_id" not in arguments:
        yield _parameter("tournament_id", Tournament)
    for name in arguments:
        yield _argument(act, fields[name])
    if _has_table(fields):
        yield _parameter("table_number", Table, 0)
        yield _parameter("table_round", OfRound, 0)
    dropped = {TEAM_FOR[name] for name in arguments if TEAM_FOR.get(name) in fields}
    for name, field in fields.items():
        if name not in HIDDEN | dropped and name not in arguments:
            yield _option(act, field)


def _has_table(fields: Mapping[str, Any]) -> bool:
    """Check whether a game can be named by its table: a game of a tournament, but not a duplicate game."""
    return {"tournament_id", "game_id"} <= fields.keys()


def _of_names(kind: type[Message]) -> Iterator[inspect.Parameter]:
    """Yield the option that confirms a similar name in advance, for commands that change a player's name."""
    if kind in (pairing.AmendPlayerRequest, pairing.AnswerDataRequestRequest):
        yield _parameter(ANOTHER, Annotated[bool, typer.Option("--another-person", help=ANOTHER_HELP)], False)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _argument(act: Command, field: Any) -> inspect.Parameter:
    """Build the positional argument of a field."""
    name, request = re.sub(r"_ids?$", "", field.name), field.containing_type
    metavar = "WHO" if _who(field) else name.replace("_", "-").upper()
    if field.enum_type is not None:
        metavar = describe_syntax(field, act.values)
    about: dict[str, Any] = {"help": _help(act, field), "autocompletion": _completion_of(field)}
    kind: Any = int if _whole(field) else str
    if field.name == "player_ids":
        return _parameter(field.name, Annotated[tuple[str, str], typer.Argument(metavar="WHO WHO", **about)])
    if field.is_repeated:
        if field.enum_type is not None:
            about["autocompletion"] = _completing(choices(field, act.values))
        else:
            metavar = option_of(act, field).removeprefix("--").upper()
        argument = typer.Argument(metavar=metavar, **about)
        is_optional = field.enum_type is not None or field.name in act.optional
        return _parameter(field.name, Annotated[list[str], argument], [] if is_optional else inspect.Parameter.empty)
    is_by_table = field.name == "game_id" and _has_table(act.fields(request))
    if is_by_table or field.name in act.optional | act.defaults.keys():
        return _parameter(field.name, Annotated[kind | None, typer.Argument(metavar=metavar, **about)], None)
    return _parameter(field.name, Annotated[kind, typer.Argument(metavar=metavar, **about)])


def _option(act: Command, field: Any) -> inspect.Parameter:
    """Build the option of a field."""
    about: dict[str, Any] = {"help": _help(act, field), "show_default": False}
    name = option_of(act, field)
    if field.type == Field.TYPE_BOOL:
        return _parameter(field.name, Annotated[bool, typer.Option(name, **about)], False)
    if _whole(field) and not field.is_repeated and field.name not in act.money:
        return _parameter(field.name, Annotated[int | None, typer.Option(name, **about)], None)
    about["metavar"] = describe_syntax(field, act.values)
    if field.name in act.money:
        about["help"] = f"{re.sub(UNIT_PATTERN, '', about['help'])} {ABOUT_AMOUNTS}".strip()
    if field.enum_type is not None:
        about["autocompletion"] = _completing(choices(field, act.values))
    elif _names_players(field):
        about["autocompletion"] = players
    kind: Any = list[str] if field.is_repeated else str
    return _parameter(field.name, Annotated[kind | None, typer.Option(name, **about)], None)


def _completion_of(field: Any) -> Callable[..., Any] | None:
    return players if _names_players(field) else tournaments if field.name == "tournament_id" else None


def _completing(words: list[str]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def _help(act: Command, field: Any) -> str:
    """Return the help of a field from the comments of the contract, and its default."""
    default = act.defaults.get(field.name, "")
    text = RULES[default].help if default in RULES else f"Default: {default}." if default else ""
    return " ".join(filter(None, (readable(COMMENTS.get(field.full_name, "")), text)))


def _whole(field: Any) -> bool:
    return field.type in {Field.TYPE_INT32, Field.TYPE_INT64}


def _who(field: Any) -> bool:
    """Check whether a field is a player or a team."""
    return TEAM_FOR.get(field.name) in field.containing_type.fields_by_name


def _names_players(field: Any) -> bool:
    return kind_of(field) is Kind.PLAYER or field.name == "scores"


def _carry_out(method: str, given: Mapping[str, Any], client: Client) -> None:
    """Send a command and print the answer."""
    from faristol.cli.answers import answer_to_json, format_answer

    act, kind = CATALOGUE[method], _kind(method)
    known = None
    if given.get("tournament_id") and act.new != "tournament_id":
        if COMMAND_METHODS[method].containing_service is SERVICE or method in METHODS_WITH_NAMES:
            known = client.load_names(given["tournament_id"])
        else:
            given = {**given, "tournament_id": client.find_tournament(given["tournament_id"])}
    if given.get("webhook_id"):
        given = {**given, "webhook_id": find_webhook_id(given["tournament_id"], given["webhook_id"], client)}
    given = add_defaults(act, given, known, client)
    if any(given.get(name) for name in act.money):
        tournament_id = known.tournament_id if known else given["tournament_id"]
        given = to_smallest_units(
            act, given, (given.get("currency") or "").upper() or load_currency(method, tournament_id, client)
        )
    request = request_of(act, kind, given, known, client.find_tournament)
    taken: Mapping[str, str | int] = {}
    if known is not None:
        _ask_about_name(request, known, client, another=bool(given.get(ANOTHER)))
    if isinstance(request, pairing.RegisterPlayerRequest):
        taken = take_from_register(request, load_registered(request.tournament_id, [request], client))
    try:
        answer = call(client, method, request)
    except StartError as error:
        raise StartError(with_names(error, known)) from error.__cause__
    if known is not None and getattr(answer, "joined_player_ids", None):
        known.add_players(client.load_names(known.tournament_id).players)
    lines = [*format_answer(method, request, answer, known)]
    content = answer_to_json(method, request, answer, known)
    if taken:
        lines.append(describe_taken(taken, client.language))
        content["from_register"] = dict(taken)
    client.print(content, lines)


def load_registered(
    tournament_id: str, requests: Iterable[pairing.RegisterPlayerRequest], client: ServiceClient
) -> Sequence[register.FoundPerson]:
    """Return the persons of the register that registrations name by id or number; none if it cannot be read."""
    wanted = [person for request in requests if (person := request.player_id or request.federation_id)]
    if not wanted:
        return ()
    search = register.SearchRegisterRequest(tournament_id=tournament_id, person_ids=wanted)
    try:
        persons: Sequence[register.FoundPerson] = call(client, "SearchRegister", search).persons
    except StartError as error:
        typer.echo(localize(REGISTER_UNAVAILABLE, problem=str(error)), err=True)
        return ()
    return persons


def _ask_about_name(request: Message, known: TournamentNames, client: ServiceClient, *, another: bool) -> None:
    """Ask about a new name that is similar to another player's. Raises ``StartError`` if they are the same person.

    With ``another``, the caller has already confirmed that they are two people.
    """
    from faristol.cli.confirmation import ask_whether_another

    kinds = pairing.RegisterPlayerRequest | pairing.AmendPlayerRequest | pairing.AnswerDataRequestRequest
    if not isinstance(request, kinds) or not request.name:
        return
    registers, own = isinstance(request, pairing.RegisterPlayerRequest), ""
    if isinstance(request, pairing.RegisterPlayerRequest):
        another = bool(request.player_id)
    if another:
        return
    if isinstance(request, pairing.AmendPlayerRequest):
        own = request.player_id
    elif isinstance(request, pairing.AnswerDataRequestRequest):
        asked = pairing.ListDataRequestsRequest(tournament_id=request.tournament_id)
        listed = call(client, "ListDataRequests", asked).requests
        own = next((each.player_id for each in listed if each.request == request.request), "")
    if other := similar_player(known.tournament.players, request.name, own):
        ask_whether_another(request.name, other, registers=registers)


def request_of(
    act: Command,
    kind: type[Message],
    given: Mapping[str, Any],
    known: TournamentNames | None,
    tournament: Callable[[str], str],
) -> Message:
    """Build a request from the parameters of the command line.

    ``tournament`` returns the id of another tournament. Raises ``BadParameter`` for an invalid value, and ``Unclear``
    for an unknown or ambiguous name.
    """
    fields = {**kind.DESCRIPTOR.fields_by_name, **act.fields(kind.DESCRIPTOR)}
    request: Any = kind()
    if "tournament_id" in fields and act.new != "tournament_id":
        request.tournament_id = known.tournament_id if known else given["tournament_id"] or ""
    reader = Reader(act, kind.DESCRIPTOR, known, tournament)
    if _has_table(fields) and known:
        reader.read_game(request, given.get("game_id") or "", given["table_number"], given["table_round"])
    for name, value in given.items():
        if name in fields and name not in HIDDEN - {act.new} and value is not None and value is not False:
            holder = next((each for each, parts in act.parts.items() if name in parts), "")
            reader.read(getattr(request, holder) if holder else request, fields[name], value)
    return request  # type: ignore[no-any-return]


def call(client: ServiceClient, method: str, request: Any) -> Any:
    """Call a method and return its answer. Raises ``StartError`` if it is refused, or if the service is unreachable."""
    try:
        return client.answer_to(request)
    except StartError as error:
        raise StartError(as_written(str(error), method)) from error.__cause__


def with_names(problem: StartError, known: TournamentNames | None) -> str:
    """Return a refusal with names instead of the ids of players, teams and games."""
    cause = problem.__cause__
    if known is None or not isinstance(cause, grpc.aio.AioRpcError):
        return str(problem)
    return known.named_in_refusal(str(problem), cause)


def as_written(refusal: str, method: str) -> str:
    """Return a refusal with fields of the request as options of the command line: ``--arbiter`` for ``arbiter_id``.

    An option with named values is format_field with them: ``--game lost|played-out``.
    """
    act, request = CATALOGUE.get(method, Command(arguments=())), _kind(method).DESCRIPTOR
    fields = {name: field for name, field in act.fields(request).items() if name not in HIDDEN}
    if not fields:
        return refusal

    def format_field(found: re.Match[str]) -> str:
        field = fields[found[0]]
        if field.name in act.positional(request):
            return re.sub(r"_ids?$", "", field.name).upper()
        value = f" {describe_syntax(field, act.values)}" if field.enum_type is not None else ""
        return f"{option_of(act, field)}{value}"

    names = "|".join(name for name in fields if "_" in name)
    text = re.sub(rf"(?<![\w-])({names})(?![\w-])", format_field, refusal) if names else refusal
    return re.sub(rf"(?m)^({'|'.join(fields)})(?=: )", format_field, text)
