"""Names of persons, clubs, teams and tournaments: how they are kept, and when two are one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

COUNTRY = re.compile(r"[A-Z]{3}")
"""What the code of a country is made of.

There is no list of codes: those of FIDE and of the Olympic Committee (GRE, GER, ENG) are not those of ISO 3166 (GRC,
DEU, none), federations of this game have others of their own, and lists change. Whose code is missing could not enter.
"""


LONGEST_NAME = 200
"""Characters of the name of a person, a club, a team or a tournament."""

LONGEST_NOTE = 500
"""Characters of what an official writes down."""

LONGEST_CATEGORY = 20
"""Characters of a class of competition."""


def tidy(text: str) -> str:
    """A text as it is kept: no space around it, single spaces in it, Unicode NFC."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def folded(name: str) -> str:
    """What two names have in common that readers take for one: case and space do not part them."""
    return tidy(name).casefold()


_MARKS = str.maketrans("", "", "·ʼ’'`´")
"""Signs within a word that a searcher leaves out: ``Puigdel·lívol``, ``O’Neill``."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text as they are searched by: case, accents and the signs within a word do not part them.

    So ``Ελένη`` is found as ``ελενη``, and a final sigma by any other.
    """
    letters = unicodedata.normalize("NFKD", text.translate(_MARKS).casefold())
    return tuple(_WORD.findall("".join(each for each in letters if not unicodedata.combining(each))))


def begins(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Whether every word that is wanted begins one of ``words``, each another one."""
    left = list(words)
    for each in sorted(wanted, key=len, reverse=True):
        found = next((word for word in left if word.startswith(each)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def same_name(name: str, other: str) -> bool:
    """Whether readers would take two names for one: case and space do not part them."""
    return folded(name) == folded(other)


def same_affiliation(name: str, other: str) -> bool:
    """Whether two clubs or associations are written with the same letters and digits.

    Case, space, accents and signs, such as the two apostrophes, do not part them.
    """
    return _letters(name) == _letters(other)


def _letters(name: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", name.casefold()) if letter.isalnum())


def may_be_kept(name: str, *, least: int) -> bool:
    """Whether a registration would keep a name as it is: tidy, of ``least`` characters or more, all of them shown."""
    return name == tidy(name) and least <= len(name) <= LONGEST_NAME and name.isprintable()


def checked_name(field: str, value: str, *, empty: bool = False, longest: int = LONGEST_NAME) -> str:
    """The name without space around it, in Unicode NFC.

    Raises ``Invalid`` when it is too long, holds a character that cannot be shown, or is missing where ``empty`` does
    not allow that.
    """
    name = tidy(value)
    least = 0 if empty else 1
    if not least <= len(name) <= longest:
        raise Invalid(
            field,
            N_("has {length} {length:character|characters}; expected {least} to {most}"),
            {"length": len(name), "least": least, "most": longest},
        )
    if not name.isprintable():
        raise Invalid(field, N_("{given} holds a character that cannot be shown"), {"given": repr(name)})
    return name


def told_apart(names: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """The name of each, by id; of those of one name with what tells them apart: ``Anna Puig (Valls)``.

    Each is an id, a name and what stands beside the name, such as a club. That is what tells apart whoever has one that
    no namesake has, and else the id does. Who has no name, such as somebody erased, stays without.
    """
    namesakes: dict[str, list[tuple[str, str, str]]] = {}
    for each in names:
        namesakes.setdefault(folded(each[1]), []).append(each)
    shown: dict[str, str] = {}
    for key, group in namesakes.items():
        if len(group) == 1:
            shown[group[0][0]] = group[0][1]
            continue
        besides = [folded(beside) for _, _, beside in group]
        for person_id, name, beside in group:
            apart = beside if beside and besides.count(folded(beside)) == 1 else person_id
            shown[person_id] = f"{name} ({apart})" if key else name
    return shown


ACTOR_ID = re.compile(r"[a-z0-9-]{0,64}")
"""What the id of somebody who acts is made of; empty for nobody."""

OFFICIAL = "o-"
"""What the id begins with that an official gets who acts under a name. It does not come from the name."""
