"""Cases of tournaments: who comes, who meets whom, what it comes to."""
