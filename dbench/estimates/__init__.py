"""Estimates over trained models: populations of runs, and the statistics that claims take of them."""
