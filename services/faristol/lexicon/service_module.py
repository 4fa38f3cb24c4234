"""The lexicon service as a part of a process."""

from __future__ import annotations

from functools import partial

from faristol.adjudication.leases import Leases
from faristol.host import Part, Runtime
from faristol.host.observability.gauges import repeat_measurement
from faristol.lexicon import service
from faristol.lexicon.adjudication import directors, judges
from faristol.lexicon.adjudication.cases import queries
from faristol.lexicon.adjudication.cases.docket import projection
from faristol.lexicon.adjudication.cases.expiry import CaseTimer
from faristol.lexicon.adjudication.reactions import ruling
from faristol.lexicon.lexicons.installation import Installations
from faristol.lexicon.lexicons.library import Lexicons
from faristol.words import Library


def part(runtime: Runtime) -> Part:
    """Return the lexicon service: look-ups, the judges' service, the reaction that opens cases, and the timer.

    Raises ``LexiconError`` for a damaged lexicon.
    """
    library = Library(runtime.settings.lexicons)
    lexicons, installations = Lexicons(library), Installations(library, runtime.now)
    leases = Leases(runtime.record)
    measuring = (
        (repeat_measurement(partial(queries.measure_backlog, runtime.record, runtime.now)),)
        if runtime.settings.is_measured
        else ()
    )
    # Cases for judges are those of the championship: a hall only copies them.
    timers = () if runtime.record.owner_key else (CaseTimer(runtime.record, leases, runtime.now).run,)
    return Part(
        name="lexicon",
        servicers=(
            service.service(runtime.record, lexicons, installations, runtime.admission),
            directors.service(runtime, lexicons),
            judges.service(runtime, lexicons, leases),
        ),
        reactions=(ruling(runtime.record, lexicons, runtime.now),),
        projections=(projection(),),
        tasks=(*timers, *measuring),
    )
