"""Reads tests/modes.txt, the list of the modes of bloom.h"""


def modes(tool):
    """{name: (options of bloom.h, flags of the tests)} of the modes that this
    target of make uses"""
    found = {}
    with open("tests/modes.txt") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, tools, options, tests, _ = (
                    part.strip() for part in line.split("|"))
                if tool in tools.split():
                    found[name] = (["-include", "tests/unit/hooks.h"]
                                   + options.split(), tests.split())
    return found
