"""What the calibration knows of one card: its family of simulated models, and what is looked for in it."""

import importlib.util
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dbench.claims import CARD_ATTRIBUTE, Claim
from dbench.seeds import generator
from dbench.stats import Estimate

CLAIMS = Path(__file__).parents[2] / "claims"
World = Callable[..., Any]


@dataclass(frozen=True)
class Row:
    """A card, and the simulated models that it is judged on.

    Attributes:
        file: claim file, as its path below claims/ without the suffix.
        name: of the card in that file.
        world: takes ``effect``, ``generator`` and ``seeds`` by keyword, and returns what the card's test takes first: a
            simulated population, or several.
        effects: two effects; between them the statistic rises or falls throughout, and passes the rule's edge.
        at: value of the statistic at the effect that the power is stated for: the paper's printed one, or the
            smallest one worth finding where it prints none.
        at_says: what ``at`` is, in a few words.
        given: other arguments of the test, beside those that the card names.
        seeds: seeds of the shipped evidence.
        truth_seeds: seeds of each of the populations that tell what is true; fewer where the statistic is slow.
        endless: family of those populations, if another.
        decides: unit that the effect is of; empty where all units are alike.
        estimated: makes the estimate from the models, in place of a test that reads more.
        log_normal: whether a mean of e to a normal number is judged; of a heavy-tailed number there is no such mean.
        heavy_tails: whether what is drawn from a normal law comes from :class:`HeavyTailed`.
    """

    file: str
    name: str
    world: World
    _: KW_ONLY
    effects: tuple[float, float]
    at: float
    at_says: str
    given: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = 10
    truth_seeds: int = 500
    endless: World | None = None
    decides: str = ""
    estimated: Callable[[Any], Estimate] | None = None
    log_normal: bool = False
    heavy_tails: bool = False

    @property
    def claim(self) -> Claim:
        """The card."""
        found: Claim = getattr(claim_file(self.file), self.name)
        return found

    def estimate(self, models: Any) -> Estimate:
        """Make the estimate as the card's test does."""
        if self.estimated:
            return self.estimated(models)
        claim = self.claim
        test = next(one for one in vars(claim_file(self.file)).values() if getattr(one, CARD_ATTRIBUTE, None) is claim)
        found: Estimate = test(models, **(dict(claim.given) | dict(self.given)))
        return found

    def draw(self, effect: float, **axes: Any) -> Any:
        """Draw models as the evidence has them; the same axes are the same draw.

        Where the card has conditions, some of their units are left out, at most half as in a session. Which ones has
        nothing to do with what is judged; the unit that decides always stays.
        """
        models = self.world(effect=effect, generator=self._stream(**axes), seeds=self.seeds)
        if self.estimated or not self.claim.regime:
            return models
        stream, asked = self._stream(**axes, of="units"), {unit for one in self.claim.regime for unit in one.units}
        units = sorted(asked or models.objectives)
        most = int(stream.integers(len(units) // 2 + 1))
        left = stream.permutation([unit for unit in units if unit != self.decides])[:most]
        return models.of([unit for unit in models.objectives if unit not in left])

    def draw_many(self, effect: float, **axes: Any) -> Any:
        """Draw so many that the statistic shows what is true."""
        return (self.endless or self.world)(effect=effect, generator=self._stream(**axes), seeds=self.truth_seeds)

    def _stream(self, **axes: Any) -> np.random.Generator:
        found = generator(calibration=f"{self.file} {self.name}", **axes)
        return HeavyTailed(found.bit_generator) if self.heavy_tails else found


class HeavyTailed(np.random.Generator):
    """Draws Student's t with three degrees of freedom, scaled to a variance of 1, where a normal number is asked for.

    Of a hundred numbers one lies beyond 3.4, where of normal ones one lies beyond 2.6; the fourth moment is infinite.
    """

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Replace the normal law, for float64 alone."""
        assert (dtype, out) == (np.float64, None)
        return self.standard_t(3, size) / math.sqrt(3)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """The same, shifted and scaled."""
        return loc + scale * self.standard_normal(size)


@cache
def claim_file(name: str) -> ModuleType:
    """Import a claim file by its path below claims/, without the suffix."""
    spec = importlib.util.spec_from_file_location("calibrated_" + name.replace("/", "_"), CLAIMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
