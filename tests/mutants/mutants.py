#!/usr/bin/env python3
"""Run by `make mutants`: does `make test` see each mistake in bloom.h?

Every mutant is bloom.h with one mistake: an operator flipped, a constant off
by one, a statement deleted, a condition negated, another value returned. It
is compiled as the object of its own that bloom.h can be, and linked with the
test program of each mode that has its line, until one fails; then once more as
in `make sanitize`. A mutant that compiles to the very same code as bloom.h is
equivalent; so is what is listed, with the reason, in
tests/mutants/equivalent.txt.

usage: mutants.py [COUNT] [SEED]      a sample of COUNT (300); all: COUNT 0
Results are kept in build/mutants.tsv for this bloom.h and these tests: what
was interrupted goes on where it was. FRESH=1 begins anew, KEEP=1 takes what
older tests have killed as killed. LIST=1 only lists them all. Exit 0 if the
score is at least 95%.
"""
import glob
import hashlib
import multiprocessing
import os
import random
import re
import resource
import shutil
import subprocess
import sys

BUILD = "build/mutants"
RESULTS = "build/mutants.tsv"
CC = os.environ.get("CC", "cc")

# name: (how bloom.h is compiled, how the tests are, seconds for one test,
#        bloom.h's optimisation: none, where that is the quickest)
PLAIN = ["-DBLOOM_IMPLEMENTATION"]
BARE = ["-DBLOOM_NO_FLOAT", "-DBLOOM_NO_MALLOC"]
os.environ["ASAN_OPTIONS"] = "allocator_may_return_null=1"
SANITIZE = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
MODES = {
    "tiny": (PLAIN + ["-DBLOOM_TINY"], ["-DBLOOM_TINY"], 2, "-O0"),
    "same": (PLAIN, [], 2, "-O0"),
    "portable": (PLAIN + ["-U__SIZEOF_INT128__", "-DBLOOM_NO_SIMD",
                          "-include", "tests/unit/hooks.h",
                          "-DTEST_MALLOC"],
                 ["-DTEST_MALLOC"], 6, "-O1"),
    "atomic": (PLAIN + ["-DBLOOM_ATOMIC"], [], 2, "-O1"),
    "atomic-plain": (PLAIN + ["-DBLOOM_ATOMIC", "-DBLOOM_NO_SIMD"], [], 2,
                     "-O1"),
    "flash": (PLAIN + ["-DBLOOM_NO_FLOAT",
              "-DBLOOM_READ_BYTE(p)=((unsigned char)(*(p)^0x55))"],
              ["-DBLOOM_NO_FLOAT", "-DTEST_FLASH"], 2, "-O1"),
    "bare": (PLAIN + BARE + ["-D__OPTIMIZE_SIZE__=1"], BARE, 2, "-O1"),
    "rates": (PLAIN, ["-DTEST_RATES"], 20, "-O2"),
}

# ---- The mistakes -----------------------------------------------------------

FLIP = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<": "<=", "<=": "<",
    ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&": "|", "|": "&", "^": "|",
    "<<": ">>", ">>": "<<", "&&": "||", "||": "&&", "++": "--", "--": "++",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=",
    "^=": "|=", "<<=": ">>=", ">>=": "<<=", "?": "? 0 &&", "!": "", "~": "",
}
BINARY_TOO = {"+", "-", "*", "&"}       # which can stand before an operand
TOKEN = re.compile(r"""
    (?P<space>\s+|\\\n) | (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?
     [uUlL]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=
     |[-+*/%&|^<>=!~?:;,.(){}\[\]\#])
""", re.X | re.S)
TYPES = re.compile(
    r"^(?:\w+_t|char|void|double|unsigned|bloom|bloom_\w+|const|bool)$")


def tokens(source):
    """(kind, text, offset) of all that is not space or comment"""
    return [(m.lastgroup, m.group(), m.start())
            for m in TOKEN.finditer(source)
            if m.lastgroup not in ("space", "comment")]


def closing(toks, i):
    """The index of what closes the bracket at i"""
    depth = 0
    for j in range(i, len(toks)):
        depth += (toks[j][1] in "([{") - (toks[j][1] in ")]}")
        if depth == 0:
            return j
    return i


