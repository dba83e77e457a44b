"""How the documentation site is made: ``python dev.py docs``."""
