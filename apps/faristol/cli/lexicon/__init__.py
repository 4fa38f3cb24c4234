"""`faristol lexicon`."""
