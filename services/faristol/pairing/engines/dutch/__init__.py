"""The Dutch system of FIDE (C.04.3, edition of February 2026): rounds in, boards and reasons out. Pure.

``pairing`` and ``why`` compile their matching when first called for, so import them where a round is paired.
"""
