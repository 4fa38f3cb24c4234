"""Names of persons, clubs, teams and tournaments: normalization, comparison, sorting, transliteration; chosen ids."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

COUNTRY = re.compile(r"[A-Z]{3}")
"""The format of a country code.

Codes are not checked against a list. Those of FIDE and of the Olympic Committee (GRE, GER, ENG) differ from ISO 3166
(GRC, DEU, none), federations of this game have further codes, and lists change. A player whose code is missing from a
list could not enter.
"""


MAX_NAME_CHARACTERS = 200
"""Characters of the name of a person, a club, a team or a tournament."""

MAX_OFFICIAL_NOTE_CHARACTERS = 500
"""Characters of a note of an official."""

MAX_BATCH_PLAYERS = 500
"""Limit of the players or entries of one command."""

MAX_CATEGORY_CHARACTERS = 20
"""Characters of the name of a class of competition."""

MAX_ID_LENGTH = 40
"""Characters of the longest id that a caller chooses."""

_ID = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{MAX_ID_LENGTH - 1}}}")


def tidy(text: str) -> str:
    """Return a text as it is stored: without surrounding space, with single spaces inside, in Unicode NFC."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def fold_case(name: str) -> str:
    """Return a name without case and double spaces. Ids of officials are computed from it: it never changes."""
    return tidy(name).casefold()


_APOSTROPHES = (
    "'\u2018\u2019\u201a\u201b\u02bc\u02b9\u02bb\u02bd\u02c8\u2032\u2035`\u00b4\u0384\u1fbd\u1fbf\u1fef\u1ffd\uff07"
)
_HYPHENS = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\ufe58\ufe63\uff0d\u2043"
_DOTS = "\u00b7\u0387\u2022\u2027\u2219\u22c5\u2e31\u30fb\uff65\ua78f"

_SAME_SIGNS = str.maketrans(dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_HYPHENS, "-") | dict.fromkeys(_DOTS, "·"))
"""Maps the variants of the apostrophe, of the hyphen and of the dot of ``l·l`` to one sign each."""

_FULL_STOP = re.compile(r"(?<=l)\.(?=l)")
_TONOS = "\u0301"


def name_key(name: str) -> str:
    """Return a key that is equal for two names that readers take for one.

    It ignores case, space, composition, the kinds of apostrophe, hyphen and dot, and ``ŀ`` for ``l·``. It also ignores
    the tonos of Greek letters, which capitals do not carry.
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFC", name) if unicodedata.category(sign) != "Cf")
    plain = " ".join(plain.translate(_SAME_SIGNS).split()).casefold().replace("\u0140", "l·")
    plain = unicodedata.normalize("NFC", plain)  # the small letter of ΐ and ΰ is three characters
    return _FULL_STOP.sub("·", "".join(map(_without_tonos, plain)))


def _without_tonos(letter: str) -> str:
    apart = unicodedata.normalize("NFD", letter)
    base, marks = apart[:1], apart[1:]
    if _TONOS not in marks or not "\u0370" <= base <= "\u03ff":
        return letter
    return unicodedata.normalize("NFC", base + "".join(mark for mark in marks if mark != _TONOS))


_MARKS = str.maketrans("", "", _APOSTROPHES + _DOTS)
"""Deletes the signs within a word that a searcher leaves out: ``Puigdel·lívol``, ``O’Neill``."""

_WORD = re.compile(r"[^\W_]+")

_LATIN = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"})
"""Latin letters that Unicode does not decompose into a letter and an accent."""


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text for comparison, without case, accents, strokes and the signs within a word.

    So ``ελενη`` is ``Ελένη``, ``lukasz`` is ``Łukasz``, and any sigma is a final sigma.
    """
    plain = "".join(sign for sign in text.casefold() if unicodedata.category(sign) != "Cf")
    plain = _FULL_STOP.sub("", plain.replace("\u0140", "l")).translate(_MARKS)
    letters = unicodedata.normalize("NFKD", plain).translate(_LATIN)
    return tuple(_WORD.findall("".join(each for each in letters if not unicodedata.combining(each))))


