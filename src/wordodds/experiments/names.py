"""The names of models in tables and figures."""

__all__ = ["LR", "TUNED", "VARIANTS"]

LR = "logistic regression"
TUNED = ", tuned"  # ends the name of a model whose settings are chosen by cross-validation
VARIANTS = {"": "with defaults", TUNED: "tuned"}  # in words, by the end of a name
