"""Input and output of officials, shared by terminal and pages: player lists, typed results, the history."""
