"""Requests to witnesses and logs over HTTP."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Any


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: a request and its token go only to the configured address."""

    def redirect_request(self, *_: Any) -> None:
        return None


opener_without_redirects = urllib.request.build_opener(_NoRedirect)


def reason_of(error: urllib.error.URLError) -> str:
    """Return the reason of a request that got no answer, without the number of the error."""
    return getattr(error.reason, "strerror", None) or str(error.reason)
