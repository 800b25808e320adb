#!/usr/bin/env python3
"""Run by `make mutants`: does `make test` see each mistake in bloom.h?

Every mutant is bloom.h with one mistake: an operator flipped, a bound moved by
one ("<" for "<="), a constant off by one, a statement deleted, a condition
negated, another value returned. It is compiled as the object of its own that
bloom.h can be, and linked with the test program of each mode that has its
line, until one fails: first those that tcc, the quickest compiler, can build.
What is left is tried once more as in `make sanitize`. A mutant that gcc
compiles to the very same code as bloom.h is no mistake. Every other survivor
is printed, with the reason that harmless.txt knows for mistakes
of this kind in this function, if any: who reads it judges whether it fits.

usage: mutants.py [COUNT] [SEED]      a sample of COUNT (300); all: COUNT 0
JOBS=1 takes one CPU, not all. ONLY='bloom_fold bloom_plan_ "One key"': those
in the functions, macros or sections whose names begin so. Results are kept in
build/mutants.tsv for this bloom.h (comments aside) and these tests: what was
interrupted goes on where it was. FRESH=1 begins anew. LIST=1 only lists them.
Exit 0 if at least 95% are killed, survivors with a known reason aside.
"""
import collections
import glob
import hashlib
import multiprocessing
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys

BUILD = "build/mutants"
RESULTS = "build/mutants.tsv"
TCC = shutil.which("tcc")
GCC = "gcc"

# name: (how bloom.h is compiled, how the tests are, CPU seconds for one test:
#        the longest takes a sixth of that). `make test` has modes more, of
# the same code, and measures rates, which sees nothing that these do not; "neon"
# and "tiny16" stand for machines of `make cross`.
BARE = ["-DBLOOM_NO_FLOAT", "-DBLOOM_NO_MALLOC"]
os.environ["ASAN_OPTIONS"] = "allocator_may_return_null=1"
SANITIZE = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
MODES = {
    "tiny": (["-DBLOOM_TINY"], ["-DBLOOM_TINY"], 2),
    "tiny16": (["-DBLOOM_TINY", "-include", "tests/unit/hooks.h", "-DTEST_16"],
               ["-DBLOOM_TINY", "-DTEST_16"], 2),
    "bare": (BARE + ["-D__OPTIMIZE_SIZE__=1"], BARE, 2),
    "flash": (["-DBLOOM_NO_FLOAT",
               "-DBLOOM_READ_BYTE(p)=((unsigned char)(*(p)^0x55))"],
              ["-DBLOOM_NO_FLOAT", "-DTEST_FLASH"], 2),
    "portable": (["-U__SIZEOF_INT128__", "-DBLOOM_NO_SIMD",
                  "-include", "tests/unit/hooks.h", "-DTEST_MALLOC"],
                 ["-DTEST_MALLOC"], 4),
    "same": ([], [], 4),
    "atomic": (["-DBLOOM_ATOMIC"], [], 4),
    "neon": (["-include", "tests/unit/hooks.h", "-DTEST_NEON"], [], 4),
}
QUICK = ("tiny", "tiny16", "bare", "flash", "portable") if TCC else ()

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
# What stands before the size of an array that is declared
ROOM = re.compile(r"(?!return|else|case)(?:(?:static|const) )*\w+ [^=(]*"
                  r"\[[^]]*$")


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


def opening(toks, i):
    """The index of what the bracket at i closes"""
    depth = 0
    for j in range(i, -1, -1):
        depth += (toks[j][1] in ")]}") - (toks[j][1] in "([{")
        if depth == 0:
            return j
    return i