def off_by_one(text):
    if re.search(r"[.eE]", text) and not text.lower().startswith("0x"):
        return ["(1.01 * %s)" % text]
    value = int(re.sub("[uUlL]+$", "", text), 0)
    suffix = re.search("[uUlL]*$", text).group()
    return ["%d%s" % (v, suffix) for v in (value + 1, value - 1) if v >= 0]


def returns(source, offset):
    """What kind of value the function around offset returns"""
    brace = source.rfind("\n{\n", 0, offset)
    head = source[max(source.rfind("\n\n", 0, brace),
                      source.rfind("*/\n", 0, brace)):brace]
    if source.rfind("\n}", 0, offset) > brace:
        return None
    before = re.split(r"\bbloom_\w+\(", head)[0]
    if "*" in before:
        return "pointer"
    if "bool" in before:
        return "bool"
    number = r"\b(uint\d+_t|size_t|unsigned|double|bloom_error)\b"
    return "number" if re.search(number, before) else None


def statement_mutants(source, toks, i):
    """Deleted and returning something else; toks[i] begins a statement."""
    end = i
    while toks[end][1] != ";":
        if toks[end][1] in "{}":
            return
        end = closing(toks, end) + 1 if toks[end][1] in "([" else end + 1
    start, stop = toks[i][2], toks[end][2]
    if toks[i][1] == "return":
        value = source[start + 6:stop].strip()
        kind = returns(source, start)
        new = {"pointer": "0", "bool": "!(%s)" % value,
               "number": "(%s) + 1" % value}.get(kind)
        if new:
            yield start, stop, "return " + new, "returns"
    declares = TYPES.match(toks[i][1]) and toks[i + 1][0] == "name" \
        or toks[i + 1][1] == "*"
    if toks[i][0] == "name" and not declares \
            and toks[i][1] not in ("break", "case", "do", "else", "static"):
        yield start, stop, "", "deleted"
    if toks[i][1] in ("break",):
        yield start, stop, "", "deleted"


def mutants(source, first):
    """(start, stop, new text, what) of every mistake from offset first on"""
    toks = [t for t in tokens(source)]
    for i, (kind, text, at) in enumerate(toks):
        if at < first:
            continue
        line = source.rfind("\n", 0, at) + 1
        begins = source[line:at].strip()
        directive = source[line:].lstrip().startswith("#")
        if directive and not re.match(r"\s*#\s*define\s+\w+", source[line:]):
            continue
        last = toks[i - 1]
        if kind == "number":
            for new in off_by_one(text):
                yield at, at + len(text), new, "constant"
        elif kind == "operator" and text in FLIP:
            operand = last[0] in ("name", "number") or last[1] in (")", "]")
            if text in BINARY_TOO and (not operand or TYPES.match(last[1])
                                       or last[1] in ("return", "else")):
                if text == "-":
                    yield at, at + 1, "", "operator"
                continue
            yield at, at + len(text), FLIP[text], "operator"
        elif text in ("if", "while") and toks[i + 1][1] == "(":
            a, b = toks[i + 1][2], toks[closing(toks, i + 1)][2]
            yield a, b + 1, "(!%s)" % source[a:b + 1], "negated"
        elif text == "for" and toks[i + 1][1] == "(":
            a = source.index(";", at) + 1
            b = source.index(";", a)
            if source[a:b].strip():
                yield a, b, " !(%s)" % source[a:b].strip(), "negated"
        if last[1] in (";", "{", "}", ")", "else", "do") and kind == "name" \
                and (not begins or begins.endswith(")")) and not directive:
            yield from statement_mutants(source, toks, i)


def functions(source):
    """(start, end, name) of each function's body"""
    return [(m.end(), source.index("\n}", m.start()), m.group(1))
            for m in re.finditer(r"^\w.*?\b(\w+)\([^;{}]*\)\n\{$", source,
                                 re.M)]


class Mutant:
    def __init__(self, source, start, stop, new, what):
        self.start, self.stop, self.new, self.what = start, stop, new, what
        self.line = source.count("\n", 0, start) + 1
        self.old_line = lines_at(source, start, stop)
        above = source.rfind("\n", 0, start) - 1
        self.above = lines_at(source, above, above)
        left = source.rfind("\n", 0, start) + 1
        right = source.find("\n", stop)
        self.new_line = tidy(source[left:start] + new + source[stop:right])
        key = "%d %d %d %s" % (start, stop, self.line, new)
        self.id = hashlib.sha1(key.encode()).hexdigest()[:10]


def tidy(text):
    return " ".join(text.split())


