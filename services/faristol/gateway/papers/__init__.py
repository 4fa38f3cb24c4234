"""Paper: what is pinned to a wall, handed out, filled in and signed, as pages to print and as PDF from one template."""
