"""The service ``access``: credentials by token, link or PIN. Owner of the stream ``access-cell``.

``grants`` has the pure decisions to grant and revoke, ``codes`` derives links and PINs, and ``service`` answers calls.
"""
