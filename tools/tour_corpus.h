// SPDX-License-Identifier: Apache-2.0
//
// The data of the tour: keys and values from real files, and absent keys in
// between.
//
//   the installed packages' file lists   path → owning package
//   text files and folders of them       line → "file:line number"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "util/base/result.h"

namespace tamis {

struct Corpus {
  std::string name;  // for people
  // In bytewise order. Of a repeated key, the last value.
  std::map<std::string, std::string> entries;
};

// dpkg's *.list files in `directory`, with one path per line. The owner is the
// file name without ".list" and ":architecture".
Result<Corpus> ReadPackageLists(const std::string& directory);

// All files named, and all regular files in the folders named, by path. Skips
// empty lines.
Result<Corpus> ReadTextCorpus(const std::vector<std::string>& paths);

// Returns up to as many keys as there are entries. Each is an existing key plus
// one byte, is absent, and is below the last key. The same seed yields the same
// keys.
std::vector<std::string> AbsentKeys(const Corpus& corpus, uint64_t seed);

// A key to write or look up. Points into a corpus or its absent keys.
struct Lookup {
  const std::string* key;
  const std::string* answer;  // nullptr: absent
};

// One lookup per key, shuffled. The same seed yields the same order.
std::vector<Lookup> PresentLookups(const Corpus& corpus, uint64_t seed);
std::vector<Lookup> AbsentLookups(const std::vector<std::string>& absent,
                                  uint64_t seed);

}  // namespace tamis
