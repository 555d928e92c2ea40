"""Training of many models of one shape at once, each as if it were alone."""

from dbench.training.encode import Evaluation, encode_grid, evaluate
from dbench.training.ensemble import train
from dbench.training.losses import extra_shapes
from dbench.training.state import Member, State

__all__ = ["Evaluation", "Member", "State", "encode_grid", "evaluate", "extra_shapes", "train"]
