"""Webhooks: notifications of a tournament's events, sent by POST to subscribers, in order and at least once.

The state of a webhook is a value, and the effect of an answer is computed from it (``retry_policy``). Sending
(``sender``) and the tables (``registry``) are separate.
"""
