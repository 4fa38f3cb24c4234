"""Page of adjudication: by the lexicon, a judge or a panel; the judges and the layers of the lexicon."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, Official, page_of_forms
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation import labels

PAGE = "judges"


async def _show(console: DirectorPage) -> Response:
    console.otherwise = N_("The judges and the mode of rulings are saved as shown here.")
    stands = await console.calls.ask(pb.GetAdjudicationRequest(tournament_id=console.tournament_id))
    listed = await console.calls.ask(lexicon.ListLexiconsRequest())
    own = next((each for each in listed.lexicons if each.pin.name == console.tournament.lexicon.name), None)
    rules = console.rules
    begun = any(played.phase != pairing.ROUND_PHASE_PAIRED for played in console.tournament.played)
    open_to_choice = rules is not None and rules.lexicon.frozen_on != "created" and not begun
    return await console.show(
        "director/judges.html",
        PAGE,
        stands=stands,
        modes=labels.RULING_MODES,
        candidates=_candidates(console, stands),
        own_language=own.tile_set[:2] if own else "",
        layers=list(own.layers) if own and open_to_choice else [],
    )


def _candidates(console: DirectorPage, stands: pb.GetAdjudicationResponse) -> list[Official]:
    """Return the holders of credentials who can be appointed, those with the role of a judge first."""
    appointed = {judge.judge_id for judge in stands.judges}
    free = [each for each in console.officials if each.id not in appointed]
    return sorted(free, key=lambda each: each.role != needs.ROLE_JUDGE)


routes = page_of_forms(PAGE, _show)
