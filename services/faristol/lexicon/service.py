"""gRPC in: who looks up a word, a lexicon or a case."""

from __future__ import annotations

from typing import Any

import grpc

from faristol.host import Invalid, NotFound
from faristol.lexicon.lexicons import Lexicons
from faristol.lexicon.model import Case, Word, evolve, stream
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon
from faristol.pb.lexicon.v1 import lexicon_pb2_grpc as lexicon_grpc
from faristol.record import Record, load
from faristol.rules.refusal import N_

Context = grpc.aio.ServicerContext[Any, Any]

MOST_WORDS = 1_000
"""Words that one LookUp may ask for."""

LONGEST = 64
"""Characters of the longest text that is looked up; no word of 15 tiles has more."""


class LexiconService(lexicon_grpc.LexiconServiceServicer):
    """The lexicons and cases of a cell."""

    def __init__(self, record: Record, lexicons: Lexicons) -> None:
        self._record = record
        self._lexicons = lexicons

    async def ListLexicons(  # noqa: N802
        self, request: lexicon.ListLexiconsRequest, context: Context
    ) -> lexicon.ListLexiconsResponse:
        """The lexicons installed here."""
        return lexicon.ListLexiconsResponse(
            lexicons=[
                lexicon.Lexicon(
                    pin=game_events.Pin(name=installed.name, digest=installed.digest),
                    tile_set=installed.header.tile_set,
                    words=installed.header.words,
                    source=installed.about.source,
                    licence=installed.about.licence,
                    edition=installed.about.edition,
                )
                for installed in self._lexicons.installed()
            ]
        )

    async def LookUp(  # noqa: N802
        self, request: lexicon.LookUpRequest, context: Context
    ) -> lexicon.LookUpResponse:
        """Whether words are in a lexicon, and as which tiles."""
        if not request.lexicon:
            raise Invalid("lexicon", N_("is empty; expected the name or the digest of a lexicon"))
        if len(request.words) > MOST_WORDS:
            raise Invalid(
                "words",
                N_("are {count}; at most {most} can be looked up at once"),
                {"count": len(request.words), "most": MOST_WORDS},
            )
        for text in request.words:
            if not 0 < len(text) <= LONGEST:
                raise Invalid(
                    "words",
                    N_("{word} has {length} characters; expected {least} to {most}"),
                    {"word": repr(text[:LONGEST]), "length": len(text), "least": 1, "most": LONGEST},
                )
        graph = self._lexicons.find(request.lexicon)
        return lexicon.LookUpResponse(
            entries=[
                lexicon.Entry(text=text, spellings=[_word(spelling) for spelling in graph.spellings(text)])
                for text in request.words
            ]
        )

    async def GetCase(  # noqa: N802
        self, request: lexicon.GetCaseRequest, context: Context
    ) -> lexicon.GetCaseResponse:
        """A case as it stands in the record, for officials."""
        if not request.case_id:
            raise Invalid("case_id", N_("is empty; expected the id of a case"))
        case = (await load(self._record, stream(request.case_id), Case(), evolve)).state
        if not case.open:
            raise NotFound("case", request.case_id)
        return lexicon.GetCaseResponse(
            case_id=case.case_id,
            game_id=case.game_id,
            words=[_word(word) for word in case.words],
            lexicon=game_events.Pin(name=case.lexicon_name, digest=case.lexicon_digest),
            ruled=case.ruled,
            valid=case.valid,
            rulings=[events.WordRuling(word=_word(ruling.word), valid=ruling.valid) for ruling in case.rulings],
            opened_at=case.opened_at,
            ruled_at=case.ruled_at,
        )


def _word(faces: Word) -> game_events.Word:
    return game_events.Word(faces=faces)
