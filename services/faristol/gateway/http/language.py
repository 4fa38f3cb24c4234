"""Language of a visitor."""

from __future__ import annotations

from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.pages.embedding import is_embeddable
from faristol.text import LANGUAGES, negotiate

COOKIE = "lang"
LANGUAGE_COOKIE_SECONDS = 365 * 24 * 3600


def language_of(request: Request) -> str:
    """Return the language of ``?lang=``, of the cookie, or of ``Accept-Language``, in this order."""
    kept = None if is_embeddable(request.url.path) else request.cookies.get(COOKIE)
    for chosen in (request.query_params.get("lang"), kept):
        if chosen in LANGUAGES:
            return chosen
    return negotiate(request.headers.get("accept-language", ""))


def remember(request: Request, response: Response) -> None:
    """Store the language of ``?lang=`` in a cookie; an embedded page sets no cookie."""
    if request.query_params.get("lang") in LANGUAGES and not is_embeddable(request.url.path):
        response.headers.append("Set-Cookie", cookie_of(language_of(request)))


@cache
def cookie_of(language: str) -> str:
    """Return the ``Set-Cookie`` header that stores a language."""
    holder = Response()
    holder.set_cookie(COOKIE, language, max_age=LANGUAGE_COOKIE_SECONDS, samesite="lax", httponly=True)
    return holder.headers["Set-Cookie"]
