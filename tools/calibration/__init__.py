"""How often the rules of the claims over trained models err: simulated models in which we know what is true.

``rows`` name a card and its family of models; ``judging`` finds the effect at which a finding is false by a hair and
judges there; ``page`` writes docs/calibration.md. ``python tools/calibrate.py`` is the command, and takes hours.
"""
