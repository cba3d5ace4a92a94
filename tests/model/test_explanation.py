"""Explanations add up exactly, lie where they belong, and are harmless to look at."""

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordodds.model.explanation import Explanation, spread
from wordodds.model.rendering import LONGEST, aligned, one_line, shortened, visible

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)
NASTY = "ab\x00\x08\t\n\r\x1b\x7f\x85\u061c\u202e\u2066\ud800\udfffé漢😀"
COLOUR = re.compile(r"\x1b\[38;5;16;48;5;\d+m|\x1b\[0m")


def explained(text="free money now", label="spam", against="ham", **changes):
    fields = {
        "bias": -0.5,
        "contributions": [("now", 1, -0.25), ("free", 2, 1.5), ("money", 0.5, 0.75)],
        "spans": [(0, 4, 1.5), (5, 10, 0.75), (11, 14, -0.25)],
    }
    return Explanation(text, label, against, **(fields | changes))


@settings(max_examples=50)
@given(NUMBERS, st.lists(st.tuples(st.text(NASTY, max_size=5), st.integers(1, 9), NUMBERS)))
def test_score_is_the_exact_sum(bias, contributions):
    found = Explanation("", "a", None, bias, contributions, [])
    assert found.score == math.fsum([bias, *(number for _, _, number in contributions)])
    assert found.score == math.fsum([found.bias, *(part[2] for part in found.contributions)])
    assert sorted(found.contributions) == sorted(contributions)
    sizes = [abs(number) for _, _, number in found.contributions]
    assert sizes == sorted(sizes, reverse=True)


def test_sums_beyond_the_largest_double():
    huge = [("a", 1, 1.5e308), ("b", 1, 1.5e308), ("c", 1, -1.6e308)]
    assert explained(contributions=huge, bias=0.0).score == pytest.approx(1.4e308)
    assert explained(contributions=huge[:2]).score == math.inf
    assert explained(contributions=[("a", 1, -math.inf)]).score == -math.inf


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contributions": [("a", 1, math.inf), ("b", 1, -math.inf)]}, "infinite both ways"),
        ({"contributions": [("a", 1, math.nan)]}, "NaN"),
        ({"bias": math.nan}, "NaN"),
        ({"spans": [(0, 4, 1.0), (3, 5, 1.0)]}, r"got \(3, 5\) after 4"),
        ({"spans": [(5, 99, 1.0)]}, "within 14 characters"),
        ({"spans": [(5, 5, 1.0)]}, r"got \(5, 5\)"),
    ],
)
def test_what_is_no_explanation(changes, message):
    with pytest.raises(ValueError, match=message):
        explained(**changes)


def test_labels_and_numbers_become_pythons():
    found = explained(label=np.str_("spam"), against=np.int64(3), bias=np.float64(1.0))
    assert (type(found.label), type(found.against), type(found.bias)) == (str, int, float)
    with pytest.raises(AttributeError):
        found.score = 1.0
    assert hash(found) == hash(explained(against=3, bias=1.0))


def test_table():
    assert str(explained()).splitlines() == [
        "spam against ham: score +1.5000",
        "feature  count  log-odds",
        "free         2   +1.5000",
        "money      0.5   +0.7500",
        "now          1   -0.2500",
        "(bias)           -0.5000",
        "sum              +1.5000",
    ]
    assert str(explained(against=None)).startswith("spam: score +1.5000\n")


def test_long_table_still_adds_up():
    many = [(f"word{k}", 1, 1.0 + k) for k in range(50)]
    lines = str(explained(contributions=many, bias=0.0)).splitlines()
    assert len(lines) == 2 + 20 + 3
    assert lines[-3].split() == ["(30", "more)", f"+{sum(range(1, 31)):.4f}"]
    assert len(explained(contributions=many).table().splitlines()) == 1 + 50 + 2
    assert "more" not in str(explained(contributions=many[:21]))


def test_table_of_features_of_any_kind():
    odd = [
        ("tab\there\n\x1b[31m", 1, 3.0),
        ("x" * 10_000, 1, 2.0),
        ("漢字", 1, 1.0),
        ("\ud800", 1, 4),
    ]
    lines = explained(contributions=odd).table().splitlines()
    assert len(lines) == 1 + 4 + 2
    assert max(map(len, lines)) < 60
    assert "\x1b" not in "".join(lines)
    "".join(lines).encode()