def lines_at(source, start, stop):
    left = source.rfind("\n", 0, start) + 1
    return tidy(source[left:source.find("\n", stop)])


# ---- Are they seen? ---------------------------------------------------------

def limits():
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def less_memory():
    limits()
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def run(*command, limit=less_memory):
    """True if it ends well within a minute of anybody's time"""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=60,
                              preexec_fn=limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def compile_bloom(mode, header, out, *flags):
    flags = flags or (MODES[mode][3],)
    return run(CC, "-std=c99", *flags, "-Werror=return-type", *MODES[mode][0],
               "-x", "c", "-c", header, "-o", out)


def compile_test(mode, include, out, *flags):
    return run(CC, "-std=gnu99", "-O2", "-w", "-I" + include, *flags,
               "-DTEST_STOP=%d" % MODES[mode][2], *MODES[mode][1],
               "-c", "tests/unit/all.c", "-o", out)


def test_object(mode, flags):
    return "%s/%s%s.test.o" % (BUILD, mode, ".sanitized" if flags else "")


def read(name):
    with open(name, "rb") as file:
        return file.read()


def prepare():
    """The test programs' objects; each must pass with bloom.h as it is."""
    shutil.rmtree(BUILD, ignore_errors=True)
    os.makedirs(BUILD)
    for mode in MODES:
        for flags in [[]] + [SANITIZE] * (mode != "rates"):
            test, out = test_object(mode, flags), BUILD + "/prepared"
            if not (compile_test(mode, ".", test, *flags)
                    and compile_bloom(mode, "bloom.h", out + ".o", *flags)
                    and run(CC, *flags, test, out + ".o", "-o", out)
                    and run(out, limit=limits if flags else less_memory)):
                sys.exit("mutants: the tests fail in mode " + mode
                         + " before anything was broken")


def built_in(mode):
    """The numbers of the lines of bloom.h that this mode compiles"""
    out = subprocess.run([CC, "-std=c99", "-E", "-fdirectives-only",
                          *MODES[mode][0], "-x", "c", "bloom.h"],
                         stdout=subprocess.PIPE, check=True).stdout
    lines, number, ours = set(), 0, False
    for text in out.decode().split("\n"):
        mark = re.match(r'# (\d+) "(.*?)"', text)
        if mark:
            number, ours = int(mark.group(1)), mark.group(2) == "bloom.h"
            continue
        if ours and text.strip():
            lines.add(number)
        number += 1
    return lines


def modes_of(built, source, mutant):
    """Those that have its line; that of the rates, where they are foretold"""
    begin = source.rindex("/* ---- Planning ----")
    planning = begin < mutant.start < re.compile(r"/\* (----|====) ").search(
        source, begin + 1).start()
    return [mode for mode in MODES if mutant.line in built[mode]
            and (mode != "rates" or planning)]


def place():
    """This process's own directory, with bloom.h for its mutants"""
    directory = "%s/%d" % (BUILD, os.getpid())
    os.makedirs(directory, exist_ok=True)
    return directory


def same_code(source, text, modes):
    """Is the optimised code, in each of the modes, just that of bloom.h?"""
    header, new = place() + "/bloom.h", place() + "/new.o2"

    def optimised(mode, content, out):  # one name, as it is in the object
        with open(header, "w") as file:
            file.write(content)
        return compile_bloom(mode, header, out, "-O2")

    for mode in modes:
        old = "%s/%s.o2" % (place(), mode)
        if not os.path.exists(old):
            optimised(mode, source, old)
        if not optimised(mode, text, new) or read(new) != read(old):
            return False
    return True


def fails(mutant, mode, public_end, *flags):
    """None if it does not compile in this mode"""
    here = place()
    if not compile_bloom(mode, here + "/bloom.h", here + "/new.o", *flags):
        return None
    test = test_object(mode, flags)
    if mutant.start < public_end:               # the tests use its macros too
        test = here + "/new.test.o"
        if not compile_test(mode, here, test, *flags):
            return True                         # a check in #if saw it
    if not run(CC, *flags, test, here + "/new.o", "-o", here + "/new.program"):
        return None
    return not run(here + "/new.program",
                   limit=limits if flags else less_memory)


