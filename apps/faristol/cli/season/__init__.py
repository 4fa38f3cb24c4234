"""Commands on seasons and circuits that print more than a sentence."""
