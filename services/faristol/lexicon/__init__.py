"""Lexicons and the adjudication of challenges. Owns the streams ``case-…`` and ``lexicon-…``.

``lexicons`` keeps the installed word graphs open. A case (``model``) is opened by ``reactions`` as ``opening`` decides,
waits in the queue that ``docket`` keeps and ``reading`` reads, and is claimed and ruled on as ``decide`` decides;
``adjudication`` says by whom, as directors did by ``appointments``. ``leases`` and ``timing`` keep cases from staying
with a judge who is gone. ``service`` answers who looks words or cases up, ``judges`` answers judges, ``directors``
directors and the public; what they are shown is in ``presenting``.
"""
