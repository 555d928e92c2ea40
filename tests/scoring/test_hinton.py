import xml.etree.ElementTree as ET

import numpy as np
import pytest

from dbench.scoring.page import hinton_svg


def squares(matrix: np.ndarray) -> list[tuple[str, float]]:
    names = [f"c{i}" for i in range(matrix.shape[0])], [f"f{j}" for j in range(matrix.shape[1])]
    root = ET.fromstring(hinton_svg(matrix, *names, "title"))
    return [
        (rect.attrib["class"], float(rect.attrib["width"]))
        for rect in root.findall(".//{*}rect")
        if rect.attrib["class"] in ("plus", "minus")
    ]


def test_areas_are_in_proportion_to_the_values() -> None:
    (kind, large), (_, small) = squares(np.array([[4.0, 1.0]]))
    assert kind == "plus"
    assert large == pytest.approx(2 * small)


def test_negative_values_are_hollow_and_zeros_are_not_drawn() -> None:
    assert squares(np.array([[-1.0, 0.0]])) == [("minus", 24.0)]
    assert squares(np.zeros((2, 2))) == []


def test_names_are_escaped_and_long_ones_shortened() -> None:
    text = hinton_svg(np.ones((1, 1)), ["<script>"], ["x" * 100], 'a & "b"')
    root = ET.fromstring(text)
    assert "<script>" not in text
    assert root.attrib["aria-label"] == 'a & "b"'
    assert all(len(node.text or "") < 100 for node in root.findall("{*}text"))
