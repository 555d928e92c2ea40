"""The papers' figures, drawn from evidence: one plain function each, without ``pyplot`` and its global state."""
