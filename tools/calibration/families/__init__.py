"""The calibrated cards, by the files that hold their families of simulated models."""

from calibration.families import flaws_novel, flaws_trained, irs, sober_5, sober_5_4, sober_6, sober_7, udr_zoo
from calibration.row import Row

FILES = (flaws_novel, flaws_trained, irs, sober_5, sober_5_4, sober_6, sober_7, udr_zoo)
ROWS: list[Row] = [row for file in FILES for row in file.ROWS]
