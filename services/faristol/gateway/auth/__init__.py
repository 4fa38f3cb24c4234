"""Sign-in, sessions, OpenID Connect and the page of credentials."""
