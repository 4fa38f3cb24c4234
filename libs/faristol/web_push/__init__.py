"""Web Push: notifications for browsers that are closed, encrypted for each of them (RFC 8030, 8291, 8292).

A push service of a browser's vendor delivers a message. It learns the time, the size class and the urgency of a
message, and the address of the subscription; ``encryption`` hides the content, ``vapid`` identifies the cell.
``subscriptions`` stores what each browser follows, in ``tables`` beside the record. The service ``results`` sends by
the connections of ``faristol.webhooks``, which call no address inside a network.

No package does the two standards: `pywebpush` and `py-vapid` have no types, and the former has two HTTP clients of its
own, which would call any address. They are forty lines with `cryptography` and `joserfc`, which the cell uses anyway.
"""
