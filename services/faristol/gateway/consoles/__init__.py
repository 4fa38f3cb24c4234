"""Consoles: pages for those who run a championship. Whatever is done there is a call by the holder's credential."""
