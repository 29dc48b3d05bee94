// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "util/base/random.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

// Calls take(line, number) for each line that is not empty.
Status ForEachLine(
    const std::string& path,
    const std::function<void(const std::string&, uint64_t)>& take) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status::IOError(path, "cannot be opened");
  std::string line;
  for (uint64_t number = 1; std::getline(in, line); number++) {
    if (!line.empty()) take(line, number);
  }
  if (in.bad()) return Status::IOError(path, "cannot be read");
  return Status::OK();
}

// Sorted regular files in the folder and, if `deep`, below it.
Result<std::vector<std::string>> FilesIn(const std::string& folder, bool deep) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (!deep) it.disable_recursion_pending();
    std::error_code ignored;
    if (it->is_regular_file(ignored)) files.push_back(it->path().string());
  }
  if (error) return Status::IOError(folder, error.message());
  std::sort(files.begin(), files.end());
  return files;
}

void Shuffle(std::vector<Lookup>* items, uint64_t seed) {
  Random random(seed);
  for (size_t i = items->size(); i > 1; i--) {
    std::swap((*items)[i - 1], (*items)[random.Uniform(i)]);
  }
}

std::string OwnerOf(const std::string& list_file) {
  const std::string stem = fs::path(list_file).stem().string();
  return stem.substr(0, stem.find(':'));
}

}  // namespace

Result<Corpus> ReadPackageLists(const std::string& directory) {
  Result<std::vector<std::string>> files = FilesIn(directory, false);
  if (!files.ok()) return files.status();
  Corpus corpus;
  size_t packages = 0;
  for (const std::string& file : *files) {
    if (fs::path(file).extension() != ".list") continue;
    packages++;
    const std::string owner = OwnerOf(file);
    TAMIS_RETURN_IF_ERROR(
        ForEachLine(file, [&](const std::string& path, uint64_t) {
          corpus.entries[path] = owner;
        }));
  }
  corpus.name =
      "the file lists of " + std::to_string(packages) + " installed packages";
  return corpus;
}

Result<Corpus> ReadTextCorpus(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    Result<std::vector<std::string>> inside = FilesIn(path, true);
    if (!inside.ok()) return inside.status();
    files.insert(files.end(), inside->begin(), inside->end());
  }
  Corpus corpus;
  for (const std::string& file : files) {
    TAMIS_RETURN_IF_ERROR(
        ForEachLine(file, [&](const std::string& line, uint64_t number) {
          corpus.entries[line] = file + ":" + std::to_string(number);
        }));
  }
  corpus.name = "the lines of " + std::to_string(files.size()) + " file(s)";
  return corpus;
}

std::vector<std::string> AbsentKeys(const Corpus& corpus, uint64_t seed) {
  constexpr std::string_view kEndings = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::vector<std::string> absent;
  if (corpus.entries.empty()) return absent;
  const std::string& last = corpus.entries.rbegin()->first;
  std::set<std::string> taken;
  Random random(seed);
  // Some keys yield none: the last one, and those whose successors use every
  // ending. A few more rounds over the others compensate.
  const size_t wanted = corpus.entries.size();
  for (int round = 0; round < 4 && absent.size() < wanted; round++) {
    for (const auto& [key, value] : corpus.entries) {
      if (absent.size() == wanted) break;
      std::string candidate = key + kEndings[random.Uniform(kEndings.size())];
      if (corpus.entries.contains(candidate) || candidate >= last) continue;
      if (taken.insert(candidate).second) absent.push_back(candidate);
    }
  }
  return absent;
}

std::vector<Lookup> PresentLookups(const Corpus& corpus, uint64_t seed) {
  std::vector<Lookup> lookups;
  lookups.reserve(corpus.entries.size());
  for (const auto& [key, value] : corpus.entries) {
    lookups.push_back({&key, &value});
  }
  Shuffle(&lookups, seed);
  return lookups;
}

std::vector<Lookup> AbsentLookups(const std::vector<std::string>& absent,
                                  uint64_t seed) {
  std::vector<Lookup> lookups;
  lookups.reserve(absent.size());
  for (const std::string& key : absent) lookups.push_back({&key, nullptr});
  Shuffle(&lookups, seed);
  return lookups;
}

}  // namespace tamis
