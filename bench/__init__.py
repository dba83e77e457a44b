"""Benchmarks: one file each, our implementation and the peers' side by side.

``python dev.py bench [NAMES]`` runs them. The package imports nothing of it; no test times it.
"""
