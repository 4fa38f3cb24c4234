"""Lexicons and the adjudication of challenges. Owns the streams ``case-…`` and ``lexicon-…``.

``lexicons`` stores and installs word graphs, and ``service`` answers look-ups. The decisions of adjudication are in
``faristol.adjudication``. In ``adjudication`` here, ``reactions`` opens a case, ``judges`` answers judges, and
``directors`` answers directors and the public. In ``adjudication.cases``, a case waits in the queue of ``docket`` and
``queries``, ``expiry`` returns cases of silent judges to the queue, and ``presentation`` builds the answers.
"""