def test_wide_letters_keep_columns_in_line():
    assert aligned([["漢字", "1"], ["abcd", "2"], ["e\u0301", "3"]]) == [
        "漢字  1",
        "abcd  2",
        "e\u0301     3",
    ]
    assert shortened("漢字漢字", 5) == "漢字…"
    assert shortened("abcdef", 6) == "abcdef"


@settings(max_examples=50)
@given(st.text(NASTY, max_size=30))
def test_visible_text_is_as_long_and_harmless(text):
    shown = visible(text)
    assert len(shown) == len(text)
    shown.encode()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    assert one_line(text).isprintable() or not re.search("[\t\n\r]", one_line(text))


def test_pictures():
    assert visible("\x1b\x00\x7f\x85\ud800\u202e\t\n") == "␛␀␡\ufffd\ufffd\ufffd\t\n"
    assert visible("a\r\nb\rc") == "a\r\nb␍c"
    assert one_line("a\r\nb") == "a␍␊b"


def test_ansi_colours():
    shown = explained(spans=[(0, 4, 10.0), (5, 10, 1.0), (11, 14, -7.0)]).to_ansi()
    green, faint, red = (f"\x1b[38;5;16;48;5;{colour}m" for colour in (46, 194, 203))
    off = "\x1b[0m"
    assert shown == f"{green}free{off} {faint}money{off} {red}now{off}"
    assert explained(spans=[(0, 4, 10.0), (5, 10, 0.1)]).to_ansi() == f"{green}free{off} money now"


@settings(max_examples=50)
@given(st.text("ab \n\t\x1b漢", max_size=60), st.integers(1, 20) | st.none(), st.data())
def test_ansi_without_its_colours_is_the_text(text, width, data):
    cuts = data.draw(st.lists(st.integers(0, len(text)), unique=True).map(sorted))
    spans = [(b, e, data.draw(NUMBERS)) for b, e in zip(cuts[::2], cuts[1::2], strict=False)]
    shown = explained(text, spans=spans, contributions=[]).to_ansi(width)
    plain = COLOUR.sub("", shown)
    assert plain.replace("\n", " ") == text.replace("\x1b", "␛").replace("\n", " ").replace(
        "\t", " "
    )
    for line in plain.split("\n"):
        if width is not None and " " in line.strip(" "):
            assert len(line) + line.count("漢") <= width
    if width is None:
        assert plain.count("\n") == text.count("\n")
    assert not re.search(r"\n[^\x1b]*\x1b\[0m", shown)  # no colour runs over the end of a line


def test_lines_are_as_wide_as_allowed():
    text = "one two three 漢字 four"
    found = explained(text, spans=[], contributions=[])
    assert found.to_ansi(6) == "one\ntwo\nthree\n漢字\nfour"
    assert found.to_ansi(7) == "one two\nthree\n漢字\nfour"
    assert found.to_ansi(10) == "one two\nthree 漢字\nfour"


def test_ends_of_lines_of_both_kinds():
    assert explained("a\r\nb", spans=[(0, 2, 1.0)], contributions=[]).to_ansi().count("\r") == 0


class Reader(HTMLParser):
    """Collects the text, the titles and the elements of a page."""

    def __init__(self, page):
        super().__init__()
        self.text, self.titles, self.elements = "", [], set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.titles += [value for name, value in attributes if name == "title"]

    def handle_data(self, data):
        self.text += data


def test_html_stays_text():
    text = "<script>alert('&amp;\"')</script>\x00\ud83d\u202e end"
    found = explained(
        text,
        label="<img src=x onerror=alert(1)>",
        contributions=[("<b>&", 1, 1.0)],
        spans=[(0, 8, 1.0), (9, len(text), -2.5)],
    )
    page = found._repr_html_()
    page.encode()
    reader = Reader(page)
    assert reader.elements <= {
        "div",
        "b",
        "span",
        "details",
        "summary",
        "table",
        "thead",
        "tbody",
    } | {
        "tr",
        "th",
        "td",
    }
    assert "<script>alert('&amp;\"')</script>␀\ufffd\ufffd end" in reader.text
    assert "<img src=x onerror=alert(1)>" in reader.text
    assert "<b>&" in reader.text
    assert reader.titles == ["+1.0000", "-2.5000"]
    assert "http" not in page  # nothing is fetched


def test_html_intensity():
    page = explained()._repr_html_()
    assert 'background:rgba(0,160,60,0.60)" title="+1.5000">free<' in page
    assert 'background:rgba(220,40,40,0.10)" title="-0.2500">now<' in page


