"""The data inside the page: that of the file beside it, alike in every run, and unable to end its element."""

import base64
import gzip
import json
import re

from dbench.report import write_report
from dbench.report.document import report_text
from dbench.report.html import embedded as packed_text


def unpacked(embedded: str) -> bytes:
    return gzip.decompress(base64.b64decode(embedded, validate=True))


def test_the_embedded_data_is_the_file_beside_the_page(sample, tmp_path):
    write_report(tmp_path, sample)
    page = (tmp_path / "index.html").read_text()
    (embedded,) = re.findall(r'<script type="application/gzip" id="data">(.*?)</script>', page, re.DOTALL)
    assert unpacked(embedded) == (tmp_path / "report.json").read_bytes()


def test_the_embedded_data_does_not_tell_when_or_where_it_was_packed(sample):
    packed = base64.b64decode(packed_text(report_text(sample)))
    flags, time, system = (packed[part] for part in (slice(3, 4), slice(4, 8), slice(9, 10)))
    assert (flags, time, system) == (b"\0", b"\0\0\0\0", b"\xff")


def test_embedded_data_cannot_leave_its_element():
    strange = {"</script><script>alert(1)</script>": ["\"'&", "<!--", "]]>", "\u2028", "\ud800"]}
    embedded = packed_text(report_text(strange))
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", embedded)
    assert json.loads(unpacked(embedded)) == strange
