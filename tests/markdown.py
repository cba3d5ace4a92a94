"""Reading Markdown pages, for the tests of what they say."""

import doctest
import re


def code_blocks(text, language):
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def failures(text, name):
    """Run the Python blocks of a page as one session; return how many examples fail."""
    blocks = code_blocks(text, "python")
    assert blocks
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names = {}
    for number, block in enumerate(blocks):
        test = parser.get_doctest(block, names, f"{name} block {number}", name, 0)
        assert test.examples, "a python block must be a >>> session, so that it can be checked"
        runner.run(test, clear_globs=False)
        names = test.globs
    return runner.summarize().failed


def links(text):
    """Return the targets of links and images, outside of code."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose)


def anchors(text):
    """Return the names that the headings can be linked by, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
