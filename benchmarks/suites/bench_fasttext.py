"""fastText's own models, by fastText and by ours.

Run ``python -m pytest benchmarks/suites/bench_fasttext.py``. The models are trained by fastText on
the words of the train part of 20 Newsgroups, and ours are converted from its files; the texts are
the test part, one line each. The languages are made up (setup/made_up_languages.py). Every job
asserts its answers: fastText's labels, and its probabilities to what its float32 allows.
"""

import pytest

import wordodds

from ..setup import fasttext_models
from ..setup.contenders import OURS, is_ours, threads_of

CONTENDERS = ["fastText", *OURS]


@pytest.fixture(scope="module")
def two_classes(newsgroups, tmp_path_factory):
    """comp.* against all others, words and pairs of words: 2.13 million rows of 100 dimensions."""
    folder = tmp_path_factory.mktemp("two")
    label_of = fasttext_models.is_computing
    return fasttext_models.newsgroups_pair(folder, newsgroups, label_of, wordNgrams=2, epoch=3)


@pytest.fixture(scope="module")
def twenty_classes(newsgroups, tmp_path_factory):
    """The groups, by single words."""
    folder = tmp_path_factory.mktemp("twenty")
    return fasttext_models.newsgroups_pair(folder, newsgroups, str, epoch=10)


@pytest.fixture(scope="module", params=["softmax", "hs"])
def languages(request, tmp_path_factory):
    """176 languages by words and subwords; the loss of fastText's own identifier is hs."""
    folder = tmp_path_factory.mktemp(f"languages_{request.param}")
    return request.param, fasttext_models.languages_pair(folder, epoch=5, loss=request.param)


@pytest.fixture(scope="module")
def said():
    """Remember the labels and probabilities of fastText for each job."""
    return {}


@pytest.fixture
def race(contender, measure, benchmark, said):
    """Time one contender at labelling a list of texts; ours must return fastText's labels."""

    def run(pair, *, least_accuracy):
        import fasttext

        if not is_ours(contender):
            model = fasttext.load_model(pair.theirs)
            said[benchmark.group] = measure(lambda: model.predict(pair.texts), rounds=10)
            return
        model = wordodds.load(pair.ours)
        model.n_jobs = threads_of(contender)
        labels = measure(lambda: model.predict(pair.texts), rounds=10)
        if benchmark.group not in said:
            said[benchmark.group] = fasttext.load_model(pair.theirs).predict(pair.texts)
        facts = fasttext_models.agreement(pair, *said[benchmark.group])
        benchmark.extra_info |= facts
        assert facts["same_label"] >= 0.9999 * facts["texts"]  # but for ties
        assert facts["within_1e-6"] >= 0.95 * facts["texts"]  # it is fastText that rounds the rest
        assert facts["largest_difference"] < 1e-5
        right = [f"__label__{label}" for label in pair.right]
        assert (labels == right).mean() >= least_accuracy

    return run


@pytest.mark.quick
@pytest.mark.parametrize("contender", CONTENDERS, indirect=True)
def test_fasttext_two_classes(two_classes, race):
    race(two_classes, least_accuracy=0.9)


@pytest.mark.parametrize("contender", CONTENDERS, indirect=True)
def test_fasttext_twenty_classes(twenty_classes, race):
    race(twenty_classes, least_accuracy=0.75)


@pytest.mark.parametrize("contender", CONTENDERS, indirect=True)
def test_fasttext_languages(languages, race, contender, benchmark):
    loss, pair = languages
    benchmark.group += f", {loss}"
    race(pair, least_accuracy=0.9)


@pytest.mark.parametrize("contender", ["fastText", OURS[0]], indirect=True)
def test_fasttext_load(two_classes, contender, measure):
    """The pages of both files are in memory; ours compares its checksum."""
    import fasttext

    if is_ours(contender):
        model = measure(lambda: wordodds.load(two_classes.ours), rounds=20)
        assert model.n_classes == 2
    else:
        model = measure(lambda: fasttext.load_model(two_classes.theirs), rounds=3)
        assert len(model.labels) == 2
