"""TRF files: reports of tournaments in FIDE's form, for pairing programs and for rating."""

from faristol.rules.trf.columns import TrfError
from faristol.rules.trf.document import (
    Adjustment,
    Byes,
    Colour,
    Document,
    Edition,
    Fictitious,
    Forbidden,
    Points,
    Scores,
    TrfCell,
    TrfPlayer,
    TrfTeam,
    told_by_first_round,
)
from faristol.rules.trf.reader import decode_trf, read_trf
from faristol.rules.trf.writer import write_trf
