"""Lexicons and the adjudication of challenges. Owns the streams ``case-…`` and ``lexicon-…``.

``lexicons`` caches the installed word graphs. ``reactions`` opens a case (``model``) by ``challenges``. The case waits
in the queue of ``docket`` and ``queries``. Judges claim it and rule on it by ``decide``. ``adjudication`` holds the
settings of a tournament, which directors change by ``appointments``. ``leases`` and ``timer`` return cases of silent
judges to the queue. ``service`` answers look-ups, ``judges`` judges, ``directors`` directors and the public.
``presentation`` builds the answers.
"""
