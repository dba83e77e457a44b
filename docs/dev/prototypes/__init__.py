"""Prototypes that decisions tell of; no part of the package."""
