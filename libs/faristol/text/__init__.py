"""What people read, in their language: Catalan, Spanish, Greek, English.

Text stands in the code in English, marked with ``N_`` or ``_``; that English is the key of its translations.
Catalogs are gettext ``.po`` files beside this module. They are compiled in memory when first used, so that
nothing generated has to be kept in step with them.
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
"""Every language that a person can ask for, in the order in which they are offered."""

NAMES = {"ca": "Català", "es": "Español", "el": "Ελληνικά", "en": "English"}
"""What each language calls itself."""

_RANGE = re.compile(r"\s*([A-Za-z]{1,8}|\*)(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*")


@cache
def translations(language: str) -> gettext.NullTranslations:
    """The catalog of ``language``. Raises ``LookupError`` for a language that is not offered."""
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
    """``message`` in ``language``, with ``params`` in its places, ``{named}`` or ``{number:one|many}``."""
    text = translations(language).gettext(message)
    return fill(elide(text, params) if language == "ca" else text, params)


_DE = re.compile(r"\b([Dd])e \{([a-z_]+)\}")


def elide(text: str, params: Mapping[str, Param]) -> str:
    """Write the Catalan ``de`` before a place as ``d’`` where its value begins with a vowel or a silent h.

    Before an i or a u that is a consonant there is none: ``de Iolanda`` and ``de hiena``. A number, and what is quoted,
    stays as it is.
    """

    def shortened(found: re.Match[str]) -> str:
        letters = unicodedata.normalize("NFD", str(params.get(found[2], ""))).casefold()
        plain = "".join(letter for letter in letters[:6] if not unicodedata.combining(letter)).removeprefix("h")
        semivowel = re.match(r"[iu][aeiou]", plain) is not None
        return f"{found[1]}’{{{found[2]}}}" if plain[:1] in tuple("aeiou") and not semivowel else found[0]

    return _DE.sub(shortened, text)


def render(refusal: Refusal, language: str) -> str:
    """What ``refusal`` says, in ``language``. Its article is not part of the sentence."""
    return say(refusal.message, refusal.params, language)


def cited(refusal: Refusal, language: str) -> str:
    """What ``refusal`` says, in ``language``, with its article."""
    return with_article(render(refusal, language), refusal.article)


def with_article(sentence: str, article: str) -> str:
    """A sentence and the article that it rests on: ``The result is final (FISE 44).``; unchanged without one."""
    if not article:
        return sentence
    return f"{sentence[:-1]} ({article})." if sentence.endswith(".") else f"{sentence} ({article})"


def number(value: float, language: str) -> str:
    """A number with up to two decimals as ``language`` writes it, ``2.5`` or ``2,5``; a minus sign and not a hyphen."""
    return str(format_decimal(value, "#,##0.##", locale=language)).replace("-", "−")


def percent(value: float, language: str) -> str:
    """A percentage with both decimals, so that those of a column can be compared: ``92.60``, ``92,60``."""
    return str(format_decimal(value, "#,##0.00", locale=language))


def negotiate(accept_language: str) -> str:
    """The language that an ``Accept-Language`` header asks for (RFC 9110 §12.5.4), English when none fits.

    Among languages wanted equally, the one named first wins. What cannot be read in the header is passed over:
    a browser's odd header is no reason to show nothing.
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
