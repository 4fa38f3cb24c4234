"""The adjudication of challenges: its policy, judges, leases and cases.

``policy`` has the settings of a tournament, which directors change by ``appointments``. In ``cases``, a case
(``model``) comes from ``challenges``, and judges claim it and rule on it by ``decide``. ``leases`` decides whether the
lease of a judge has expired. The service ``lexicon`` asks for these decisions and writes their events.
"""
