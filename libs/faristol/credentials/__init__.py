"""Who may do what: credentials, what a call needs, and whether the one is enough for the other.

`needs` reads from the contract what each call needs, `credential` says what somebody holds, `policy` compares them
(all pure). `tokens` writes credentials as signed tokens and reads them, `keyring` holds the keys.
"""
