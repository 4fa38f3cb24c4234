"""Lexicons and the adjudication of challenges. Owns the streams ``case-…`` and ``lexicon-…``.

``lexicons`` stores and installs word graphs, and ``service`` answers look-ups. In ``adjudication``, ``reactions`` opens
a case, and ``policy`` has the settings of a tournament, which directors change by ``appointments``. ``judges`` answers
judges, ``directors`` directors and the public. In ``adjudication.cases``, a case (``model``) comes from ``challenges``
and waits in the queue of ``docket`` and ``queries``. Judges claim it and rule on it by ``decide``. ``leases`` and
``timer`` return cases of silent judges to the queue, and ``presentation`` builds the answers.
"""
