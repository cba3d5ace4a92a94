"""The same contest on other kinds of text: a claim about text needs more than one corpus."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.sparse import csr_array, vstack

from wordodds.datasets import DatasetUnavailable, load_texts
from wordodds.datasets.texts import TEXT_NAMES, TextName
from wordodds.experiments import style
from wordodds.experiments.contest import Split, contest, judge_end, judge_start
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.names import LR, TUNED, VARIANTS
from wordodds.experiments.newsgroups import TF_IDF, leading_columns
from wordodds.experiments.studies import sparse_counts, svd_columns
from wordodds.experiments.table import Results

NAME, TITLE = "texts", "Other kinds of text"
PROTOCOL = (
    "Questions (TREC), sentences of film reviews, subjective and objective sentences, web pages, "
    "news items, Reuters R8 and text messages, as far as they are there, each with a test part of "
    "its own. Multinomial naive Bayes and logistic regression on word counts, and Gaussian naive "
    "Bayes and logistic regression on 30 SVD columns of tf-idf (the decomposition sees the test "
    "part too, but no label); with defaults, and tuned as on 20 Newsgroups. From 10 training "
    "documents, with the classes in proportion, to all: four times as many each time, 3 seeds, 2 "
    "parts (full: twice as many, 20 and 5)."
)
WORDS, COLUMNS = "word counts", "SVD of tf-idf"
# Naive Bayes on each of them.
BAYES = {WORDS: "multinomial NB", COLUMNS: "Gaussian NB"}
TITLES: dict[str, str] = {
    "trec6": "questions",
    "rt-polarity": "film reviews",
    "subjectivity": "subjectivity",
    "webkb": "web pages",
    "ag-news-small": "news",
    "reuters-r8": "Reuters R8",
    "sms-spam": "messages",
}
CURVES = {WORDS: "texts-words", COLUMNS: "texts-columns"}
_ACROSS = 4  # panels side by side


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    factor: int  # between two sizes
    n_seeds: int
    n_folds: int
    names: tuple[TextName, ...] = TEXT_NAMES
    smallest: int = 10


QUICK, FULL = Settings(4, 3, 2), Settings(2, 20, 5)


def measure(settings: Settings, run: Run) -> Results:
    """Fit all models on more and more documents of each corpus."""
    results, missing = Results(NAME), ""
    seeds = run.seeds(settings.n_seeds)
    on_words = sparse_counts.contenders(settings.n_folds, run.n_jobs)
    on_columns = svd_columns.contenders("lbfgs", settings.n_folds, run.n_jobs)
    models = {
        kind: {
            name: contenders[name] for suffix in VARIANTS for name in reversed(pair(kind, suffix))
        }
        for kind, contenders in ((WORDS, on_words), (COLUMNS, on_columns))
    }
    for name in run.each(settings.names, "corpora"):
        try:
            kinds = read(name, run.n_jobs)
        except DatasetUnavailable as error:
            missing = missing or str(error)
            run.data.announce(f"{TITLES[name]} are left out: {error}")
            continue
        for kind, split in kinds.items():
            sizes = sizes_up_to(len(split.y), settings)
            for row in contest(models[kind], split, sizes, seeds, lambda n: None):
                results.add(**row, corpus=name, columns=kind)
    if not len(results):
        raise DatasetUnavailable(missing)
    found = results.unique("corpus")
    run.data.others.append(f"{len(found)} corpora of other kinds of text ({', '.join(found)})")
    return results


def sizes_up_to(n: int, settings: Settings) -> list[int]:
    """Return training sizes that grow by the same factor, and all rows."""
    sizes, size = [], settings.smallest
    while size < n:
        sizes.append(size)
        size *= settings.factor
    return [*sizes, n]


def read(name: TextName, n_jobs: int | None = None) -> dict[str, Split]:
    """Return a corpus as counts of its training part's words, and as SVD columns."""
    from wordodds import CountVectorizer

    train, test = load_texts(name), load_texts(name, "test")
    if len(train.label_names) < 2:
        raise DatasetUnavailable(f"the training part of {name} has one class alone.")
    vectorizer = CountVectorizer(n_jobs=n_jobs)
    counts = [vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)]
    values = leading_columns(csr_array(vstack(counts, format="csr")), TF_IDF, n_jobs)
    values = values[:, : svd_columns.DIMS]
    n = len(train)
    return {
        WORDS: Split(counts[0], train.labels, counts[1], test.labels),
        COLUMNS: Split(values[:n], train.labels, values[n:], test.labels),
    }


def draw(results: Results) -> list[Plot]:
    """Draw accuracy against training size, a panel for each corpus and a figure for each kind."""
    return [_draw_curves(results, kind) for kind in results.unique("columns")]


def _draw_curves(results: Results, kind: str) -> Plot:
    names = results.unique("corpus")
    down = -(-len(names) // _ACROSS)
    across = min(len(names), _ACROSS)
    with style.panels(down, across, height=2.1 * down + 0.6, sharey=True, squeeze=False) as (
        figure,
        axes,
    ):
        for name, ax in zip(names, axes.flat, strict=False):
            part, rows = Results(NAME), results.where(corpus=name, columns=kind)
            for suffix in VARIANTS:  # in the order of the other figures: markers go by it
                for model in pair(kind, suffix):
                    part.extend(rows.where(model=model))
            LearningCurveDisplay.from_results(
                part, log_x=True, legend=False, crossings=[pair(kind, TUNED)], ax=ax
            )
            ax.set(title=TITLES[name], ylim=(0.0, 1.0), xlabel="")
            style.plain_ticks(ax.xaxis)
        for ax in axes[-1]:
            ax.set_xlabel("training documents")
        for ax in axes.flat[len(names) :]:
            ax.axis("off")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        if len(names) < axes.size:
            axes.flat[-1].legend(handles, labels, loc="center")
        else:
            figure.legend(handles, labels, loc="outside lower center", ncols=2)
    caption = (
        "Compare blue with orange at both ends of each panel; a dotted line marks where the lead "
        f"between the tuned models changes. Accuracy on {kind}, mean and 95 % interval over "
        f"{len(results.unique('seed'))} seeds."
    )
    if len(names) < len(TITLES):
        caption += f" {len(names)} of {len(TITLES)} corpora were there."
    return Plot(CURVES[kind], f"Other kinds of text, {kind}", caption, figure)


def judge(results: Results) -> list[Finding]:
    """Say of each corpus who leads on few documents, who on all, and where they cross."""
    cases = [
        (kind, name) for kind in results.unique("columns") for name in results.unique("corpus")
    ]
    start, end = [], []
    for kind, name in cases:
        part = results.where(corpus=name, columns=kind)
        bayes, regression = pair(kind, TUNED)
        on_few, on_all = (About(claim, CURVES[kind]) for claim in ("C4", "C3"))
        what = f"{kind} of {TITLES[name]}, tuned"
        start += judge_start(part, (bayes, regression), what, on_few)
        end.append(judge_end(part, bayes, what, on_all))
    return [*start, *end]


def pair(kind: str, suffix: str) -> tuple[str, str]:
    """Return the names of naive Bayes and logistic regression on one kind of columns."""
    return BAYES[kind] + suffix, LR + suffix


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C3", "C4"),
    seconds=(21, 720),
)
