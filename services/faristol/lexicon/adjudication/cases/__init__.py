"""Cases: docket, queries, expiry and presentation."""
