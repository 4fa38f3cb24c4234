"""The lexicon service as a part of a process."""

from __future__ import annotations

from faristol.host import Part, Runtime, Servicer
from faristol.lexicon.lexicons import Lexicons
from faristol.lexicon.reactions import ruling
from faristol.lexicon.service import LexiconService
from faristol.pb.lexicon.v1 import lexicon_pb2, lexicon_pb2_grpc
from faristol.words import Library


def part(runtime: Runtime) -> Part:
    """Look-ups, cases, and the reaction that rules on challenges.

    Raises ``LexiconError`` when no lexicon is installed or one is not sound.
    """
    lexicons = Lexicons(Library(runtime.settings.lexicons))
    return Part(
        name="lexicon",
        servicers=(
            Servicer(
                lexicon_pb2.DESCRIPTOR.services_by_name["LexiconService"],
                lexicon_pb2_grpc.add_LexiconServiceServicer_to_server,
                LexiconService(runtime.record, lexicons),
            ),
        ),
        reactions=(ruling(runtime.record, lexicons),),
    )
