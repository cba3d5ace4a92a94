"""Text into log-odds: compiled counting, naive Bayes and logistic regression, as in scikit-learn.

Names load when they are first used, so that ``import wordodds`` stays light.
"""

from importlib import import_module

TYPE_CHECKING = False  # as type checkers read it; typing itself takes longer than all of this
if TYPE_CHECKING:
    from wordodds import corpora as corpora
    from wordodds import dask as dask
    from wordodds import datasets as datasets
    from wordodds import experiments as experiments
    from wordodds._config import show_config as show_config
    from wordodds.bayes import BernoulliNB as BernoulliNB
    from wordodds.bayes import CategoricalNB as CategoricalNB
    from wordodds.bayes import ComplementNB as ComplementNB
    from wordodds.bayes import FisherDiscriminant as FisherDiscriminant
    from wordodds.bayes import GaussianDiscriminant as GaussianDiscriminant
    from wordodds.bayes import GaussianNB as GaussianNB
    from wordodds.bayes import MultinomialNB as MultinomialNB
    from wordodds.classifier import TextClassifier as TextClassifier
    from wordodds.classifier import from_sklearn as from_sklearn
    from wordodds.linear import BinaryRegression as BinaryRegression
    from wordodds.linear import LogisticRegression as LogisticRegression
    from wordodds.linear import NBLogisticRegression as NBLogisticRegression
    from wordodds.linear import SGDClassifier as SGDClassifier
    from wordodds.linear import custom_link as custom_link
    from wordodds.linear import custom_loss as custom_loss
    from wordodds.model import LinearModel as LinearModel
    from wordodds.model import ModelFileError as ModelFileError
    from wordodds.model import from_fasttext as from_fasttext
    from wordodds.model import load as load
    from wordodds.reduce import TruncatedSVD as TruncatedSVD
    from wordodds.text import CountVectorizer as CountVectorizer
    from wordodds.text import HashingVectorizer as HashingVectorizer
    from wordodds.text import TfidfTransformer as TfidfTransformer
    from wordodds.text import TfidfVectorizer as TfidfVectorizer

__version__ = "0.1.0"

# Public name -> the module that defines it; None: the name is a module itself.
_HOMES = {
    "BernoulliNB": "wordodds.bayes",
    "BinaryRegression": "wordodds.linear",
    "CategoricalNB": "wordodds.bayes",
    "ComplementNB": "wordodds.bayes",
    "CountVectorizer": "wordodds.text",
    "FisherDiscriminant": "wordodds.bayes",
    "GaussianDiscriminant": "wordodds.bayes",
    "GaussianNB": "wordodds.bayes",
    "HashingVectorizer": "wordodds.text",
    "LinearModel": "wordodds.model",
    "LogisticRegression": "wordodds.linear",
    "ModelFileError": "wordodds.model",
    "MultinomialNB": "wordodds.bayes",
    "NBLogisticRegression": "wordodds.linear",
    "SGDClassifier": "wordodds.linear",
    "TextClassifier": "wordodds.classifier",
    "TfidfTransformer": "wordodds.text",
    "TfidfVectorizer": "wordodds.text",
    "TruncatedSVD": "wordodds.reduce",
    "corpora": None,
    "custom_link": "wordodds.linear",
    "custom_loss": "wordodds.linear",
    "dask": None,
    "datasets": None,
    "experiments": None,
    "from_fasttext": "wordodds.model",
    "from_sklearn": "wordodds.classifier",
    "load": "wordodds.model",
    "show_config": "wordodds._config",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'wordodds' has no attribute {name!r}")
    home = _HOMES[name]
    value = (
        import_module(f"wordodds.{name}") if home is None else getattr(import_module(home), name)
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
