"""Names of persons, clubs, teams and tournaments: how they are kept, and when two are one."""

from __future__ import annotations

import re
import unicodedata

COUNTRY = re.compile(r"[A-Z]{3}")
"""What the code of a country is made of.

There is no list of codes: those of FIDE and of the Olympic Committee (GRE, GER, ENG) are not those of ISO 3166 (GRC,
DEU, none), federations of this game have others of their own, and lists change. Whose code is missing could not enter.
"""


LONGEST_NAME = 200
"""Characters of the name of a person, a club, a team or a tournament."""


def tidy(text: str) -> str:
    """A text as it is kept: no space around it, single spaces in it, Unicode NFC."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def folded(name: str) -> str:
    """What two names have in common that readers take for one: case and space do not part them."""
    return tidy(name).casefold()


def may_be_kept(name: str, *, least: int) -> bool:
    """Whether a registration would keep a name as it is: tidy, of ``least`` characters or more, all of them shown."""
    return name == tidy(name) and least <= len(name) <= LONGEST_NAME and name.isprintable()


OFFICIAL = "o-"
"""What the id begins with that an official gets who acts under a name. It does not come from the name."""
