"""The page in a real browser: what its script does, and that nothing complains, as the refusal of a fetch would."""

import shutil

import pytest

from dbench.report.figures import PageFigure
from dbench.report.html import render_html

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

BROWSER, DRIVER = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver on the path")


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, sample, tmp_path):
    """The page of the realistic document, opened from a file; no test may leave a complaint in the console."""
    path = tmp_path / "index.html"
    path.write_text(render_html(sample))
    browser.get_log("browser")
    browser.get(path.as_uri())
    yield browser
    assert browser.get_log("browser") == []


def shown(page) -> list[str]:
    """The findings to be seen, from top to bottom."""
    return page.execute_script(
        "return [...document.querySelectorAll('tbody.finding')].filter(e => e.offsetParent).map(e => e.id)"
    )


def choose(page, **values: str) -> None:
    for name, value in values.items():
        page.execute_script(
            "const field = document.getElementById('controls').elements[arguments[0]];"
            "field.value = arguments[1]; field.dispatchEvent(new Event('input', { bubbles: true }))",
            name,
            value,
        )


def click(page, selector: str) -> None:
    page.find_element("css selector", selector).click()


def query(page) -> str:
    return page.execute_script("return location.search")


def test_a_filter_is_in_the_address_and_the_address_is_the_filter(page):
    everything = shown(page)
    assert len(everything) == 12
    choose(page, paper="udr", verdict="not-reproduced")
    assert shown(page) == ["udr.kl-gap", "udr.lasso-not-worse-than-spearman"]
    assert page.find_element("id", "shown").text == "2 of 12 findings"
    assert query(page) == "?verdict=not-reproduced&paper=udr"
    narrowed = shown(page)
    page.refresh()
    assert shown(page) == narrowed
    click(page, "button[type=reset]")
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert (shown(page), query(page)) == (everything, "")


def test_a_count_of_the_matrix_shows_its_findings_and_back_shows_all(page):
    click(page, '.matrix a[href^="?paper=irs&verdict=absent"]')
    assert shown(page) == ["irs.monotone"]
    assert query(page) == "?paper=irs&verdict=absent"
    page.back()
    assert len(shown(page)) == 12


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("collapsed codes decide", "sober.tc-mean-exceeds-sampled"),  # the reason of an expected verdict
        ("factor_vae", "sober.variance-explained"),  # a parameter of a cell
        ("checksum RUNS.parquet", "sober.metric-pairs"),  # words of a reason, in any order and case
        ("TABLE supervised", "udr.correlates-with-supervised"),  # a place and a statement
    ],
)
def test_search_finds_all_that_can_be_read(page, words, found):
    choose(page, q=words)
    assert shown(page) == [found]


def test_a_column_sorts_up_and_down_and_then_not_at_all(page):
    before = shown(page)
    name = "th[data-key=claim]"
    click(page, f"{name} button")
    assert shown(page) == sorted(before)
    assert page.find_element("css selector", name).get_attribute("aria-sort") == "ascending"
    assert query(page) == "?sort=claim"
    click(page, f"{name} button")
    assert shown(page) == sorted(before, reverse=True)
    click(page, f"{name} button")
    assert shown(page) == before


def test_what_a_finding_lacks_comes_last_both_ways(page):
    for _ in range(2):
        click(page, "th[data-key=n] button")
        assert shown(page)[-1] == "sober.metric-pairs"


def test_an_address_opens_its_finding_even_when_a_filter_hides_it(page):
    address = page.execute_script("return location.pathname")
    page.get(f"file://{address}?paper=udr#irs.monotone")
    assert page.execute_script("return document.getElementById('irs.monotone').querySelector('details').open")
    assert "irs.monotone" in shown(page)
    top = page.execute_script("return document.getElementById('irs.monotone').getBoundingClientRect().top")
    assert -5 <= top < 900


def test_a_finding_and_its_errata_lead_to_each_other(page):
    page.execute_script("document.getElementById('sober.transfer-table').querySelector('details').open = true")
    click(page, '[href="#erratum-transfer-percentage"]')
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert page.find_element("id", "erratum-transfer-percentage").is_displayed()
    click(page, '#erratum-transfer-percentage [href="#sober.transfer-table"]')
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert page.execute_script("return location.hash") == "#sober.transfer-table"


def test_a_figure_is_drawn_once_its_finding_is_opened(browser, sample, tmp_path):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="70" height="30"><text y="20">drawn</text></svg>'
    claims = ("irs.monotone", "udr.kl-gap")
    figure = PageFigure("tc", "Sweeps", "A dot is a run.", "one panel", ("IRS, Figure 3",), claims, {}, svg)
    path = tmp_path / "index.html"
    path.write_text(render_html(sample, figures=[figure]))
    browser.get(f"{path.as_uri()}#irs.monotone")
    seen = (
        "return [...document.querySelectorAll('figure img')].map(e => [e.alt, e.naturalWidth, e.closest('tbody').id])"
    )
    WebDriverWait(browser, 20).until(lambda page: page.execute_script(seen) == [["one panel", 70, "irs.monotone"]])
    click(browser, "[id='irs.monotone'] summary")
    click(browser, "[id='irs.monotone'] summary")
    browser.execute_script("document.getElementById('udr.kl-gap').querySelector('details').open = true")
    WebDriverWait(browser, 20).until(lambda page: len(page.execute_script(seen)) == 2)
    assert [row[2] for row in browser.execute_script(seen)] == ["udr.kl-gap", "irs.monotone"]
    assert browser.get_log("browser") == []


def test_the_data_can_be_saved(page):
    size = page.execute_async_script(
        "const done = arguments[0];"
        "URL.createObjectURL = (blob) => { blob.text().then((text) => done(JSON.parse(text).records.length));"
        " return '#saved'; };"
        "document.getElementById('save').click()"
    )
    assert size == 22


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(page, width, scheme):
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
        ground = page.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(22, 24, 27)") is (scheme == "dark")
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_printed_page_has_all_findings_and_no_controls(page):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not page.find_element("id", "controls").is_displayed()
    assert len(shown(page)) == 12
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
