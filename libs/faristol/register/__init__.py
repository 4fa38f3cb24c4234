"""The federation's register of persons: its state, the comparison with a list, the check of licences. Pure.

The rating service decides on the register, and the pairing service checks licences by it, so both share this package.
"""
