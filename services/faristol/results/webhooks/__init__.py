"""Webhooks: news of a tournament, sent by POST to who asked for it, in order and at least once.

What has happened to a webhook is a value, and what follows from an answer is computed of it (``course``); sending is
apart (``sender``), and who keeps what in the tables, too (``registry``).
"""
