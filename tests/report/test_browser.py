"""The page in a real browser: what its script does, and that nothing complains, as the refusal of a fetch would."""

import shutil

import pytest

from dbench.report import build_document
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
        "return [...document.querySelectorAll('details.finding')].filter(e => e.checkVisibility()).map(e => e.id)"
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


def top(page, element: str) -> float:
    return page.execute_script(f"return document.getElementById('{element}').getBoundingClientRect().top")


def test_a_filter_is_in_the_address_and_the_address_is_the_filter(page):
    everything = shown(page)
    assert len(everything) == 4  # the others hold or are open, and are folded
    choose(page, paper="udr", verdict="not-reproduced")
    assert shown(page) == ["udr.kl-gap", "udr.lasso-not-worse-than-spearman"]
    assert page.find_element("id", "shown").text == "2 of 12 findings"
    assert query(page) == "?verdict=not-reproduced&paper=udr"
    choose(page, verdict="")
    assert len(shown(page)) == 3  # what fits is unfolded
    page.refresh()
    assert len(shown(page)) == 3
    assert -5 <= top(page, "findings") < 900  # the results, not the top of the page
    click(page, "button[type=reset]")
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert (shown(page), query(page)) == (everything, "")


@pytest.mark.parametrize(("width", "most"), [(1280, 8_000), (390, 16_000)])
def test_a_page_of_all_findings_is_no_longer_than_a_reader_scrolls(browser, make_record, tmp_path, width, most):
    verdicts = ["contradicted"] * 25 + ["weaker"] * 15 + ["undecided"] * 20 + ["reproduced"] * 52  # as there are
    says = "A sentence of the paper about metrics, objectives and strengths, which is as long as most of them are. " * 2
    records = [
        make_record(claim=f"{paper}.finding-{i}", paper=paper, verdict=verdict, says=says, statistic=says)
        for i, verdict in enumerate(verdicts)
        for paper in [("sober", "udr", "flaws", "irs", "hownot")[i % 5]]
    ]
    path = tmp_path / "index.html"
    path.write_text(render_html(build_document(records)))
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.get(path.as_uri())
        assert browser.execute_script("return document.documentElement.scrollHeight") <= most
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_count_of_the_totals_shows_its_findings_and_back_shows_all(page):
    click(page, '.totals a[href^="?verdict=absent&evidence=zoo"]')
    assert shown(page) == ["irs.monotone"]
    assert query(page) == "?verdict=absent&evidence=zoo"
    assert -5 <= top(page, "findings") < 900
    page.back()
    assert len(shown(page)) == 4


def test_a_famous_claim_that_failed_leads_to_all_that_is_known_of_it(page):
    assert page.find_element("css selector", ".failed .statement").text.startswith("Claim: The score falls")
    click(page, '.failed [href="#irs.monotone"]')
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert page.execute_script("return document.getElementById('irs.monotone').open")
    assert -5 <= top(page, "irs.monotone") < 900


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


def test_an_address_opens_its_finding_even_when_a_filter_hides_it(page):
    address = page.execute_script("return location.pathname")
    for finding in ("irs.monotone", "hownot.sap-fact-1"):  # the second is folded, too, as one that holds
        page.get(f"file://{address}?paper=udr#{finding}")
        assert page.execute_script(f"return document.getElementById('{finding}').open")
        assert finding in shown(page)
        assert -5 <= top(page, finding) < 900


def test_a_finding_and_its_errata_lead_to_each_other(page):
    page.execute_script("location.hash = 'sober.transfer-table'")
    page.execute_async_script("setTimeout(arguments[0], 50)")
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
    place = "e.closest('.finding').id"
    seen = f"return [...document.querySelectorAll('figure img')].map(e => [e.alt, e.naturalWidth, {place}])"
    WebDriverWait(browser, 20).until(lambda page: page.execute_script(seen) == [["one panel", 70, "irs.monotone"]])
    click(browser, "[id='irs.monotone'] summary")
    click(browser, "[id='irs.monotone'] summary")
    browser.execute_script("document.getElementById('udr.kl-gap').open = true")
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


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
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