def logical_line(source, line):
    """Where the one begins that this line goes on with, by a backslash"""
    while source[line - 2] == "\\":
        line = source.rfind("\n", 0, line - 1) + 1
    return line


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
    ends = toks[i][1] == "return" and source.startswith("\n}", stop + 1)
    if toks[i][0] == "name" and not declares and not ends \
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
        line = logical_line(source, line)
        directive = source[line:].lstrip().startswith("#")
        if directive and not re.match(r"\s*#\s*define\s+\w+", source[line:]):
            continue
        last = toks[i - 1]
        if kind == "number":
            room = bool(ROOM.match(begins))     # more of it changes nothing
            for new in off_by_one(text)[room:]:
                yield at, at + len(text), new, "constant"
        elif kind == "operator" and text in FLIP:
            operand = last[0] in ("name", "number") or last[1] in (")", "]")
            if text in BINARY_TOO and (not operand or TYPES.match(last[1])
                                       or last[1] in ("return", "else")):
                if text == "-":
                    yield at, at + 1, "", "operator"
                continue
            kind = "bound" if FLIP[text].rstrip("=") == text.rstrip("=") \
                and text[0] in "<>" and len(text) < 3 else "operator"
            yield at, at + len(text), FLIP[text], kind
        elif text in ("if", "while") and toks[i + 1][1] == "(":
            a, b = toks[i + 1][2], toks[closing(toks, i + 1)][2]
            yield a, b + 1, "(!%s)" % source[a:b + 1], "negated"
        elif text == "for" and toks[i + 1][1] == "(":
            a = source.index(";", at) + 1
            b = source.index(";", a)
            if source[a:b].strip():
                yield a, b, " !(%s)" % source[a:b].strip(), "negated"
        after = last[1] in (";", "{", "}", "else", "do") or last[1] == ")" \
            and toks[opening(toks, i - 1) - 1][1] in ("if", "for", "while")
        if after and kind == "name" and not directive \
                and (not begins or begins.endswith(")")):
            yield from statement_mutants(source, toks, i)


def functions(source):
    """(where its head begins, its body, its end, name) of each function"""
    return [(m.start(), m.end(), source.index("\n}", m.start()), m.group(1))
            for m in re.finditer(r"^\w.*?\b(\w+)\([^;{}]*\)\n\{$", source,
                                 re.M)]


class Mutant:
    """name: of its function or macro, with which, and with the number of the
    mutant in it, it is known again when bloom.h has changed elsewhere"""
    def __init__(self, source, mistake, name, text, number):
        start, stop, new, self.what = mistake
        self.start, self.stop, self.new, self.name = start, stop, new, name
        self.is_public = start < source.index("#endif /* BLOOM_H */")
        self.sections = list(sections(source[:start]))
        self.line = source.count("\n", 0, start) + 1
        begins = logical_line(source, source.rfind("\n", 0, start) + 1)
        self.begins = source.count("\n", 0, begins) + 1
        left = source.rfind("\n", 0, start) + 1
        right = source.find("\n", stop)
        self.old_line = tidy(source[left:right])
        self.new_line = tidy(source[left:start] + new + source[stop:right])
        key = " ".join((name, text, str(number), self.old_line, new))
        self.id = hashlib.sha1(key.encode()).hexdigest()[:12]


def sections(above):
    """Titles of the banners ==== and ---- that this text ends below"""
    part = above.rfind("\n/* ====") + 1
    for at in part, above.rfind("\n/* ----", part) + 1:
        title = re.match(r"/\* (?:====|----) (.*?) [-=]{2}", above[at:])
        if title:
            yield title.group(1)


def around(source, bodies, at):
    """The name and the text of the function, or macro, that has offset at"""
    for head, start, stop, name in bodies:
        if start <= at < stop:
            return name, meaning(source[head:stop])
    line = logical_line(source, source.rfind("\n", 0, at) + 1)
    name = re.match(r"\s*#\s*define (\w+)", source[line:])
    return name.group(1) if name else "", ""


def all_mutants(source):
    first = source.index("#define BLOOM_ONE_")
    end = source.index("/* ---- Papers")
    bodies, number, found = functions(source), {}, []
    for mistake in mutants(source[:end], first):
        place = around(source, bodies, mistake[0])
        number[place] = number.get(place, 0) + 1
        found.append(Mutant(source, mistake, *place, number[place]))
    return found


def meaning(text):
    """Without comments and spaces"""
    return " ".join(token[1] for token in tokens(text))


def tidy(text):
    return " ".join(text.split())


# ---- Are they seen? ---------------------------------------------------------

def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def less_memory():
    limits()
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def run(*command, limit=less_memory, only=None):
    """"" if it ends well, else the last test it said it was at"""
    environment = dict(os.environ, **({"TEST_ONLY": only} if only else {}))
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=600,
                              env=environment, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return "?"
    tests = re.findall(r"^test: (.*)$", done.stdout.decode("latin-1"), re.M)
    return done.returncode and (tests or ["?"])[-1] or ""


