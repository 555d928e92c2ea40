"""The errata of the five papers: entries, the page and letters made of them, and every number recomputed."""
