"""The papers' figures, drawn from evidence: one plain function each, with the findings it illustrates.

Every figure is a function of a :class:`~dbench.claims.population.Population`, of a pair of them, or of trained runs
(:class:`~dbench.figures.models.Models`), and returns a matplotlib figure; nothing is drawn through ``pyplot``, so no
global state is touched. They need the extra ``figures``: ``pip install 'dbench[figures]'``.
"""
