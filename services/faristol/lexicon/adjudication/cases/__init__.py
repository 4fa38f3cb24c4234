"""Cases: decisions, docket, leases, deadlines and presentation."""
