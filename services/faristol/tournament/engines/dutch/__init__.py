"""The Dutch system of FIDE (C.04.3, edition of February 2026): input rounds, output boards. Pure.

``pairing`` and its explanation compile their matching on the first call. Import them only where a round is paired.
"""
