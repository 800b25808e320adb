#!/usr/bin/env python3
"""Holds the promise about versions: within one major version, no public name,
parameter, option, macro, file or option of the command goes or changes. Part of
`make symbols`.

public.txt has what the last version declared. Each of its lines must still be
there; a new line is no mistake. Parameters count by type and order, those of
Python by name. A line whose product was deleted is skipped. After a release,
`make public` writes the list anew. It ends with "N passed, N failed".

usage: MAKE=.. public.py [print]      needs build/libbloom.so and nm
    print   prints the list of this tree
"""
import ast
import glob
import os
import re
import shutil
import subprocess
import sys

LIST = "tests/public.txt"
COMPANIONS = "examples/companions/"
CPP, PYTHON, COMMAND = ("examples/cpp/bloom.hpp", "examples/python/bloom.py",
                        "examples/command")
INSTALLERS = COMMAND, "examples/cmake", "examples/cpp"  # what they install


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout


# ---- C and C++, by their text ------------------------------------------------

def bare(source):
    """The source without comments, each directive on one line"""
    source = re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.S)
    return source.replace("\\\n", " ")


def matching(text, start):
    """The offset after the bracket that closes the one at start"""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i + 1
    return len(text)


def declarations(text):
    """(head, body) of each declaration at the top level of this text"""
    at, start = 0, 0
    while at < len(text):
        if text[at] in "([":
            at = matching(text, at)
        elif text[at] == "{":
            end = matching(text, at)
            head = text[start:at]
            if re.search(r"\b(struct|enum|class|union)\b[^()]*$", head):
                close = text.find(";", end)
                yield head + "{}" + text[end:close], text[at + 1:end - 1]
                end = close + 1
            else:
                yield head, text[at + 1:end - 1]
            at = start = end
        elif text[at] == ";":
            yield text[start:at], ""
            at = start = at + 1
        else:
            at += 1


def tidy(text):
    text = re.sub(r"\s*([(),]|[*&]+)\s*", r"\1", " ".join(text.split()))
    return re.sub(r"([*&]+)", r" \1", text).replace(",", ", ")


def parts(text):
    """The text, split at the commas that are in no brackets"""
    found, start, at = [], 0, 0
    while at < len(text):
        if text[at] in "([{<":
            depth = 0
            while at < len(text):
                depth += (text[at] in "([{<") - (text[at] in ")]}>")
                at += 1
                if depth == 0:
                    break
            continue
        if text[at] == ",":
            found.append(text[start:at])
            start = at + 1
        at += 1
    return found + [text[start:]]


def kind(parameter):
    """The type of a parameter without its name. A default value is "= .."."""
    given = re.split(r"=(?!=)", parameter, maxsplit=1)
    text = tidy(given[0])
    text = re.sub(r"([\s*&>])[A-Za-z_]\w*((\[[^]]*\])*)$", r"\1\2", text)
    return text.strip() + (" = .." if len(given) > 1 else "")


def function(head):
    """The name and the declaration, or nothing if it is no public function"""
    match = re.match(r"(.*?\b(operator\s*(?:\(\)|\W+|[\w\s*]+)|~?\w+)\s*)\(", head,
                     re.S)
    if not match:
        return None
    close = matching(head, match.end() - 1)
    parameters = [kind(p) for p in parts(head[match.end():close - 1])]
    rest = re.match(r"\s*const\b", head[close:])
    return tidy(match.group(2)), "%s(%s)%s" % (
        tidy(match.group(1)), ", ".join(parameters), " const" if rest else "")


PRIVATE = re.compile(r"\bBLOOM(?:PP)?_\w*_(?:\([^)]*\))?\s|\bBLOOM_API\s"
                     r"|\bBLOOMPP_(?:USE|ANSWER)\s|\binline\s|\bfriend\s[^;]*")


def header(name):
    """What a C header declares before its code"""
    source = bare(read(name))
    guard = re.search(r"#ifndef (BLOOM_\w*H)\n#define \1\n", source)
    tests = re.findall(r"#\s*(?:if|ifdef|ifndef|elif)\b.*", source)
    options = set(re.findall(r"\bBLOOM_[A-Z0-9_]*[A-Z0-9]\b", " ".join(tests)))
    source = source[:source.index("BLOOM_IMPLEMENTATION_DONE_", guard.end())
                    if guard.group(1) == "BLOOM_H" else len(source)]
    end = re.search(r"#ifdef __cplusplus\s*\n\}\n#endif", source)
    macros = re.findall(r"#\s*define (BLOOM_[A-Z0-9_]*[A-Z0-9]\b(?:\([^)]*\))?)",
                        source)
    options -= {guard.group(1), "BLOOM_VERSION"}
    yield from ("option " + o for o in options)
    yield from ("#define " + m for m in set(macros) - options - {guard.group(1)})
    text = re.sub(r"^\s*#.*$", "", source[guard.end():end.start()], flags=re.M)
    text = text.replace('extern "C" {', "")
    for head, body in declarations(text):
        head = PRIVATE.sub("", head + " ").strip()
        if re.search(r"\benum\b", head):
            value = -1
            for part in parts(body):
                word, _, given = part.partition("=")
                value = int(given, 0) if given.strip() else value + 1
                yield "%s = %d" % (word.strip(), value)
            yield tidy(head)
        elif head.startswith("typedef"):
            yield tidy(head.replace("{}", "{" + body + "}"))
        elif function(head) and not function(head)[0].endswith("_"):
            yield function(head)[1]


