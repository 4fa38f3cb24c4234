"""HTTP: the server, limits, addresses, headers, errors, forms, languages and static files."""
