"""Webhooks: notifications sent by POST to subscribers, in order and at least once.

The state of a webhook is a value, and the effect of an answer is computed from it, with the time of the next retry
(``retry_policy``). ``sender`` calls a ``target`` with a ``message``, ``registry`` stores webhooks in ``tables``. The
service ``results`` reads the events and registers webhooks.
"""
