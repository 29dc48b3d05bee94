#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Doxygen's input filter: prints a header with // comments as Doxygen's.

What a comment stands for in the headers:

* The one that opens the file: the first class without a comment of its own, or,
  if there is none, the first such function.
* Another one: the declarations that follow, up to the next comment or empty
  line; in an enumeration, the value that follows.
* One after a declaration, on its line: that declaration.
"""
import re
import sys

SCOPE = re.compile(r'(class|struct|union|enum|namespace|extern "C")\b')
FORWARD = re.compile(r"(class|struct|union|enum class) \w+;")
ACCESS = re.compile(r"(public|private|protected):")
TRAILING = re.compile(r"([;{,}]) +// (?!namespace|extern)")


def code_of(line):
    """The line without its comment and what stands between quotes."""
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    return re.sub(r"//.*", "", line).rstrip()


def pieces(lines):
    """Yields (kind, lines): comment, empty, scope, declaration, value, other."""
    comment = []
    at = 0
    while at < len(lines):
        line = lines[at]
        text = line.strip()
        at += 1
        if text.startswith("// NOLINT"):
            continue
        if text.startswith("//"):
            comment.append(line)
            continue
        if comment:
            yield "comment", comment
            comment = []
        if text == "":
            yield "empty", [line]
        elif text[0] == "#":
            begin = at - 1
            while lines[at - 1].endswith("\\"):
                at += 1
            yield "other", lines[begin:at]
        elif text[0] == "}" or ACCESS.match(text) or FORWARD.match(text):
            yield "other", [line]
        elif SCOPE.match(text):
            begin = at - 1
            while not code_of(lines[at - 1]).endswith(("{", ";", "}")):
                at += 1
            yield ("scope" if code_of(lines[at - 1]).endswith("{") else
                   "declaration"), lines[begin:at]
        else:
            begin = at - 1
            depth = depth_of(line)
            # The last name of an enumeration has nothing after it.
            while not (depth == 0 and
                       (code_of(lines[at - 1]).endswith((";", "}", ",")) or
                        lines[at].strip().startswith("}"))):
                depth += depth_of(lines[at])
                at += 1
            yield ("declaration" if code_of(lines[at - 1]).endswith((";", "}"))
                   else "value"), lines[begin:at]


def depth_of(line):
    """How many brackets the line opens and does not close."""
    code = code_of(line)
    return (sum(code.count(c) for c in "{(") - sum(code.count(c) for c in "})"))


def as_doxygen(comment):
    """The comment as one of Doxygen's, in which no character means anything."""
    return [re.sub(r"([\\<@#])", r"\\\1", line.replace("//", "///", 1))
            for line in comment]


def documented(lines):
    first = next(i for i, line in enumerate(lines) if line.startswith("#pragma"))
    opening = [l for l in lines[:first] if l.startswith("//") and "SPDX" not in l]
    items = list(pieces(lines[first + 1:]))
    yield "/// @file"
    yield from as_doxygen(opening)

    def bare(kind, prefix):
        """Where the first piece without a comment is, at the outermost level."""
        for i, (this, piece) in enumerate(items):
            if this == kind and items[i - 1][0] != "comment" and \
                    re.match(prefix, piece[0]):
                return i
        return None

    opened = bare("scope", "(class|struct) ")
    if opened is None:
        opened = bare("declaration", r"[A-Za-z\[]")
    comment = []
    for i, (kind, piece) in enumerate(items):
        if kind == "comment":
            comment = as_doxygen(piece)
            continue
        if kind in ("empty", "other"):
            if piece[0].startswith("#define"):
                yield from comment
            elif not piece[0].startswith(("#if", "#else", "#endif")):
                comment = []
            yield from piece
            continue
        yield from as_doxygen(opening) if i == opened else comment
        if kind in ("scope", "value"):
            comment = []
        yield from (TRAILING.sub(r"\1 ///< ", line) for line in piece)


def main():
    with open(sys.argv[1], encoding="utf-8") as header:
        print("\n".join(documented(header.read().split("\n"))))


main()
