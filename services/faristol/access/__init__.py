"""Credentials: who was given which, by a token, a link or a PIN. Owns the stream ``access-cell``.

``decide`` says what may be given and ended (pure), ``codes`` makes links and PINs, ``service`` answers.
"""
