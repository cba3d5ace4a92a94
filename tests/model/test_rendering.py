"""What explanations are drawn with: text and tables of HTML."""

from wordodds.model.rendering import html_table, html_text


def test_text_is_coloured_by_what_it_adds_and_stays_text():
    assert html_text("a <b> c", [(0, 1, 2.0), (2, 5, -1.0)]) == (
        '<span style="background:rgba(0,160,60,0.60)" title="+2.0000">a</span> '
        '<span style="background:rgba(220,40,40,0.30)" title="-1.0000">&lt;b&gt;</span> c'
    )
    assert html_text("", []) == ""


def test_a_table_has_its_first_column_flush_left():
    left, right = 'style="text-align:left"', 'style="text-align:right"'
    assert html_table(["word", "count"], [["a&b", "3"], ["<i>", "12"]]) == (
        f"<table><thead><tr><th {left}>word</th><th {right}>count</th></tr></thead><tbody>"
        f"<tr><td {left}>a&amp;b</td><td {right}>3</td></tr>"
        f"<tr><td {left}>&lt;i&gt;</td><td {right}>12</td></tr></tbody></table>"
    )
    assert html_table(["word"], []) == (
        f"<table><thead><tr><th {left}>word</th></tr></thead><tbody></tbody></table>"
    )