def compiler(mode, flags):
    """With flags, or where tcc cannot, it is gcc."""
    if flags or mode not in QUICK:
        return (GCC, "-Werror=return-type") + (flags or ("-O0",))
    return (TCC,)


def compile_bloom(mode, header, out, *flags):
    return not run(*compiler(mode, flags), "-std=c99", *MODES[mode][0],
                   "-DBLOOM_IMPLEMENTATION", "-xc", "-c", header, "-o", out)


def compile_test(mode, include, out, *flags):
    return not run(*(compiler(mode, flags) if include != "." else
                     (GCC, "-O2") + flags), "-std=gnu99", "-w", "-I" + include,
                   "-DTEST_STOP=%d" % MODES[mode][2], *MODES[mode][1],
                   "-c", "tests/unit/all.c", "-o", out)


def test_object(mode, flags):
    return "%s/%s%s.test.o" % (BUILD, mode, ".sanitized" if flags else "")


def link(mode, flags, test, bloom, program):
    return not run(*compiler(mode, flags), test, bloom, "-o", program)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def prepare():
    """The test programs' objects; each must pass with bloom.h as it is."""
    shutil.rmtree(BUILD, ignore_errors=True)
    os.makedirs(BUILD)
    for mode in MODES:
        for flags in (), tuple(SANITIZE):
            test, out = test_object(mode, flags), BUILD + "/prepared"
            if not (compile_test(mode, ".", test, *flags)
                    and compile_bloom(mode, "bloom.h", out + ".o", *flags)
                    and link(mode, flags, test, out + ".o", out)
                    and not run(out, limit=limits if flags else less_memory)):
                sys.exit("mutants: the tests fail in mode " + mode
                         + " before anything was broken")


