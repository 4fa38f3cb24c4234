"""Translations into Catalan, Spanish, Greek and English.

Messages are written in the code in English, marked with ``N_`` or ``_``; the English text is the key of its
translations. Catalogs are gettext ``.po`` files beside this module. They are compiled in memory at the first use, so no
generated file can be out of date.
"""

from __future__ import annotations

import gettext
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources
from io import BytesIO

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from faristol.kernel.refusal import Param, Refusal, fill

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
    file = resources.files("faristol.text") / "locale" / language / "LC_MESSAGES" / "faristol.po"
    with file.open("rb") as source:
        catalog = read_po(source, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def say(message: str, params: Mapping[str, Param], language: str) -> str:
    """Return ``message`` in ``language``, with ``params`` in its placeholders: ``{named}`` or ``{number:one|many}``."""
    text = translations(language).gettext(message)
    written = {name: _format_param(name, value, language) for name, value in params.items()}
    return fill(elide(text, written) if language == "ca" else text, written)


def _format_param(name: str, value: Param, language: str) -> Param:
    """Return a parameter as a sentence in ``language`` has it: decimals, and articles of rules."""
    if isinstance(value, float):
        return number(value, language)
    return cite(value, language) if name == "article" and isinstance(value, str) else value


_DE = re.compile(r"\b([Dd])e (?:\{(?P<braces>[a-z_]+)\}|%\((?P<percent>[a-z_]+)\)s)")

_TAG = re.compile(r"<[^>]*>")


def elide(text: str, params: Mapping[str, object]) -> str:
    """Write the Catalan ``de`` as ``d’`` before a placeholder whose value begins with a vowel or a silent h.

    Placeholders are ``{name}`` and ``%(name)s``; the tags of a value in HTML are ignored. An i or a u that is a
    consonant does not elide: ``de Iolanda``, ``de hiena``. Numbers and quoted values stay unchanged.
    """

    def shorten(found: re.Match[str]) -> str:
        value = params.get(found["braces"] or found["percent"], "")
        letters = unicodedata.normalize("NFD", _TAG.sub("", str(value))).casefold()
        plain = "".join(letter for letter in letters[:6] if not unicodedata.combining(letter)).removeprefix("h")
        semivowel = re.match(r"[iu][aeiou]", plain) is not None
        elides = plain[:1] in tuple("aeiou") and not semivowel
        return f"{found[1]}’{found[0].partition(' ')[2]}" if elides else found[0]

    return _DE.sub(shorten, text)


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
