"""Lexicons and the adjudication of challenges. Owns the streams ``case-…``.

``lexicons`` keeps the installed word graphs open, ``model`` folds a case from its facts, ``decide`` rules on it,
``reactions`` opens a case for every challenge, and ``service`` answers who looks words or cases up.
"""
