"""Lexicons and the adjudication of challenges. Owns the streams ``case-…`` and ``lexicon-…``.

``lexicons`` keeps the installed word graphs open. A case (``model``) is opened by ``reactions`` as ``challenges``
decides, waits in the queue that ``docket`` keeps and ``queries`` reads, and is claimed and ruled on as ``decide``
decides. ``adjudication`` says by whom; directors change that through ``appointments``. ``leases`` and ``timer`` return
cases of judges who are gone. ``service`` answers look-ups, ``judges`` judges, ``directors`` directors and the public;
``presentation`` makes what they are shown.
"""