_EXPANSIONS = {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i"}
"""Latin letters that the Unicode Collation Algorithm sorts as other letters and that have no decomposition."""

_TILDE = "\u0303"


def name_order(name: str, language: str) -> tuple[tuple[tuple[int, str], ...], str, str]:
    """Return the sort key of a name for readers of ``language``.

    Names sort by letters, then by marks, then by case, as in Unicode collation; the dot of ``l·l`` is not a letter. In
    Spanish ``ñ`` is a letter after ``n`` (CLDR). For Greek readers Greek letters precede Latin ones.
    """
    plain = unicodedata.normalize("NFKC", name.replace("\u0140", "l").replace("\u013f", "L")).translate(_SAME_SIGNS)
    letters: list[tuple[int, str]] = []
    marks = []
    for char in plain.casefold().replace("·", ""):
        apart = unicodedata.normalize("NFD", char)
        base, own = apart[:1], apart[1:]
        marks.append(own)
        if base == "n" and own == _TILDE and language == "es":
            letters.append((3, "n\U0010ffff"))
            continue
        letters += [(_rank(part, language), part) for part in _EXPANSIONS.get(base, base)]
    return tuple(letters), "\0".join(marks), name


def _rank(char: str, language: str) -> int:
    """Return the rank of a character: spaces, signs, digits, letters; letters rank by script."""
    if not char.isalpha():
        return 0 if char.isspace() else 2 if char.isdigit() else 1
    is_greek = "\u0370" <= char <= "\u03ff" or "\u1f00" <= char <= "\u1fff"
    if language == "el":
        return 3 if is_greek else 4
    return 4 if is_greek else 3 if char < "\u0370" else 5


def begins(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Check whether each of ``wanted`` is a prefix of a different one of ``words``.

    Words may be divided in another way: ``mac donald`` begins ``macdonald``, and the reverse.
    """
    left = list(words)
    for each in sorted(wanted, key=len, reverse=True):
        found = next((word for word in left if word.startswith(each)), None)
        if found is None:
            whole = "".join(wanted)
            return any("".join(words[place:]).startswith(whole) for place in range(len(words)))
        left.remove(found)
    return True


_ELOT_743 = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k", "λ": "l",
    "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f",
    "χ": "ch", "ψ": "ps", "ω": "o",
}  # fmt: skip
"""Single Greek letters by ELOT 743 (ISO 843)."""

_UNVOICED = frozenset("θκξπσςτφχψ")
_PAIRS = (("γγ", "ng"), ("γξ", "nx"), ("γχ", "nch"), ("ου", "ou"))


def slug(text: str) -> str:
    """Transliterate a name for a URL: ``trofeu-valls``, and Greek by ELOT 743: ``kypello-athinon``.

    Accents are dropped. Letters of other scripts are left out, so the result may be empty.
    """
    decomposed = unicodedata.normalize("NFKD", _without_marks(text).casefold())
    letters = _greek_in_latin(decomposed).translate(_LATIN)
    plain = "".join(each for each in letters if not unicodedata.combining(each))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _without_marks(text: str) -> str:
    return text.translate(_MARKS)


def _greek_in_latin(decomposed: str) -> str:
    """Transliterate Greek letters by ELOT 743 in a decomposed text of small letters.

    ``αυ``, ``ευ`` and ``ηυ`` are av, ev and iv; before an unvoiced consonant and at the end af, ef and if. A dieresis
    on the second letter or an accent on the first one separates the pair.
    """
    written: list[str] = []
    letters = re.findall(r"[^\u0300-\u036f][\u0300-\u036f]*", decomposed)
    place = 0
    while place < len(letters):
        first, marks = letters[place][0], letters[place][1:]
        second = letters[place + 1] if place + 1 < len(letters) else " "
        pair = first + second[0] if not marks and "\u0308" not in second else ""
        following = letters[place + 2][0] if place + 2 < len(letters) else " "
        found = next((latin for greek, latin in _PAIRS if greek == pair), "")
        if pair in ("αυ", "ευ", "ηυ"):
            unvoiced = following in _UNVOICED or following not in _ELOT_743
            found = _ELOT_743[first] + ("f" if unvoiced else "v")
        elif pair == "μπ":
            starts = place == 0 or letters[place - 1][0] not in _ELOT_743
            found = "b" if starts or following not in _ELOT_743 else "mp"
        if found:
            written.append(found)
            place += 2
            continue
        written.append(_ELOT_743.get(first, first))
        place += 1
    return "".join(written)


def same_name(name: str, other: str) -> bool:
    """Check whether readers take two names for one, by their ``name_key``."""
    return name_key(name) == name_key(other)


_WORD = re.compile(r"\w+")


def mentions(text: str, name: str) -> bool:
    """Check whether a text has every word of a name, in any order and without regard to case and tonos.

    A name of one word is not found: it may be an ordinary word of the text.
    """
    wanted = set(_WORD.findall(name_key(name)))
    return len(wanted) > 1 and wanted.issubset(_WORD.findall(name_key(text)))


def same_affiliation(name: str, other: str) -> bool:
    """Check whether two clubs or associations have the same letters and digits.

    The comparison ignores case, space, accents and signs such as apostrophes.
    """
    return affiliation_key(name) == affiliation_key(other)


def affiliation_key(name: str) -> str:
    """Return a key that is equal for two names of which ``same_affiliation`` is true."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", name.casefold()) if letter.isalnum())


def club_key(club: str) -> str | None:
    """Return the key of a player's club, as ``affiliation_key``; None without a club."""
    return affiliation_key(club) if club else None


MAX_COMBINING_MARKS = 3
"""Combining marks on one letter, apart from those in a composed character. Vietnamese and polytonic Greek have two.
With many more a name covers the lines around it."""


def _has_too_many_marks(text: str) -> bool:
    run = 0
    for sign in text:
        run = run + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if run > MAX_COMBINING_MARKS:
            return True
    return False


