"""From experiments to files: tables, figures, reports, and what a run must not touch."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from wordodds.datasets import Corpus, DatasetUnavailable, make_corpus
from wordodds.experiments import newsgroups as data_module
from wordodds.experiments.claims import CLAIMS
from wordodds.experiments.experiment import Experiment, Finding, Plot, Summary, verdict_of
from wordodds.experiments.newsgroups import Bags, Data, count_texts
from wordodds.experiments.report import NOTE, claim_verdict
from wordodds.experiments.reproduce import chosen, reproduce
from wordodds.experiments.table import Results


def finding(claim, verdict, figure="line"):
    return Finding(claim, "a part", "0.5 [0.4, 0.6]", verdict, figure)


def line(results):
    figure = Figure()
    figure.subplots().plot(results.column("size"), results.column("accuracy"))
    return [Plot("line", "A line", "It rises. The lecture says so too.", figure)]


def count_up(run):
    results = Results("count")
    with run.progress(2) as advance:
        for seed in run.seeds(4 if run.full else 2):
            results.add(model="m", size=seed + 1, seed=seed, accuracy=0.5, seconds=0.1)
            advance(1)
    return results


def absent(run):
    raise DatasetUnavailable("the sets are not here. Get them")


def no_findings(results):
    return []


COUNT = Experiment(
    "count",
    "Counting",
    "We count.",
    count_up,
    line,
    lambda r: [finding("C4", "borne out")],
    ("C4",),
)
ABSENT = Experiment("absent", "Nothing", "We lack data.", absent, line, no_findings, ("C9",))


@pytest.fixture
def tiny():
    texts = make_corpus(30, n_classes=2, n_words=50, document_length=20)
    data = Data()
    data.__dict__["bags"] = count_texts(texts, texts)
    return data


def test_files_and_verdicts(tmp_path, tiny):
    said = []
    outcomes, paths = reproduce([COUNT, ABSENT], tmp_path, data=tiny, say=said.append)
    assert [path.name for path in paths] == ["report.md", "report.html"]
    assert Results.read(tmp_path / "results" / "count.csv").column("size").tolist() == [1, 2]
    assert (tmp_path / "figures" / "line.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figures" / "line.svg").is_file()
    assert not (tmp_path / "results" / "absent.csv").exists()
    report = paths[0].read_text()
    claims = [row for row in report.splitlines() if row.startswith("| C") and "(" in row]
    assert [row.split(".")[0].removeprefix("| ") for row in claims[: len(CLAIMS)]] == [
        claim.id for claim in CLAIMS
    ]
    verdicts = {row.split(".")[0].removeprefix("| "): row.split(" | ")[1] for row in claims}
    assert verdicts["C4"] == "borne out"
    assert set(verdicts.values()) == {"borne out", "not tested"}
    assert "[Counting](#count): a part, 0.5 [0.4, 0.6] |" in report
    assert "0.5 [0.4, 0.6]" in report
    assert "absent: the sets are not here. Get them" in report
    assert "its experiment was not part of this run" in report
    assert "synthetic" in report
    assert len(said) == 2
    assert "skipped" in said[1]
    page = paths[1].read_text()
    assert "data:image/svg+xml;base64," in page
    assert "https:" not in page.replace("https://www.w3.org", "")
    assert outcomes[1].skipped


def test_several_findings_of_an_experiment_are_counted(tmp_path, tiny):
    judged = [
        finding("C4", verdict)
        for verdict in ("borne out", "not borne out", "borne out", "not tested")
    ]
    experiment = replace(COUNT, judge=lambda results: judged)
    _, paths = reproduce([experiment], tmp_path, data=tiny, say=lambda line: None)
    (row,) = [row for row in paths[0].read_text().splitlines() if row.startswith("| C4. ")]
    assert row.split(" | ")[1:] == [
        "borne out in part",
        "[Counting](#count): 2 of 3 findings bear it out, 1 too uncertain to judge |"
    ]  # fmt: skip


def test_figures_of_several_experiments_come_first(tmp_path, tiny):
    def both(tables):
        return replace(line(tables["count"])[0], stem="both", title="Both")

    summaries = [Summary(("count",), both), Summary(("count", "absent"), both)]
    _, paths = reproduce(
        [COUNT, ABSENT], tmp_path, data=tiny, summaries=summaries, say=lambda line: None
    )
    report = paths[0].read_text()
    assert report.count("figures/both.svg") == 1
    assert report.index("figures/both.svg") < report.index("## The claims")
    assert (tmp_path / "figures" / "both.png").is_file()


def test_the_time_left_is_told(tmp_path, tiny, monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("wordodds.experiments.reproduce.time.perf_counter", lambda: next(clock))
    first, second, third = (
        replace(COUNT, name=name, seconds=(usual, 1.0))
        for name, usual in (("first", 1.0), ("second", 2.0), ("third", 3.0))
    )
    said = []
    reproduce([first, second, third], tmp_path, data=tiny, say=said.append)
    # The clock says 30 s after the first, of which the others take five times as much.
    assert [line.partition("rows")[2] for line in said] == [
        ", about 2 min left", ", about 1 min left", ""
    ]  # fmt: skip


def test_full_uses_more_seeds_and_the_first_seed_counts(tmp_path, tiny):
    reproduce([COUNT], tmp_path, data=tiny, full=True, seed=7, say=lambda line: None)
    seeds = Results.read(tmp_path / "results" / "count.csv").column("seed")
    assert seeds.tolist() == [7, 8, 9, 10]
    assert "full form, seed 7" in (tmp_path / "report.md").read_text()


def test_a_later_run_replaces_an_earlier_one(tmp_path, tiny):
    for _ in range(2):
        reproduce([COUNT], tmp_path, data=tiny, say=lambda line: None)
    (tmp_path / "report.md").unlink()  # as after Ctrl-C
    reproduce([COUNT], tmp_path, data=tiny, say=lambda line: None)
    assert NOTE in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    "name", ["report.md", "report.html", "results/mine.csv", "figures/cat.png", "figures/line.svg"]
)
def test_nothing_of_the_user_is_replaced(name, tmp_path, tiny):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    with pytest.raises(FileExistsError, match=r"--output"):
        reproduce([COUNT], tmp_path, data=tiny, say=lambda line: None)
    assert path.read_text() == "mine"
    assert {p.name for p in tmp_path.rglob("*") if p.is_file()} == {path.name}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("figures/line.svg", "<svg><!-- my drawing of wordodds results --></svg>"),
        ("results/count.csv", Results("my own study", [{"model": "m"}]).to_csv()),
    ],
    ids=["figure", "table"],
)
def test_what_looks_like_ours_is_not_ours(name, content, tmp_path, tiny):
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(FileExistsError, match=r"--output"):
        reproduce([COUNT], tmp_path, data=tiny, say=lambda line: None)
    assert path.read_text() == content


def test_a_link_or_a_folder_in_the_place_of_a_report(tmp_path, tiny):
    (tmp_path / "report.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(FileExistsError, match=r"report\.md"):
        reproduce([COUNT], tmp_path, data=tiny, say=lambda line: None)
    (tmp_path / "report.md").unlink()
    (tmp_path / "report.html").mkdir()
    with pytest.raises(FileExistsError, match=r"report\.html"):
        reproduce([COUNT], tmp_path, data=tiny, say=lambda line: None)


def test_a_file_in_the_place_of_a_folder(tmp_path, tiny):
    (tmp_path / "results").write_text("mine")
    with pytest.raises(FileExistsError, match=r"in the way of a folder.*--output"):
        reproduce([COUNT], tmp_path, data=tiny, say=lambda line: None)


def test_without_matplotlib(tmp_path, tiny, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"\[plot\]"):
        reproduce([COUNT], tmp_path, data=tiny)
    assert list(tmp_path.iterdir()) == []


def test_chosen():
    assert chosen([COUNT, ABSENT], ["absent"]) == [ABSENT]
    assert chosen([COUNT, ABSENT], []) == [COUNT, ABSENT]
    with pytest.raises(ValueError, match="there is no experiment 'x'; they are count, absent"):
        chosen([COUNT, ABSENT], ["x"])


def test_claim_verdict():
    good, bad, none = (finding("C1", v) for v in ("borne out", "not borne out", "not tested"))
    assert claim_verdict([]) == "not tested"
    assert claim_verdict([none]) == "not tested"
    assert claim_verdict([good, good, none]) == "borne out"
    assert claim_verdict([bad]) == "not borne out"
    assert claim_verdict([good, bad]) == "borne out in part"
    assert verdict_of(True) == "borne out"
    assert verdict_of(False) == "not borne out"


def test_counting_texts_as_the_publisher_does():
    names = ["a", "b"]
    train = Corpus(["From: x\n\nTwo words, two WORDS"], np.array(["a"]), names, "train", "t")
    test = Corpus(["no header but 2 words; caf\xe9 cafe a"], np.array(["b"]), names, "test", "t")
    bags = count_texts(train, test)
    assert bags.train.words == ["caf", "cafe", "two", "words"][2:]
    assert bags.train.counts.toarray().tolist() == [[2, 2]]
    assert bags.test.counts.toarray().tolist() == [[0, 1]]


def test_counted_messages_are_nearly_the_publishers_bag(newsgroups):
    """The publisher left out 45 + 27 messages."""
    published = Data().bags
    counted = count_texts(*newsgroups)
    assert len(counted.train) == 11_314
    shared = set(published.train.words) & set(counted.train.words)
    assert len(shared) > 0.999 * len(published.train.words)


def test_data_falls_back_aloud(monkeypatch):
    def missing(*arguments):
        raise DatasetUnavailable("no network. Do this")

    corpus = make_corpus(20, n_classes=2, n_words=30, document_length=10)
    monkeypatch.setattr(data_module, "load_newsgroups", missing)
    monkeypatch.setattr(
        data_module, "newsgroups_or_synthetic", lambda *, announce: (corpus, corpus)
    )
    said = []
    data = Data(announce=said.append)
    assert data.source == "none but synthetic points"
    assert isinstance(data.bags, Bags)
    assert "synthetic" in data.source
    assert said == [
        "the bag of words is not available (no network); counting texts instead",
    ]
