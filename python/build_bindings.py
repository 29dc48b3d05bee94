# SPDX-License-Identifier: Apache-2.0
"""Compiles tamis/_bindings, which calls the C API.

    python3 build_bindings.py <folder of tamis/> <folder of libtamis> [--rpath]

With --rpath, libtamis is found there when the package is imported; otherwise
where the system finds libraries. The package is the one beside this file.

The declarations are those of tamis/c.h: of every function that the package
names, and the types. What the header does not have, fails here.
"""

import pathlib
import re
import sys

import cffi

HERE = pathlib.Path(__file__).resolve().parent


def declarations(header: str, names: set[str]) -> str:
    """Returns the declarations of the functions, and of all opaque types."""
    text = re.sub(r"//[^\n]*", "", header)
    statements = [s.strip() for s in re.sub(r"(?m)^#.*$", "", text).split(";")]
    types = [s for s in statements if re.match(r"typedef struct \w+\s+\w+$", s)]
    functions = {}
    for statement in statements:
        found = re.search(r"TAMIS_C_API\s+((?:.|\n)*)$", statement)
        if found is None:
            continue
        declared = re.search(r"\b(tamis_\w+)\s*\(", found.group(1))
        if declared is not None:
            functions[declared.group(1)] = found.group(1)
    missing = names - functions.keys()
    if missing:
        raise SystemExit(f"tamis/c.h does not declare: {', '.join(sorted(missing))}")
    return ";\n".join(types + [functions[n] for n in sorted(names)]) + ";\n"


def main(include: pathlib.Path, library: pathlib.Path, rpath: bool) -> None:
    sources = (HERE / "tamis").glob("*.py")
    names = {n for s in sources for n in re.findall(r"\blib\.(tamis_\w+)", s.read_text())}
    header = (include / "tamis" / "c.h").read_text()
    builder = cffi.FFI()
    builder.cdef(declarations(header, names))
    builder.set_source(
        "tamis._bindings",
        "#include <tamis/c.h>",
        include_dirs=[str(include)],
        library_dirs=[str(library)],
        libraries=["tamis"],
        extra_compile_args=["-O2"],
        extra_link_args=[f"-Wl,-rpath,{library}"] if rpath else [],
    )
    builder.compile(tmpdir=str(HERE), verbose=False)


if __name__ == "__main__":
    rpath = sys.argv[3:] == ["--rpath"]
    if len(sys.argv) != (4 if rpath else 3):
        raise SystemExit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), rpath)
