"""The word graph: building lexicons, looking words up, and finding plays.

``Library`` stores installed lexicons, ``WordGraph`` is one of them, ``install`` fetches one by name.
``faristol.words.plays`` finds plays; it is not imported here because it imports numba.
"""

from __future__ import annotations

from faristol.words.error import LexiconError
from faristol.words.graph import WordGraph
from faristol.words.header import About, Listing
from faristol.words.library import DEFAULT_NAME, InstalledLexicon, Library, MissingLexiconError, build, install
