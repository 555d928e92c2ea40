"""Trained models and their scores: profiles, run keys, the store, and the runs table with its provenance.

Import from the modules: ``profiles``, ``keys``, ``store`` and ``table`` (which reads evidence) are light; ``train``,
``score`` and ``verify`` start processes that load torch.
"""
