"""What is left after training, and the file that keeps it."""

from wordodds.model.errors import ModelFileError
from wordodds.model.fasttext.convert import from_fasttext
from wordodds.model.file import load
from wordodds.model.linear_model import LinearModel

__all__ = ["LinearModel", "ModelFileError", "from_fasttext", "load"]
