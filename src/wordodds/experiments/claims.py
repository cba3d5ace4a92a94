"""What the lectures claim, each claim as one that a run can bear out or refute."""

from typing import NamedTuple

__all__ = ["CLAIMS", "Claim"]


class Claim(NamedTuple):
    """A claim, and who makes it."""

    id: str
    text: str
    source: str


CLAIMS = (
    Claim(
        "C1",
        "Naive Bayes' parameters need O(log m) examples, those of logistic regression O(m), "
        "m the number of features.",
        "Xing; Ng & Jordan 2002",
    ),
    Claim("C2", "Where the model's assumption is true, both reach the same classifier.", "Xing"),
    Claim("C3", "Where it is violated, logistic regression's asymptote is lower.", "Xing"),
    Claim(
        "C4",
        "Naive Bayes reaches its asymptote sooner, so it wins on little data.",
        "Xing; Ng & Jordan 2002",
    ),
    Claim(
        "C5",
        "IRLS needs far fewer iterations than gradient descent, at O(N + d³) each; conjugate "
        "gradients, O(Nd), work best in practice; quasi-Newton is faster; SGD serves large N.",
        "Xing",
    ),
    Claim(
        "C6",
        "Maximum likelihood gives an unseen word probability zero and so vetoes a class; a "
        "Dirichlet prior cures it, matters most on little data and is forgotten as N grows.",
        "Roweis; Xing; classification notes",
    ),
    Claim(
        "C7",
        "Naive Bayes is often right about the label and wrong about the probability, which crowds "
        "at 0 and 1.",
        "Xing, after Domingos & Pazzani",
    ),
    Claim(
        "C8",
        "Gaussian classes with one covariance have a linear boundary, with their own a quadratic "
        "one; priors only shift the threshold.",
        "Roweis; Paccanaro after Bishop; CS181",
    ),
    Claim(
        "C9",
        "Gaussian naive Bayes with shared variances has the form of logistic regression; discrete "
        "naive Bayes too.",
        "Roweis; Xing",
    ),
    Claim(
        "C10",
        "Of two features with the same pattern logistic regression sees only the sum of the "
        "weights; weight decay settles it.",
        "Roweis",
    ),
    Claim(
        "C11",
        "The class prior must enter the decision: with skewed classes argmax p(x | y) is poor.",
        "Roweis",
    ),
    Claim(
        "C12",
        "The perceptron stops on separable data after finitely many steps and never otherwise; its "
        "answer depends on the order.",
        "Paccanaro after Bishop; CS181",
    ),
    Claim(
        "C13",
        "Naive Bayes trains in O(total words + classes * vocabulary) and tests in "
        "O(classes * words).",
        "classification notes",
    ),
    Claim(
        "C14",
        "Regression on an indicator matrix fails with three or more classes and bends to outliers.",
        "Roweis",
    ),
)
