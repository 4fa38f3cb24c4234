"""Input of officials, shared by terminal and pages: player lists, typed results."""
