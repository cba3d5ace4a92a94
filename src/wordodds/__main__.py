"""``python -m wordodds`` does what the ``wordodds`` command does."""

import sys

from wordodds.cli import main

sys.exit(main())
