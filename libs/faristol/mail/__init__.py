"""E-mail: a durable outbox beside the record, and its delivery by SMTP.

A message is stored in the transaction of its cause, and deleted in parts: its address and text when it is sent, the row
a month later. ``outbox`` has the table, ``delivery`` the process that sends, ``smtp`` the protocol, ``retry_policy``
the times of retries.
"""
