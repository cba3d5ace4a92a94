"""The pages of a report: the same blocks as Markdown and as HTML."""

import base64
from html.parser import HTMLParser
from pathlib import Path

from wordodds.experiments.page import (
    Heading,
    Image,
    Items,
    Paragraph,
    Table,
    quoted,
    to_html,
    to_markdown,
)


class Reader(HTMLParser):
    """Collects what a browser would show."""

    def __init__(self):
        super().__init__()
        self.tags, self.text, self.attributes = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes.append(dict(attributes))

    def handle_data(self, data):
        self.text.append(data)


def page(tmp_path):
    path = tmp_path / "curve.svg"
    path.write_text("<svg/>")
    return [
        Heading(2, "a < b & c", "here"),
        Paragraph("see [the table](results/x.csv) where 1 < 2"),
        Items(["first_one", "second *one*"]),
        Table(["model", "error"], [["a | b", "0.1\n0.2"]]),
        Image(path, "figures/curve.svg", 'It "falls". Then it rests', "figure-curve"),
    ]


def test_html_needs_no_other_file_and_no_markup_gets_through(tmp_path):
    text = to_html("T <title>", page(tmp_path), note="made here")
    reader = Reader()
    reader.feed(text)
    shown = "".join(reader.text)
    assert "a < b & c" in shown
    assert "where 1 < 2" in shown
    assert "T <title>" in shown
    assert {"href": "results/x.csv"} in reader.attributes
    assert {"id": "here"} in reader.attributes
    (image,) = [a for a in reader.attributes if "src" in a]
    kind, data = image["src"].split(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data) == b"<svg/>"
    assert image["alt"] == 'It "falls". Then it rests'
    assert reader.tags.count("td") == 2
    assert "script" not in reader.tags
    assert "made here" in text


def test_markdown(tmp_path):
    text = to_markdown("Title", page(tmp_path), note="made here")
    assert text.startswith("<!-- made here -->\n\n# Title\n")
    assert '<a id="here"></a>\n## a &lt; b & c' in text
    assert "see [the table](results/x.csv) where" in text
    assert "- first\\_one\n- second \\*one\\*" in text
    assert "| model | error |\n| --- | --- |\n| a \\| b | 0.1<br>0.2 |" in text
    assert '![It "falls"](figures/curve.svg)' in text
    assert Path("figures/curve.svg").name in text


def test_what_came_with_the_data_makes_no_link_and_no_picture(tmp_path):
    strange = "![x](http://a.b/c) [me](javascript:alert`1`) " + "9" * 5000
    for text in (strange, quoted(strange)):
        assert "<a " not in to_html("T", [Paragraph(text)], note="n")
    page = to_markdown("T", [Paragraph(quoted(strange))], note="n")
    assert "](" not in page
    assert len(page) < 600
