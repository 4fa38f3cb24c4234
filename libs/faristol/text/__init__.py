"""Translations into Catalan, Spanish, Greek and English.

Messages are written in the code in English, marked with ``N_`` or ``_``; the English text is the key of its
translations. Catalogs are gettext ``.po`` files beside this module.
"""

from __future__ import annotations

import gettext
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time
from babel.lists import format_list
from babel.numbers import format_decimal

from faristol.kernel.refusal import Param, Refusal, fill
from faristol.text.catalogs import read_catalog

SOURCE = "en"
"""The language of the text in the code; it has no catalog."""

TRANSLATED = ("ca", "es", "el")
"""Languages that have a catalog, by ISO 639-1 code."""

LANGUAGES = (*TRANSLATED, SOURCE)
"""Languages that a user can choose, in the order of the menu."""

LANGUAGE_NAMES = {"ca": "Català", "es": "Español", "el": "Ελληνικά", "en": "English"}
"""Name of each language in the language itself."""

_RANGE = re.compile(r"\s*([A-Za-z]{1,8}|\*)(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*")


@cache
def translations(language: str) -> gettext.NullTranslations:
    """Return the catalog of ``language``. Raises ``LookupError`` for a language that is not offered."""
    if language == SOURCE:
        return gettext.NullTranslations()
    if language not in TRANSLATED:
        raise LookupError(f"there is no language {language!r}; there are: {', '.join(LANGUAGES)}")
    return read_catalog(Path(__file__).parent / "locale" / language / "LC_MESSAGES" / "faristol.po")


def say(message: str, params: Mapping[str, Param], language: str) -> str:
    """Return ``message`` in ``language``, with ``params`` in its placeholders: ``{named}`` or ``{number:one|many}``."""
    text = translations(language).gettext(message)
    written = {name: _format_param(name, value, language) for name, value in params.items()}
    return fill(fit_words(text, written, language), written)


def _format_param(name: str, value: Param, language: str) -> Param:
    """Return a parameter in the form of a sentence in ``language``: decimals, and articles of rules."""
    if isinstance(value, float):
        return number(value, language)
    return cite(value, language) if name == "article" and isinstance(value, str) else value


_PLACE = r"(?:\{(?P<braces>[a-z_]+)\}|%\((?P<percent>[a-z_]+)\)s)"

_CHANGEABLE = {"ca": re.compile(rf"\b(?P<word>[Dd]e) {_PLACE}"), "es": re.compile(rf"\b(?P<word>[yo]) {_PLACE}")}
"""Words that change before the sound with which the value of a placeholder begins."""

_TAG = re.compile(r"<[^>]*>")

_Y_AS_VOWEL = re.compile(r"y[^aeiou\W]")


def fit_words(text: str, params: Mapping[str, object], language: str) -> str:
    """Write the words before placeholders as the values need it; unchanged in a language without such words.

    Catalan writes ``de`` as ``d’`` before a vowel or a silent h, Spanish ``y`` as ``e`` before the vowel i and ``o`` as
    ``u`` before the vowel o. Placeholders are ``{name}`` and ``%(name)s``; the tags of a value in HTML are ignored.
    Quoted values change no word.
    """
    changeable = _CHANGEABLE.get(language)
    if not changeable:
        return text

    def fit(found: re.Match[str]) -> str:
        word, blank, place = found[0].partition(" ")
        value = _TAG.sub("", str(params.get(found["braces"] or found["percent"], "")))
        if language == "es":
            return f"{_spanish_conjunction(word, value)}{blank}{place}"
        return f"{word[0]}’{place}" if _elides(value) else found[0]

    return changeable.sub(fit, text)


def _elides(value: str) -> bool:
    """Check whether a value shortens the Catalan ``de``. An i or a u that is a consonant does not: ``de Iolanda``."""
    sound = _without_accents(value).removeprefix("h")
    return sound[:1] in tuple("aeiou") and not re.match(r"[iu][aeiou]", sound)