def built_in(mode):
    """The numbers of the lines of bloom.h that this mode compiles"""
    tcc = ["-U__GNUC__", "-U__SIZEOF_INT128__"] * (mode in QUICK)
    out = subprocess.run([GCC, "-std=c99", "-E", "-fdirectives-only", *tcc,
                          "-DBLOOM_IMPLEMENTATION", *MODES[mode][0],
                          "-xc", "bloom.h"],
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


def modes_of(built, mutant):
    """Those that have its line; those after "same" if no other has it"""
    modes = [mode for mode in MODES if mutant.begins in built[mode]]
    return modes[:modes.index("same") + 1] if "same" in modes else modes


def place():
    """This process's own directory, with bloom.h for its mutants"""
    directory = "%s/%d" % (BUILD, os.getpid())
    os.makedirs(directory, exist_ok=True)
    return directory


def differs(source, text, modes):
    """The first of the modes in which optimised code is not that of bloom.h"""
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
            return mode
    return None


def fails(mutant, mode, *flags, only=None):
    """The test that fails, or "", or None if it does not compile"""
    here = place()
    if not compile_bloom(mode, here + "/bloom.h", here + "/new.o", *flags):
        return None
    test = test_object(mode, flags)
    if mutant.is_public:                        # the tests use its macros too
        test = here + "/new.test.o"
        if not compile_test(mode, here, test, *flags):
            return "?"                          # a check in #if saw it
    if not link(mode, flags, test, here + "/new.o", here + "/new.program"):
        return None
    return run(here + "/new.program", only=only,
               limit=limits if flags else less_memory)


killers = {}        # by function: the modes and tests that found one in it


def tries(mutant, modes):
    """(mode, test) to be tried: the one that found a mistake in this function
    last, and the one that found most; then all tests of each mode"""
    known = killers.get(mutant.name, [])
    for mode, test in dict.fromkeys(known[-1:]
                                    + sorted(set(known), key=known.count)[-2:]):
        if mode in modes:
            yield mode, test
    for mode in modes:
        yield mode, None


def judge(source, mutant, modes):
    text = source[:mutant.start] + mutant.new + source[mutant.stop:]
    with open(place() + "/bloom.h", "w") as file:
        file.write(text)
    for mode, only in tries(mutant, modes):
        test = fails(mutant, mode, only=only)
        if test is None:
            return "invalid"
        if test:
            killers.setdefault(mutant.name, []).append((mode, test))
            return "killed"
    mode = differs(source, text, modes)
    if mode is None:
        return "same" if modes else "elsewhere"
    with open(place() + "/bloom.h", "w") as file:
        file.write(text)
    return "killed" if fails(mutant, mode, *SANITIZE) else "survived"


# ---- The record -------------------------------------------------------------

def harmless():
    """[(name, kinds, reason)] of the file's lines "NAME KIND...: reason" """
    with open("tests/wide/mutants/harmless.txt") as file:
        lines = [line for line in file if line.strip() and line[0] != "#"]
    heads = [line.partition(":") for line in lines]
    return [(head.split()[0], head.split()[1:], reason.strip())
            for head, _, reason in heads]


def reason_for(mutant, known):
    return next((reason for name, kinds, reason in known
                 if mutant.name == name
                 and (mutant.what in kinds or kinds == ["any"])), None)


def load(stamps):
    results = {}
    if os.environ.get("FRESH") or not os.path.exists(RESULTS):
        return results
    with open(RESULTS) as file:
        for line in file:
            header, tests, number, result = line.split()
            same_tests = tests == stamps[1] or result in ("same", "invalid")
            if header == stamps[0] and same_tests:
                results[number] = result
    return results


def stamp(text):
    return hashlib.sha1(text).hexdigest()[:10]


def chosen(mutants, count, seed):
    only = tuple(shlex.split(os.environ.get("ONLY", ""))) or ""
    mutants = [m for m in mutants
               if any(name.startswith(only) for name in [m.name] + m.sections)]
    if count == 0:
        return mutants
    return random.Random(seed).sample(mutants, min(count, len(mutants)))


def report(judged, total):
    """The score; each survivor is printed, with its reason if one is known"""
    known, tally, explained = harmless(), collections.Counter(), 0
    for mutant, result in sorted(judged, key=lambda pair: pair[0].start):
        tally[result] += 1
        if result == "survived":
            reason = reason_for(mutant, known)
            explained += reason is not None
            print("bloom.h:%d: %s, %s\n    %s => %s%s" % (
                mutant.line, mutant.name, mutant.what, mutant.old_line,
                mutant.new_line, "\n    " + reason if reason else ""))
    counted = tally["killed"] + tally["survived"] - explained
    score = 100.0 * tally["killed"] / counted if counted else 0
    print("mutants: %d of %d: %d killed, %d survived (%d of them with a known "
          "reason), %d the same code, %d do not compile, %d in code for other "
          "machines; score without those of known reason %.2f%%" % (
              len(judged), total, tally["killed"], tally["survived"],
              explained, tally["same"], tally["invalid"],
              tally["elsewhere"], score))
    return score


def task(arguments):
    return arguments[1].id, judge(*arguments)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    source = read("bloom.h").decode()
    everything = all_mutants(source)
    mine = chosen(everything, count, seed)
    if os.environ.get("LIST"):
        for m in mine:
            print(m.id, m.line, m.name, m.what, m.old_line, "=>", m.new_line)
        return
    if not TCC:
        print("mutants: slower without tcc: apt-get install tcc")
    for name, _, _ in harmless():
        if name not in {m.name for m in everything}:
            print("harmless.txt: bloom.h has no", name)
    prepare()
    built = {mode: built_in(mode) for mode in MODES}
    stamps = stamp(meaning(source).encode()), stamp(
        b"".join(map(read, ["tests/test.c", "tests/wide/mutants/mutants.py"]
                     + sorted(glob.glob("tests/unit/*")))))
    results = load(stamps)
    tasks = [(source, m, modes_of(built, m))
             for m in mine if m.id not in results]
    random.Random(seed).shuffle(tasks)      # so far as it comes, a fair sample
    with open(RESULTS, "a") as log, multiprocessing.Pool(
            int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for number, result in pool.imap_unordered(task, tasks):
            results[number] = result
            log.write(" ".join(stamps + (number, result)) + "\n")
            log.flush()
    judged = [(m, results[m.id]) for m in mine]
    sys.exit(report(judged, len(everything)) < 95)


main()