def classes_of(text):
    """{class: (its bases, (name, declaration) of its public members)}"""
    found = {}
    for head, body in declarations(text):
        match = re.search(r"\b(class|struct)\s+(?:BLOOMPP_\w+\s+)?(\w+)\s*"
                          r"(?::([^{]*))?\{\}$", head.strip())
        if not match:
            continue
        public, members = match.group(1) == "struct", []
        for member, _ in declarations(body):
            labels = re.findall(r"\b(public|protected|private)\s*:(?!:)", member)
            if labels:
                public = labels[-1] == "public"
            member = re.sub(r"^.*\b(public|protected|private)\s*:(?!:)", "", member,
                            flags=re.S)
            told = public and function(PRIVATE.sub("", member))
            if told and not told[0].endswith("_"):
                members.append(told)
        bases = re.findall(r"(\w+)(?:<[^{]*?>)?\s*(?:,|$)", match.group(3) or "")
        found[match.group(2)] = bases, members, match.group(1) == "class"
    return found


def inherited(name, classes):
    bases, members = classes[name][:2]
    for base in bases:
        if base in classes:
            yield from (m for m in inherited(base, classes) if m[0] != base)
    yield from members


def cpp():
    """The public members of each class, and the functions that its documents
    name"""
    whole = read(CPP)
    source = re.sub(r"^\s*#.*$", "", bare(whole), flags=re.M)
    body = source[source.index("namespace bloompp {") + 19:]
    classes = classes_of(body)
    documents = whole + read("examples/cpp/README.md")
    for name in classes:
        if classes[name][2]:                # a struct is a part of classes
            yield "class " + name
            for _, told in inherited(name, classes):
                yield "%s: %s" % (name, told)
    for head, _ in declarations(body):
        told = function(PRIVATE.sub("", head))
        if told and (told[0].startswith("operator")
                     or re.search(r"bloompp::%s\b" % told[0], documents)):
            yield told[1]


# ---- Python, the command, the library, files ----------------------------------

def python():
    tree = ast.parse(read(PYTHON))
    classes = {c.name: c for c in tree.body if isinstance(c, ast.ClassDef)}
    public = next(ast.literal_eval(node.value) for node in tree.body
                  if isinstance(node, ast.Assign)
                  and node.targets[0].id == "__all__")

    def members(name):
        for base in classes[name].bases:
            if getattr(base, "id", "") in classes:
                yield from members(base.id)
        for part in classes[name].body:
            if isinstance(part, ast.FunctionDef) and (
                    part.name[0] != "_" or part.name.endswith("__")):
                for node in ast.walk(part.args):
                    if isinstance(node, ast.arg):
                        node.annotation = None
                yield "%s(%s)%s" % (part.name, ast.unparse(part.args), "".join(
                    " @" + ast.unparse(d) for d in part.decorator_list))

    for name in public:
        yield name
        if name in classes:
            yield from {m.split("(")[0]: "%s.%s" % (name, m)
                        for m in members(name)}.values()
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in public:
            yield ast.unparse(node)


def command():
    for verb in re.findall(r"^  bloom (\w+) ", said("build/bloom", "--help"),
                           re.M):
        yield verb
        text = said("build/bloom", "help", verb)
        for option in re.findall(r"^  (-\S+(?: [A-Z]\S*)?)(?:  |$)", text, re.M):
            yield verb + " " + option


def library():
    """library.sh tells that all functions of the headers are exported"""
    exported = said("nm", "-D", "--defined-only", "build/libbloom.so")
    for prefix, name in re.findall(r" [A-Z] ((?:BLOOM_\w+_)?)(bloom_\w+)", exported):
        yield prefix + "bloom_.." if name != "bloom_version" else name
    yield "soname " + re.search(r"\[(libbloom.*)\]", said(
        "readelf", "-d", "build/libbloom.so")).group(1)


def files():
    stage = os.path.abspath("build/public")
    shutil.rmtree(stage, ignore_errors=True)
    said(*os.environ.get("MAKE", "make -s").split(), "install", "PREFIX=",
         "DESTDIR=" + stage)
    for folder, _, names in os.walk(stage):
        for name in names:
            if not name.endswith(".so"):    # modules that were built before
                yield os.path.relpath(os.path.join(folder, name), stage)


def now():
    """The list of this tree"""
    headers = ["bloom.h"] + sorted(glob.glob(COMPANIONS + "*.h"))
    kinds = [(os.path.basename(h), lambda h=h: header(h)) for h in headers]
    kinds += [("bloom.hpp", cpp)] * os.path.exists(CPP)
    kinds += [("bloom.py", python)] * os.path.exists(PYTHON)
    kinds += [("command", command)] * os.path.exists(COMMAND)
    kinds += [("libbloom", library)]
    kinds += [("file", files)] * all(map(os.path.exists, INSTALLERS))
    return {name: sorted(set(find())) for name, find in kinds}


def version(text):           # the major one
    return re.search(r"bloom\.h (\d+)", text).group(1)


def main():
    lists = now()
    if sys.argv[1:] == ["print"]:
        print("# What bloom.h %s declares: `make public` writes this list, and "
              "public.py reads it" % version(read("bloom.h")))
        for name, lines in lists.items():
            print("\n".join("%s: %s" % (name, line) for line in lines))
        return
    passed = failed = 0
    old = read(LIST).splitlines()
    if version(old[0]) != version(read("bloom.h")):
        print("FAILED: %s is of another major version. Read what goes, by `git "
              "diff` after `make public`" % LIST)
        failed += 1
        old = old[:1]
    for line in old[1:]:
        name, _, words = line.partition(": ")
        if name not in lists:
            continue
        if words in lists[name]:
            passed += 1
        else:
            failed += 1
            print("FAILED: %s has no longer: %s" % (name, words))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
