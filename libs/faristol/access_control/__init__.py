"""Authorization: credentials, the requirements of calls, and the check of one against the other.

`needs` reads the requirements of each call from the contract, `credential` describes a credential, `decide`
compares them (all pure). `tokens` encodes credentials as signed tokens and verifies them, `keyring` stores the keys.
"""