def judge(source, mutant, modes, public_end):
    text = source[:mutant.start] + mutant.new + source[mutant.stop:]
    with open(place() + "/bloom.h", "w") as file:
        file.write(text)
    compiled = False
    for mode in modes:
        failed = fails(mutant, mode, public_end)
        if failed:
            return "killed"
        if failed is False:
            if not compiled and same_code(source, text, modes):
                return "same"
            compiled = True
    if not compiled:
        return "invalid"
    sanitized = ["same"] if "same" in modes else modes
    if any(fails(mutant, mode, public_end, *SANITIZE) for mode in sanitized):
        return "killed"
    return "survived"


# ---- The record -------------------------------------------------------------

def equivalents():
    """{(line above or "", line, mutated line or *)}: what cannot be seen"""
    listed = set()
    with open("tests/mutants/equivalent.txt") as file:
        for line in file:
            if line.strip() and not line.startswith("# "):
                above, _, line = line.rpartition(" @ ")
                old, _, new = line.partition(" => ")
                listed.add((tidy(above), tidy(old), tidy(new)))
    return listed


def listings(listed, mutant, bodies):
    """Those that are about this mutant"""
    name = next((name + "()" for start, end, name in bodies
                 if start <= mutant.start < end), "")
    return listed & {("", name, "*")} \
        | listed & {(above, mutant.old_line, new)
                    for above in ("", mutant.above)
                    for new in (mutant.new_line, "*")}


def load(stamps):
    results = {}
    if os.environ.get("FRESH") or not os.path.exists(RESULTS):
        return results
    with open(RESULTS) as file:
        for line in file:
            header, tests, number, result = line.split()
            if header != stamps[0]:
                continue
            if tests == stamps[1] or result in ("same", "invalid") \
                    or os.environ.get("KEEP") and result == "killed":
                results[number] = result
    return results


def stamp(*names):
    digest = hashlib.sha1()
    for name in names:
        digest.update(read(name))
    return digest.hexdigest()[:10]


def chosen(all_mutants, count, seed):
    if count == 0:
        return all_mutants
    return random.Random(seed).sample(all_mutants,
                                      min(count, len(all_mutants)))


def report(judged, total):
    tally = dict.fromkeys(
        ("killed", "survived", "same", "equivalent", "invalid"), 0)
    for mutant, result in sorted(judged, key=lambda pair: pair[0].start):
        tally[result] += 1
        if result == "survived":
            print("bloom.h:%d: %s\n    %s => %s" % (
                mutant.line, mutant.what, mutant.old_line, mutant.new_line))
    counted = tally["killed"] + tally["survived"]
    score = 100.0 * tally["killed"] / counted if counted else 0
    print("mutants: %d of %d: %d killed, %d survived, %d the same code, "
          "%d listed as equivalent, %d do not compile; score %.1f%%" % (
              len(judged), total, tally["killed"], tally["survived"],
              tally["same"], tally["equivalent"], tally["invalid"], score))
    return score


def task(arguments):
    return arguments[1].id, judge(*arguments)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    source = read("bloom.h").decode()
    first = source.index("#define BLOOM_ONE_")
    public_end = source.index("#endif /* BLOOM_H */")
    end = source.index("/* ---- Papers")
    everything = [Mutant(source, *m) for m in mutants(source[:end], first)]
    if os.environ.get("LIST"):
        for m in everything:
            print(m.id, m.line, m.what, m.old_line, "=>", m.new_line)
        return
    prepare()
    built = {mode: built_in(mode) for mode in MODES}
    stamps = stamp("bloom.h"), stamp(
        "tests/test.c", *sorted(glob.glob("tests/unit/*")),
        "tests/mutants/mutants.py")
    results = load(stamps)
    mine = chosen(everything, count, seed)
    listed, bodies = equivalents(), functions(source)
    results.update((m.id, "equivalent") for m in mine
                   if listings(listed, m, bodies))
    stale = listed.difference(*(listings(listed, m, bodies)
                                for m in everything))
    for above, old, new in sorted(stale):
        print("equivalent.txt: no such mutant: %s => %s" % (old, new))
    tasks = [(source, m, modes_of(built, source, m), public_end)
             for m in mine if m.id not in results]
    with open(RESULTS, "a") as log, multiprocessing.Pool() as pool:
        for number, result in pool.imap_unordered(task, tasks):
            results[number] = result
            log.write(" ".join(stamps + (number, result)) + "\n")
            log.flush()
    judged = [(m, results[m.id]) for m in mine]
    sys.exit(report(judged, len(everything)) < 95 or bool(stale))


main()
