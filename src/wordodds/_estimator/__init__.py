"""What all estimators share: scikit-learn's contract, and the linear view of a classifier."""
