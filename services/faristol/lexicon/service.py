"""The lexicon service over gRPC: look-ups of words, lexicons and cases. The contract documents its methods."""

from __future__ import annotations

from faristol.event_store import Record
from faristol.host.rpc.dispatch import Context, Dispatcher, no_commands
from faristol.host.rpc.interceptor import language_of
from faristol.host.security.authorization import Admission
from faristol.kernel.errors import Invalid, NotFound, check_count
from faristol.kernel.event_types import methods_of
from faristol.kernel.refusal import N_
from faristol.lexicon.adjudication.cases import presentation
from faristol.lexicon.adjudication.streams import case_named, last_case_of
from faristol.lexicon.lexicons.installation import Installations
from faristol.lexicon.lexicons.library import Lexicons
from faristol.pb.lexicon.v1 import lexicon_pb2 as pb
from faristol.text import render
from faristol.words import WordGraph
from faristol.words.lists import unplayable

MAX_LOOKUP_WORDS = 1_000
"""Words of one LookUp request."""

MAX_WORD_CHARACTERS = 100
"""Characters of each: several times the length of a board's line, with any marks on its letters."""


def service(
    record: Record, lexicons: Lexicons, installations: Installations, admission: Admission | None = None
) -> Dispatcher:
    """Return the dispatcher of the lexicon service. ``admission`` is None if callers are not authenticated."""
    look_ups = LexiconService(record, lexicons, admission)
    questions = methods_of(look_ups, installations)
    return Dispatcher(pb.DESCRIPTOR.services_by_name["LexiconService"], (), no_commands, questions)


class LexiconService:
    """The look-up methods of the lexicon service."""

    def __init__(self, record: Record, lexicons: Lexicons, admission: Admission | None) -> None:
        self._record = record
        self._lexicons = lexicons
        self._admission = admission

    async def list_lexicons(self, request: pb.ListLexiconsRequest, context: Context) -> pb.ListLexiconsResponse:
        """Return the installed lexicons."""
        return pb.ListLexiconsResponse(
            lexicons=[presentation.installed_lexicon(installed) for installed in self._lexicons.list_installed()]
        )

    async def look_up(self, request: pb.LookUpRequest, context: Context) -> pb.LookUpResponse:
        """Return for each text whether it is in a lexicon, and its spellings in tiles."""
        if not request.lexicon:
            raise Invalid("lexicon", N_("is empty; expected the name or the digest of a lexicon"))
        if request.words:
            check_count("words", request.words, MAX_LOOKUP_WORDS)
        for number, text in enumerate(request.words, start=1):
            if len(text) > MAX_WORD_CHARACTERS:
                raise Invalid(
                    "words",
                    N_("word {number} has {count} characters; expected {most} at most"),
                    {"number": number, "count": len(text), "most": MAX_WORD_CHARACTERS},
                )
        graph = self._lexicons.find(request.lexicon)
        if unknown := sorted(set(request.layers) - set(graph.known_layers)):
            raise Invalid(
                "layers",
                N_("{layers} are not layers of this lexicon; it has: {known}"),
                {"layers": ", ".join(unknown), "known": ", ".join(graph.known_layers) or "–"},
            )
        graph = self._lexicons.with_layers(graph.digest, request.layers)
        language = language_of(context)
        return pb.LookUpResponse(entries=[_entry(text, graph, language) for text in request.words])

    async def get_case(self, request: pb.GetCaseRequest, context: Context) -> pb.GetCaseResponse:
        """Return the current state of a case, for officials."""
        if request.game_id and request.case_id:
            raise Invalid("game_id", N_("and `case_id` are both given; expected only one of them"))
        if request.game_id:
            case = (await last_case_of(self._record, request.game_id)).state
            if self._admission and not await self._admission.is_for_caller(case.case_id):
                raise NotFound("case of the game", request.game_id)
            return presentation.official(case)
        return presentation.official((await case_named(self._record, request.case_id)).state)


def _entry(text: str, graph: WordGraph, language: str) -> pb.Entry:
    """Return the entry of a text in a lexicon, or the reason why its tiles cannot spell it."""
    if refused := unplayable(text, graph.tile_set):
        return pb.Entry(text=text, reason=refused.reason, problem=render(refused, language))
    listed = [
        pb.Spelling(
            word=presentation.word(faces), valid=graph.contains(faces), listings=presentation.listings(graph, faces)
        )
        for faces in graph.every_layer.spellings(text)
    ]
    return pb.Entry(text=text, spellings=[spelling.word for spelling in listed if spelling.valid], listed=listed)
