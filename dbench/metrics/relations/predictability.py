"""How well a linear support vector machine predicts a factor from a single code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from dbench.codes import Sample

__all__ = ["svm_predictability"]


def svm_predictability(train: Sample, test: Sample, *, penalty: float = 0.01) -> NDArray[np.float64]:
    """Test accuracy of a linear one-versus-rest SVM on one code (A Sober Look, section 4.2.6).

    A threshold on a line cannot single out a middle value: the standardised exact copy of a factor of 3, 6,
    10, 16 or 32 uniform values gets 1.00, 0.67, 0.19, 0.12 or 0.06 (10,000 training points). Through the
    penalty the accuracy depends on the scale of the code. A constant code gets what a constant prediction
    gets: about chance. The primal problem is solved (deterministic); classes are not reweighted, which
    makes no difference where factors are uniform.

    Args:
        train: observations the machines are fitted on; discrete factors.
        test: observations the accuracies are taken on.
        penalty: the C of the support vector machine.

    Returns:
        d x k accuracies from 0 to 1.
    """
    accuracy = np.empty((train.n_codes, train.n_factors))
    for j in range(train.n_factors):
        seen = np.unique(train.factors[:, j])
        for i in range(train.n_codes):
            if len(seen) == 1:
                predicted = np.full(len(test), seen[0])
            else:
                machine = LinearSVC(C=penalty, dual=False, max_iter=10_000)
                machine.fit(train.codes[:, i : i + 1], train.factors[:, j])
                predicted = machine.predict(test.codes[:, i : i + 1])
            accuracy[i, j] = (predicted == test.factors[:, j]).mean()
    return accuracy
