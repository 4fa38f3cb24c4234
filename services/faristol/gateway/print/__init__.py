"""Printed matter for walls, tables and signatures, as pages to print and as PDF from the same template."""
