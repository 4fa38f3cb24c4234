"""Which language a visitor reads."""

from __future__ import annotations

from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from faristol.text import LANGUAGES, negotiate

COOKIE = "lang"
YEAR = 365 * 24 * 3600


def language_of(request: Request) -> str:
    """The language asked for by ``?lang=``, or chosen before, or preferred by the browser."""
    for chosen in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if chosen in LANGUAGES:
            return chosen
    return negotiate(request.headers.get("accept-language", ""))


def remember(request: Request, response: Response) -> None:
    """Keep the language that was just chosen."""
    if request.query_params.get("lang") in LANGUAGES:
        response.headers.append("Set-Cookie", cookie_of(language_of(request)))


@cache
def cookie_of(language: str) -> str:
    """The header that keeps a language."""
    holder = Response()
    holder.set_cookie(COOKIE, language, max_age=YEAR, samesite="lax", httponly=True)
    return holder.headers["Set-Cookie"]
