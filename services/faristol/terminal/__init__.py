"""What programs at a terminal share: who is meant by a name, how services are asked, how answers are printed."""