def test_long_text_is_cut_with_a_note():
    text = "word " * 200_000
    spans = [(begin, begin + 4, 1.0) for begin in range(0, len(text), 50)]
    found = explained(text, spans=spans)
    for shown in (found._repr_html_(), found.to_ansi(80)):
        assert f"({len(text) - LONGEST:,} more characters)" in shown
        assert len(shown) < 1_000_000
    assert found.to_dict()["text"] == text


def test_infinite_contributions_are_shown():
    found = explained(contributions=[("a", 1, -math.inf)], spans=[(0, 4, -math.inf), (5, 6, 1.0)])
    assert "-inf" in str(found)
    assert 'rgba(220,40,40,0.60)" title="-inf"' in found._repr_html_()
    assert "48;5;196m" in found.to_ansi()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["score"] is None


def test_dict_is_json():
    found = explained(label=np.int64(7), against=None)
    parts = [
        {"feature": "free", "count": 2, "contribution": 1.5},
        {"feature": "money", "count": 0.5, "contribution": 0.75},
        {"feature": "now", "count": 1, "contribution": -0.25},
    ]
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == {
        "label": 7,
        "against": None,
        "score": 1.5,
        "bias": -0.5,
        "contributions": parts,
        "summary": parts,
        "text": "free money now",
        "spans": [[0, 4, 1.5], [5, 10, 0.75], [11, 14, -0.25]],
    }


def slow_spread(occurrences, n_characters):
    """What falls on each character, one at a time."""
    per_character = [None] * n_characters
    for contribution, pieces in occurrences:
        pieces = [piece for piece in pieces if piece[0] != piece[1]]
        for begin, end in pieces:
            for at in range(begin, end):
                share = contribution / len(pieces) / (end - begin)
                per_character[at] = (per_character[at] or 0.0) + share
    return per_character


PIECE = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: tuple(sorted(ends)))


@settings(max_examples=100)
@given(st.lists(st.tuples(NUMBERS, st.lists(PIECE, max_size=4)), max_size=6))
def test_spread_is_that_of_a_loop(occurrences):
    spans = spread(occurrences, 12)
    expected = slow_spread(occurrences, 12)
    covered = [at for begin, end, _ in spans for at in range(begin, end)]
    assert covered == [at for at, value in enumerate(expected) if value is not None]
    scale = sum(abs(contribution) for contribution, _ in occurrences)
    for begin, end, value in spans:
        assert value == pytest.approx(math.fsum(expected[begin:end]), abs=1e-12 * scale)
    Explanation("x" * 12, "a", None, 0.0, [], spans)


def test_spread_of_words_is_exact():
    found = spread([(0.1, [(0, 3)]), (0.7, [(4, 10), (11, 17)]), (0.2, [(4, 10)])], 20)
    assert found == [(0, 3, 0.1), (4, 10, 0.35 + 0.2), (11, 17, 0.35)]


def test_spread_of_bigrams_over_words():
    found = spread([(8.0, [(0, 8)]), (1.0, [(0, 3)])], 8)
    assert found == [(0, 3, 4.0), (3, 8, 5.0)]


def test_spread_of_infinities():
    found = spread([(-math.inf, [(0, 2)]), (1.0, [(1, 3)]), (math.inf, [(5, 6)])], 6)
    assert found == [(0, 1, -math.inf), (1, 2, -math.inf), (2, 3, 0.5), (5, 6, math.inf)]
    assert spread([(-math.inf, [(0, 2)]), (math.inf, [(0, 2)]), (3.0, [(0, 2)])], 2) == [
        (0, 2, 3.0)
    ]


def test_spread_of_much_leaves_no_trace():
    n = 30_000
    trigrams = [(1e6 if at < 1000 else 1e-6, [(at, at + 3)]) for at in range(n - 2)]
    found = spread(trigrams, n)
    assert len(found) == n
    assert found[n // 2].contribution == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize("piece", [(-1, 2), (3, 9), (4, 2)])
def test_spread_out_of_the_text(piece):
    with pytest.raises(ValueError, match="not in a text of 8 characters"):
        spread([(1.0, [piece])], 8)


def test_spread_of_nothing():
    assert spread([], 5) == []
    assert spread([(1.0, []), (2.0, [(3, 3)])], 5) == []
    with pytest.raises(ValueError, match="NaN"):
        spread([(math.nan, [(0, 1)])], 5)
