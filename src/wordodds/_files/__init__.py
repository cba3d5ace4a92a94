"""Files, memory and time: what long jobs share, whatever they compute."""
