"""Warnings, sanctions, expulsions, the tribunal of appeals, and rulings that were wrong. Pure."""