def _spanish_conjunction(word: str, value: str) -> str:
    """Return ``y`` or ``o`` as Spanish writes it before a value: ``e Inés``, ``y Iolanda``, ``u Olga``, ``u 8``."""
    sound = _without_accents(value).removeprefix("h")
    if word == "y":
        # An i with an accent is not a semivowel: Ían, but hielo.
        marked = unicodedata.normalize("NFD", value.casefold()).removeprefix("h").startswith("i\u0301")
        is_vowel = sound[:1] == "i" and (marked or not re.match(r"i[aeiou]", sound))
        return "e" if is_vowel or _Y_AS_VOWEL.match(sound) else word
    return "u" if re.match(r"o|8|11(?!\d)", sound) else word


def _without_accents(value: str) -> str:
    """Return the first letters of a value in lower case, without accents."""
    letters = unicodedata.normalize("NFD", value).casefold()
    return "".join(letter for letter in letters[:6] if not unicodedata.combining(letter))


def join_list(entries: Sequence[str], language: str) -> str:
    """Join names to a list in the form of a sentence: ``Anna, Biel e Inés`` in Spanish; empty without names.

    A list after a colon has only commas.
    """
    if len(entries) < 2:
        return "".join(entries)
    *_, last = entries
    before = str(format_list([*entries[:-1], ""], locale=language))
    if language == "es" and before.endswith(" y "):
        before = f"{before[:-2]}{_spanish_conjunction('y', last)} "
    return before + last


def render(refusal: Refusal, language: str) -> str:
    """Return the sentence of ``refusal`` in ``language``, without its article."""
    return say(refusal.message, refusal.params, language)


def cite_refusal(refusal: Refusal, language: str) -> str:
    """Return the sentence of ``refusal`` in ``language``, with its article."""
    return with_article(render(refusal, language), refusal.article, language)


_BOOKS: Mapping[str, Mapping[str, str]] = {"el": {"PES": "ΠΕΣ"}}
"""Names of rule books in languages that write them in other letters."""


def cite(article: str, language: str) -> str:
    """Return the article of a rule with the name of its book in ``language``: ``PES Δ.ε`` is ``ΠΕΣ Δ.ε`` in Greek."""
    book, blank, place = article.partition(" ")
    return f"{_BOOKS.get(language, {}).get(book, book)}{blank}{place}"


def with_article(sentence: str, article: str, language: str = SOURCE) -> str:
    """Append the article of a rule to a sentence: ``The result is final (FISE 44).``; unchanged without one."""
    if not article:
        return sentence
    article = cite(article, language)
    return f"{sentence[:-1]} ({article})." if sentence.endswith(".") else f"{sentence} ({article})"


def day_and_time(local: datetime, language: str) -> str:
    """Format a day and a time as the language writes them: ``7 de març del 2027, 10:00``."""
    return f"{format_date(local, 'long', locale=language)}, {format_time(local, 'short', locale=language)}"


def when(moment: datetime, time_zone: str, language: str) -> str:
    """Format a day and a time with their time zone, since the reader may be in another one. The default is UTC."""
    local = moment.astimezone(ZoneInfo(time_zone or "UTC"))
    return f"{day_and_time(local, language)} {zone_name(moment, time_zone)}"


def zone_name(moment: datetime, time_zone: str) -> str:
    """Return the abbreviation of a time zone at a moment: ``CET``, ``EEST``; ``UTC−3`` if it has no letters."""
    name = moment.astimezone(ZoneInfo(time_zone or "UTC")).tzname() or "UTC"
    return name if name.isalpha() else f"UTC{name.replace('-', '−')}"


def number(value: float, language: str) -> str:
    """Format a number with up to two decimals: ``2.5`` or ``2,5``, with a minus sign instead of a hyphen."""
    return str(format_decimal(value, "#,##0.##", locale=language)).replace("-", "−")


def percent(value: float, language: str) -> str:
    """Format a percentage with two decimals, so that a column can be compared: ``92.60`` or ``92,60``."""
    return str(format_decimal(value, "#,##0.00", locale=language))


def negotiate(accept_language: str) -> str:
    """Return the language that an ``Accept-Language`` header asks for (RFC 9110 §12.5.4), English if none fits.

    Among languages of equal weight the first wins. Invalid parts of the header are ignored.
    """
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept_language.split(",")):
        match = _RANGE.fullmatch(part)
        if match is None:
            continue
        weight = float(match[2] or 1)
        language = SOURCE if match[1] == "*" else match[1].lower()
        if weight > 0 and language in LANGUAGES:
            wanted.append((-weight, place, language))
    return min(wanted)[2] if wanted else SOURCE
