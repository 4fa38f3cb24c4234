"""Commands on the register of persons. Owner of the stream ``register-cell``; ``faristol.register`` has its state."""
