#!/usr/bin/env python3
"""Tests the tests (`make mutants`): does `make test` find small mistakes in
bloom.h and its companions?

A mutant is one of these headers with one mistake: an operator flipped, a bound
moved by one ("<" for "<="), a constant off by one, a statement deleted, a
condition negated, or another value returned. It is tested in each mode that
compiles the changed line, by the tests that call the changed function, until
one fails. The headers are compiled to an object, which is linked with the test
program of the mode. The programs window, slices, file and share include the
code, so they are compiled with the mutant. The modes that tcc, the fastest
compiler, can build come first. A mutant that passes is tested once more with
the sanitizers. If it passes again, it has survived, unless gcc compiles it to
the same code as the true header. Each survivor is printed. Read them one by
one: most do no harm, for example where a constant decides only how fast the
code is. The others show what the tests miss.

usage: mutants.py [COUNT] [SEED]     a sample of COUNT mutants (300); 0: all
Variables:
    JOBS=1     uses one CPU instead of all
    ONLY='bloom_fold bloom_plan_ "One key" bloom_window.h'
               only functions, macros, sections or headers whose names begin so
    FRESH=1    ignores the results in build/mutants.tsv. Without it, a run goes
               on where the last one with these headers and tests ended.
    LIST=1     only lists the mutants
The exit status is 0 if at least 90% are killed.
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
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
from coverage import modes

BUILD = "build/mutants"
RESULTS = "build/mutants.tsv"
TCC = shutil.which("tcc")
GCC = "gcc"

LEAST = 90          # percent of the mutants that the tests find
SECONDS = 2, 4, 8, 16, 32, 64, 128      # of the CPU for one test: the first of
                    # these that is enough for the true headers,
SLOWER = 3          # and a mutant gets so many times as much
PATIENCE = 120      # seconds for a program, which may wait for nothing
os.environ["ASAN_OPTIONS"] = "allocator_may_return_null=1"
SANITIZE = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

# name: (options of bloom.h, flags of the tests). Measured rates find no other
# mistakes, so they are left out. The last modes are for the companions: the
# tests of chains and of keyed hashes, and the programs tests/unit/window.c,
# slices.c, file.c and share.c.
QUICK, MODES = modes("mutants/tcc"), modes("mutants")
DEFAULT = next(iter(MODES))
MODES = {**QUICK, **MODES}
BLOOM = "bloom.h"
OBJECT = "tests/headers.h"      # bloom.h and its companions but bloom_file.h
HEADERS = {BLOOM: list(MODES),          # header: its modes
           "examples/companions/bloom_chain.h": ["chain", "chain-default"],
           "examples/companions/bloom_window.h": ["window"],
           "examples/companions/bloom_slices.h": ["slices", "slices-default"],
           "examples/companions/bloom_keyed.h": ["keyed"],
           "examples/companions/bloom_file.h": ["file", "share"]}
PROGRAMS = ["window", "slices", "file", "share"]
CHAINS = "-DTEST_PART=chain_tests"
QUICK["chain"] = (QUICK["portable"][0], [CHAINS])
QUICK["window"] = QUICK["slices"] = (["-DBLOOM_NO_SIMD"], [])
QUICK["file"] = (["-DBLOOM_NO_SIMD"], [])
QUICK["keyed"] = (QUICK["portable"][0], ["-DTEST_PART=keyed_tests"])
MODES = {**MODES, **QUICK, "chain-default": ([], [CHAINS]),
         "slices-default": ([], []), "share": ([], [])}
if not TCC:
    QUICK = {}

# ---- The mistakes -----------------------------------------------------------

FLIP = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<": "<=", "<=": "<",
    ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&": "|", "|": "&", "^": "|",
    "<<": ">>", ">>": "<<", "&&": "||", "||": "&&", "++": "--", "--": "++",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=",
    "^=": "|=", "<<=": ">>=", ">>=": "<<=", "?": "? 0 &&", "!": "", "~": "",
}
BINARY_TOO = {"+", "-", "*", "&"}       # operators that may also be unary
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
# The text before the size in the declaration of an array
ROOM = re.compile(r"(?!return|else|case)(?:(?:static|const) )*\w+ [^=(]*"
                  r"\[[^]]*$")


def tokens(source):
    """(kind, text, offset) of each token, without spaces and comments"""
    return [(m.lastgroup, m.group(), m.start())
            for m in TOKEN.finditer(source)
            if m.lastgroup not in ("space", "comment")]


def closing(toks, i):
    """The index of the bracket that closes the one at i"""
    depth = 0
    for j in range(i, len(toks)):
        depth += (toks[j][1] in "([{") - (toks[j][1] in ")]}")
        if depth == 0:
            return j
    return i


def opening(toks, i):
    """The index of the bracket that the one at i closes"""
    depth = 0
    for j in range(i, -1, -1):
        depth += (toks[j][1] in ")]}") - (toks[j][1] in "([{")
        if depth == 0:
            return j
    return i


def logical_line(source, line):
    """The offset of the first line of those joined with this by backslashes"""
    while source[line - 2] == "\\":
        line = source.rfind("\n", 0, line - 1) + 1
    return line


def off_by_one(text):
    if re.search(r"[.eE]", text) and not text.lower().startswith("0x"):
        return ["(1.01 * %s)" % text]
    digits = re.sub("[uUlL]+$", "", text)
    value = int(digits, 8 if re.match("0[0-7]", digits) else 0)
    suffix = re.search("[uUlL]*$", text).group()
    return ["%d%s" % (v, suffix) for v in (value + 1, value - 1) if v >= 0]


def returns(source, offset):
    """The kind of value that the function around this offset returns"""
    brace = source.rfind("\n{\n", 0, offset)
    head = source[max(source.rfind("\n\n", 0, brace) + 2,
                      source.rfind("*/\n", 0, brace) + 3):brace]
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
    """The statement that begins at toks[i], deleted or returning another"""
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
    """(start, stop, new text, kind) of every mutant from offset `first` on"""
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
            room = bool(ROOM.match(begins))     # a larger array is harmless
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
    """(offsets of its head, its body and its end, name) of each function"""
    return [(m.start(), m.end(), source.index("\n}", m.start()), m.group(1))
            for m in re.finditer(r"^\w.*?\b(\w+)\([^;{}]*\)\n\{$", source,
                                 re.M)]


class Mutant:
    """name: of its function or macro. The id is made from that and from the
    number of the mutant in it, so it stays the same if the header changes
    elsewhere. declares: the line is above the header's code, so the tests
    of all modes include it."""
    def __init__(self, header, mistake, name, text, number):
        source = SOURCES[header]
        start, stop, new, self.what = mistake
        self.start, self.stop, self.new, self.name = start, stop, new, name
        self.header = header
        self.declares = start < source.index("_H */\n")
        self.sections = list(sections(source[:start]))
        self.line = source.count("\n", 0, start) + 1
        begins = logical_line(source, source.rfind("\n", 0, start) + 1)
        self.begins = source.count("\n", 0, begins) + 1
        left = source.rfind("\n", 0, start) + 1
        right = source.find("\n", stop)
        self.old_line = tidy(source[left:right])
        self.new_line = tidy(source[left:start] + new + source[stop:right])
        key = " ".join((header, name, text, str(number), self.old_line, new))
        self.id = hashlib.sha1(key.encode()).hexdigest()[:12]

    def text(self):
        source = SOURCES[self.header]
        return source[:self.start] + self.new + source[self.stop:]


def sections(above):
    """The titles of the sections, ==== and ----, in which this text ends"""
    part = above.rfind("\n/* ====") + 1
    for at in part, above.rfind("\n/* ----", part) + 1:
        title = re.match(r"/\* (?:====|----) (.*?) [-=]{2}", above[at:])
        if title:
            yield title.group(1)


def around(source, bodies, at):
    """The name and the text of the function, or the name of the macro, at this
    offset"""
    for head, start, stop, name in bodies:
        if start <= at < stop:
            return name, meaning(source[head:stop])
    line = logical_line(source, source.rfind("\n", 0, at) + 1)
    name = re.match(r"\s*#\s*define (\w+)", source[line:])
    return name.group(1) if name else "", ""


def all_mutants(header):
    source = SOURCES[header]
    bodies, number, found = functions(source), {}, []
    for mistake in mutants(source, source.index("#include")):
        place = around(source, bodies, mistake[0])
        number[place] = number.get(place, 0) + 1
        found.append(Mutant(header, mistake, *place, number[place]))
    return found


def meaning(text):
    """The text without comments and spaces"""
    return " ".join(token[1] for token in tokens(text))


def tidy(text):
    return " ".join(text.split())


# ---- Running the tests ------------------------------------------------------

def execute(*command, more_memory=False, cwd=None, **variables):
    """Runs a program. Returns its exit status and its output."""
    def limits():
        os.setsid()                     # so that its children end with it
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not more_memory:
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          cwd=cwd, env=dict(os.environ, **variables),
                          preexec_fn=limits) as child:
        try:
            out = child.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:       # waits for a FIFO, for example
            os.killpg(child.pid, signal.SIGKILL)
            out = child.communicate()[0]
    return child.returncode, out.decode("latin-1")


def run(*command, **how):
    """Returns "" if the program succeeds, else the last test that it began"""
    status, out = execute(*command, **how)
    tests = re.findall(r"^test: (.*)$", out, re.M)
    return status and (tests or ["?"])[-1] or ""


limits = {}         # (mode, flags): seconds of the CPU for one test


def run_test(program, mode, flags, only="", seconds=0):
    """Runs a test program, or only these of its tests, each on a line. With
    flags, for the sanitizers, it gets more address space. It works in the
    directory of this process, as tests of files would disturb one another."""
    return run(os.path.abspath(program), more_memory=bool(flags), cwd=place(),
               TEST_SECONDS=str(seconds or limits[mode, flags]),
               **({"TEST_ONLY": only} if only else {}))


def compiler(mode, flags):
    """The compiler: gcc if there are flags or tcc cannot build the mode"""
    if flags or mode not in QUICK:
        return (GCC, "-Werror=return-type") + (flags or ("-O0",))
    return (TCC,)


def compile_header(mode, directory, header, out, *flags):
    """Compiles a header, with the code of all that it includes"""
    return not run(*compiler(mode, flags), "-std=c99", *MODES[mode][0],
                   "-DBLOOM_IMPLEMENTATION", "-DBLOOM_API=extern",
                   "-I" + directory, "-xc", "-c", directory + "/" + header,
                   "-o", out)


def program_of(mode):
    """The test program of a mode, a file of tests/unit/ without .c"""
    name = mode.split("-")[0]
    return name if name in PROGRAMS else "all"


def compile_test(mode, directory, out, *flags):
    """Compiles the test program and the headers of this directory"""
    return not run(*(compiler(mode, flags) if directory != "." else
                     (GCC, "-O2") + flags), "-std=gnu99", "-w",
                   "-I" + directory, "-DTEST_STOP",
                   *MODES[mode][0], *MODES[mode][1], "-UTEST_RATES", "-c",
                   "%s/tests/unit/%s.c" % (directory, program_of(mode)),
                   "-o", out)


def prepared(mode, flags, what):
    """The object of the tests ("test") or of the true headers ("bloom")"""
    return "%s/%s%s.%s.o" % (BUILD, mode, ".sanitized" if flags else "", what)


def build(mode, flags, test, bloom, program, *for_test):
    """Builds a test program with the true headers"""
    return (compile_test(mode, ".", test, *flags, *for_test)
            and compile_header(mode, ".", OBJECT, bloom, *flags)
            and link(mode, flags, test, bloom, program))


def link(mode, flags, test, bloom, program):
    return not run(*compiler(mode, flags), test, bloom, "-o", program)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "wb") as file:
        file.write(text)


def prepare(mode):
    """Compiles the tests of a mode. They must pass with the true headers, also
    under the sanitizers. Returns the tests that call each function, and the
    limits; or what is wrong."""
    program, beside = (BUILD + name % mode for name in ("/%s", "/%s.beside.o"))
    for flags in (), tuple(SANITIZE):
        test, bloom = (prepared(mode, flags, what) for what in ("test", "bloom"))
        if not build(mode, flags, test, bloom, program):
            return "cannot be built"
        enough = next((seconds for seconds in SECONDS if not
                       run_test(program, mode, flags, seconds=seconds)), 0)
        if not enough:
            return "fail without any mutant"
        limits[mode, flags] = SLOWER * enough
    if not (compile_test(mode, place(), beside)
            and link(mode, (), beside, prepared(mode, (), "bloom"), program)
            and not run_test(program, mode, ())):
        return "fail beside the mutants; does TESTS have all files?"
    calls = tests_of_functions(mode)
    for test in sorted(set("".join(calls.values()).splitlines())):
        if run_test(program, mode, (), only=test + "\n"):
            return "fail if only %s runs" % test
    return (calls, limits) if calls else "do not show what they call"


def tests_of_functions(mode):
    """{function: the tests that call it, each on a line}, from reached.h"""
    name = BUILD + "/reached-" + mode
    flags = ("-O0", "-no-pie", "-finstrument-functions")
    if not build(mode, flags, name + ".o", name + ".bloom.o", name,
                 "-include", "tests/quality/reached.h"):
        return {}
    status, out = execute(os.path.abspath(name), more_memory=True, cwd=place(),
                          TEST_SECONDS=str(limits[mode, ()]))
    if status != 0:
        return {}
    symbols = subprocess.run(["nm", name], stdout=subprocess.PIPE,
                             check=True).stdout.decode()
    names = {int(address, 16): name for address, name
             in re.findall(r"^([0-9a-f]+) [tTwW] (\w+)$", symbols, re.M)}
    tests = {}
    for part in re.split(r"^test: ", out, flags=re.M)[1:]:
        test = part[:part.index("\n") + 1]
        for call in set(re.findall("^calls: 0x([0-9a-f]+)$", part, re.M)):
            tests.setdefault(names[int(call, 16)], {})[test] = True
    return {name: "".join(those) for name, those in tests.items()}


reached = {}        # mode: what tests_of_functions returns


def prepare_all(modes, jobs):
    shutil.rmtree(BUILD, ignore_errors=True)
    os.makedirs(BUILD)
    modes = sorted(modes)
    with multiprocessing.Pool(jobs) as pool:
        for mode, result in zip(modes, pool.imap(prepare, modes)):
            if isinstance(result, str):
                sys.exit("mutants: the tests in mode %s %s" % (mode, result))
            reached[mode], its_limits = result
            limits.update(its_limits)


def built_in(mode, header):
    """The line numbers of the header that this mode compiles"""
    tcc = ["-U__GNUC__", "-U__SIZEOF_INT128__"] * (mode in QUICK)
    out = subprocess.run([GCC, "-std=c99", "-E", "-fdirectives-only", *tcc,
                          "-DBLOOM_IMPLEMENTATION", *MODES[mode][0],
                          "-I.", "-xc", header],
                         stdout=subprocess.PIPE, check=True).stdout
    lines, number, ours = set(), 0, False
    for text in out.decode().split("\n"):
        mark = re.match(r'# (\d+) "(.*?)"', text)
        if mark:
            number, ours = int(mark.group(1)), mark.group(2) == header
            continue
        if ours and text.strip():
            lines.add(number)
        number += 1
    return lines


def modes_of(built, mutant):
    """The modes that compile its line; those after the default mode only if no
    other does"""
    modes = [mode for mode in HEADERS[mutant.header]
             if mutant.begins in built[mutant.header, mode]]
    return modes[:modes.index(DEFAULT) + 1] if DEFAULT in modes else modes


def place():
    """The directory of this process, with copies of the headers and tests.
    headers.h finds the companions by their place relative to it."""
    directory = "%s/%d" % (BUILD, os.getpid())
    if not os.path.exists(directory):
        for name in TESTS + list(HEADERS):
            write(directory + "/" + name, read(name))
    return directory


def put(header, text):
    write(place() + "/" + header, text.encode())


def differs(mutant, modes):
    """The first mode whose optimised code differs from that of the header"""
    new = place() + "/new.o2"

    def optimised(mode, text, out):     # same file name, as objects contain it
        put(mutant.header, text)
        header = OBJECT if program_of(mode) == "all" else mutant.header
        return compile_header(mode, place(), header, out, "-O2")

    for mode in modes:
        old = "%s/%s.o2" % (place(), mode)
        if not os.path.exists(old):
            optimised(mode, SOURCES[mutant.header], old)
        if not optimised(mode, mutant.text(), new) or read(new) != read(old):
            return mode
    return None


def fails(mutant, mode, *flags, only=""):
    """The test that fails, "" if all pass, None if it does not compile"""
    here = place()
    bloom, test = (prepared(mode, flags, what) for what in ("bloom", "test"))
    if program_of(mode) == "all":
        bloom = here + "/new.o"
        if not compile_header(mode, here, OBJECT, bloom, *flags):
            return None
    if mutant.declares or program_of(mode) != "all":
        test = here + "/new.test.o"
        if not compile_test(mode, here, test, *flags):
            return "?" if program_of(mode) == "all" else None   # by an #if
    if not link(mode, flags, test, bloom, here + "/new.program"):
        return None
    return run_test(here + "/new.program", mode, flags, only)


killers = {}        # function: [(mode, test) that found a mutant of it]


def tries(mutant, modes):
    """(mode, tests) to be tried: first the test that found a mutant of this
    function last, and those that found most; then, in each mode, all tests that
    call the function, or all tests if none is known to do so"""
    known = killers.get(mutant.name, [])
    for mode, test in dict.fromkeys(known[-1:]
                                    + sorted(set(known), key=known.count)[-2:]):
        if mode in modes:
            yield mode, test
    for mode in modes:
        yield mode, reached[mode].get(mutant.name, "")


def test_all(mutant, modes):
    """killed, survived, or why it cannot be tested"""
    put(mutant.header, mutant.text())
    for mode, only in tries(mutant, modes):
        test = fails(mutant, mode, only=only)
        if test is None:
            return "invalid"
        if test:
            killers.setdefault(mutant.name, []).append(
                (mode, "" if test == "?" else test + "\n"))
            return "killed"
    mode = differs(mutant, modes)
    if mode is None:
        return "same" if modes else "elsewhere"
    put(mutant.header, mutant.text())
    return "killed" if fails(mutant, mode, *SANITIZE) else "survived"


def judge(arguments):
    mutant, modes = arguments
    result = test_all(mutant, modes)
    put(mutant.header, SOURCES[mutant.header])
    return mutant.id, result


# ---- The record -------------------------------------------------------------

def load(stamps, now):
    """The results so far with headers of these stamps and the tests of now"""
    results = {}
    if os.environ.get("FRESH") or not os.path.exists(RESULTS):
        return results
    with open(RESULTS) as file:
        for line in file:
            header, tests, number, result = line.split()
            same_tests = tests == now or result in ("same", "invalid")
            if header in stamps and same_tests:
                results[number] = result
    return results


def stamp(*texts):
    return hashlib.sha1(b"".join(texts)).hexdigest()[:10]


def chosen(mutants, count, seed):
    only = tuple(shlex.split(os.environ.get("ONLY", ""))) or ""
    mutants = [m for m in mutants if any(
        name.startswith(only)
        for name in [m.name, os.path.basename(m.header)] + m.sections)]
    if count == 0:
        return mutants
    return random.Random(seed).sample(mutants, min(count, len(mutants)))


def report(judged, total):
    """Prints each survivor. Returns the share that was killed, in percent."""
    tally = collections.Counter()
    for mutant, result in sorted(
            judged, key=lambda pair: (pair[0].header, pair[0].start)):
        tally[result] += 1
        if result == "survived":
            print("%s:%d: %s, %s\n    %s => %s" % (
                mutant.header, mutant.line, mutant.name, mutant.what,
                mutant.old_line, mutant.new_line))
    counted = tally["killed"] + tally["survived"]
    score = 100.0 * tally["killed"] / counted if counted else 0
    print("mutants: %d of %d: %d killed, %d survived: %.1f%% killed; %d with the "
          "same code, %d that do not compile, %d in code for other machines" % (
              len(judged), total, tally["killed"], tally["survived"], score,
              tally["same"], tally["invalid"], tally["elsewhere"]))
    return score


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    everything = [m for header in HEADERS for m in all_mutants(header)]
    mine = chosen(everything, count, seed)
    if os.environ.get("LIST"):
        for m in mine:
            print(m.id, "%s:%d" % (m.header, m.line), m.name, m.what,
                  m.old_line, "=>", m.new_line)
        return
    if not TCC:
        print("mutants: faster with tcc: apt-get install tcc")
    built = {(header, mode): built_in(mode, header)
             for header in HEADERS for mode in HEADERS[header]}
    tests = stamp(*map(read, TESTS + glob.glob("tests/quality/m*.py")))
    bloom = meaning(SOURCES[BLOOM])     # which the companions include
    stamps = {header: stamp(bloom.encode(), meaning(SOURCES[header]).encode())
              for header in HEADERS}
    results = load(stamps.values(), tests)
    tasks = [(m, modes_of(built, m)) for m in mine if m.id not in results]
    random.Random(seed).shuffle(tasks)      # interrupted: still a fair sample
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    prepare_all(set().union(*(modes for _, modes in tasks)), jobs)
    header_of = {m.id: m.header for m in mine}
    with open(RESULTS, "a") as log, multiprocessing.Pool(jobs) as pool:
        for number, result in pool.imap_unordered(judge, tasks):
            results[number] = result
            log.write(" ".join((stamps[header_of[number]], tests, number,
                                result)) + "\n")
            log.flush()
    sys.exit(report([(m, results[m.id]) for m in mine], len(everything)) < LEAST)


TESTS = (["tests/modes.txt", "tests/test.c", "tests/headers.h", "tests/inside.h",
          "tests/layouts.h", "tests/random.h", "tests/quality/reached.h"]
         + sorted(glob.glob("tests/unit/*")))
SOURCES = {header: read(header).decode() for header in HEADERS}
if __name__ == "__main__":
    main()