def _is_shown(text: str) -> bool:
    return text.isprintable() and not _has_too_many_marks(text)


def check_length(field: str, text: str, least: int, most: int) -> None:
    """Raise ``Invalid`` for a text of less than ``least`` or more than ``most`` characters."""
    if not least <= len(text) <= most:
        raise Invalid(
            field,
            N_("has {length} {length:character|characters}; expected {least} to {most}"),
            {"length": len(text), "least": least, "most": most},
        )


def check_text(field: str, text: str) -> None:
    """Raise ``Invalid`` if a character of ``text`` is not printable, or if a letter has too many marks."""
    if not text.isprintable():
        raise Invalid(field, N_("{given} contains a character that cannot be displayed"), {"given": repr(text)})
    if _has_too_many_marks(text):
        known: dict[str, str | int] = {"most": MAX_COMBINING_MARKS}
        raise Invalid(field, N_("has a letter with more than {most} marks above or below it"), known)


def is_storable(name: str, *, least: int) -> bool:
    """Check whether a registration stores ``name`` unchanged: tidy, at least ``least`` characters, all displayable."""
    return name == tidy(name) and least <= len(name) <= MAX_NAME_CHARACTERS and _is_shown(name)


def check_name(field: str, value: str, *, empty: bool = False, longest: int = MAX_NAME_CHARACTERS) -> str:
    """Return the name as ``tidy`` does.

    Raises ``Invalid`` if it is too long, has a character that cannot be shown, or is empty although ``empty`` is False.
    """
    name = tidy(value)
    check_length(field, name, 0 if empty else 1, longest)
    check_text(field, name)
    return name


def check_id(field: str, value: str) -> str:
    """Return an id that a caller chooses, of a tournament, a player or a season. Raises ``Invalid`` if malformed."""
    if not _ID.fullmatch(value):
        raise Invalid(
            field,
            N_("{given} is not an id; expected 1 to {most} of a-z, 0-9 and -, not beginning with -"),
            {"given": repr(value), "most": MAX_ID_LENGTH},
        )
    return value


def generate_player_id(command_id: str) -> str:
    """Return a player id for a command. It does not depend on the name: ids stay after names are erased."""
    return f"p-{hash_command_id(command_id)}"


def hash_command_id(command_id: str) -> str:
    """Return twelve digits for the id of a command. Raises ``Invalid`` if it is not a UUID."""
    # Hashed, because the first digits of some UUIDs are only a time. The same command always yields the same id.
    try:
        canonical = str(uuid.UUID(command_id))
    except ValueError:
        raise Invalid(
            "command_id", N_("expected a UUID of the caller's choice, got {given}"), {"given": repr(command_id)}
        ) from None
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def list_distinct_names(names: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return the display name of each person by id; namesakes get a distinction: ``Anna Puig (Valls)``.

    Each item is an id, a name and an attribute such as a club. The distinction is the attribute if no namesake has the
    same one, otherwise the id. A person without a name, such as an erased one, gets no distinction.
    """
    namesakes: dict[str, list[tuple[str, str, str]]] = {}
    for each in names:
        namesakes.setdefault(name_key(each[1]), []).append(each)
    shown: dict[str, str] = {}
    for key, group in namesakes.items():
        if len(group) == 1:
            shown[group[0][0]] = group[0][1]
            continue
        besides = Counter(name_key(beside) for _, _, beside in group)
        for person_id, name, beside in group:
            apart = beside if beside and besides[name_key(beside)] == 1 else person_id
            shown[person_id] = f"{name} ({apart})" if key else name
    return shown


ACTOR_ID = re.compile(r"[a-z0-9-]{0,64}")
"""The format of the id of an actor; empty for no actor."""

NAMED_PERSON = "m-"
"""What the id begins with of a person who is named in one tournament and is not a player or official of it."""

_NAMED_PERSON = re.compile(rf"{NAMED_PERSON}[0-9a-f]{{12}}")


def is_named_person(person_id: str) -> bool:
    """Return whether an id is of the kind that is made for a person who is named in one tournament."""
    return _NAMED_PERSON.fullmatch(person_id) is not None


OFFICIAL = "o-"
"""Prefix of the id of an official with a name. The id is not derived from the name."""

_OFFICIAL = re.compile(rf"{OFFICIAL}[0-9a-f]{{12}}")


def checked_player_id(field: str, value: str) -> str:
    """Return a chosen player id. Raises ``Invalid`` if it is malformed or has the prefix of officials."""
    if check_id(field, value).startswith(OFFICIAL):
        raise Invalid(
            field,
            N_("{given} begins with {prefix}, which is reserved for ids of officials; expected another id"),
            {"given": repr(value), "prefix": OFFICIAL},
        )
    return value


def is_official(person_id: str) -> bool:
    """Return whether an id is of the kind that is made for an official, not chosen."""
    return _OFFICIAL.fullmatch(person_id) is not None
