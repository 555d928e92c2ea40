"""Trained models and their scores: profiles, run keys, the store, and the runs table with its provenance."""
