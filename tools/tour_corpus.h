// SPDX-License-Identifier: Apache-2.0
//
// What the tour loads: keys and values out of real files.
//
//   the installed packages' file lists   path → owning package
//   text files and folders of them       line → "file:line number"
//
// And what it asks for: these keys, and absent ones that lie among them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "util/base/result.h"

namespace tamis {

struct Corpus {
  std::string name;  // for people
  // In bytewise order; where a key occurs twice, the last one's value.
  std::map<std::string, std::string> entries;
};

// dpkg's *.list files in `directory`: a path a line; the owner is the file's
// name without ".list" and ":architecture".
Result<Corpus> ReadPackageLists(const std::string& directory);

// Every file named, and every regular file in every folder named, in the order
// of their paths. Empty lines are no keys.
Result<Corpus> ReadTextCorpus(const std::vector<std::string>& paths);

// As many as there are entries where that can be, each an existing key plus
// one byte, none present, none behind the last key. The same seed gives the
// same keys.
std::vector<std::string> AbsentKeys(const Corpus& corpus, uint64_t seed);

// A key to write or to ask for. Points into a corpus, or into its absent keys.
struct Question {
  const std::string* key;
  const std::string* answer;  // nullptr: the key is absent
};

// One question a key, shuffled. The same seed gives the same order.
std::vector<Question> PresentQuestions(const Corpus& corpus, uint64_t seed);
std::vector<Question> AbsentQuestions(const std::vector<std::string>& absent,
                                      uint64_t seed);

}  // namespace tamis
