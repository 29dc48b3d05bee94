// SPDX-License-Identifier: Apache-2.0
//
// make_corpus <recorded data> <out>: writes out/<target>/<name>, the inputs
// that fuzz targets start from (corpus.h). They are parts of real files: of
// recorded tables and directories of other engines, and of tables and a
// database made here.
#include <cstdio>
#include <filesystem>

#include "tests/fuzz/corpus.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: make_corpus <recorded data> <out>\n");
    return 2;
  }
  const std::filesystem::path golden =
      std::filesystem::path(argv[1]) / "golden";
  tamis::Corpus corpus(argv[2]);
  tamis::AddTables(&corpus, golden);
  tamis::AddDatabases(&corpus, golden);
  tamis::AddInputs(&corpus);
  corpus.Report();
  return 0;
}
