"""Warnings, sanctions, expulsions, the tribunal of appeals, and the correction of rulings. Pure."""
