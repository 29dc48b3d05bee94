// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/names.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace tamis::writeback {

bool Names::Note(const std::string& line) {
  std::istringstream in(line);
  std::string what;
  std::string first;
  std::string second;
  in >> what >> first >> second;
  Change change;
  if (what == "create") {
    change = {EditOf(second, std::stoull(first))};
  } else if (what == "mkdir") {
    change = {EditOf(first, next_directory_++)};
  } else if (what == "link") {
    change = {EditOf(second, Find(first))};
  } else if (what == "rename") {
    change = {EditOf(first, 0), EditOf(second, Find(first))};
  } else if (what == "remove") {
    change = {EditOf(first, 0)};
  } else if (what == "sync") {
    Sync(Find(first));
    return Find(first) >= kDirectory;
  }
  const bool fits =
      !change.empty() && (what == "remove" || change.back().number != 0) &&
      std::all_of(change.begin(), change.end(),
                  [](const Edit& edit) { return edit.directory != 0; });
  Apply(change, &now_);
  pending_.push_back(std::move(change));
  return fits;
}

void Names::Settle() {
  durable_ = now_;
  pending_.clear();
}

// A change survives together with the earlier changes of its directories,
// because a journal does not reorder changes of one directory.
void Names::Sync(uint64_t directory) {
  std::set<uint64_t> synced = {directory};
  std::vector<Change> durable;
  std::vector<Change> pending;
  for (auto change = pending_.rbegin(); change != pending_.rend(); ++change) {
    const bool is_synced = std::any_of(
        change->begin(), change->end(),
        [&](const Edit& edit) { return synced.count(edit.directory) != 0; });
    if (is_synced) {
      for (const Edit& edit : *change) synced.insert(edit.directory);
    }
    (is_synced ? durable : pending).push_back(std::move(*change));
  }
  std::reverse(pending.begin(), pending.end());
  pending_ = std::move(pending);
  for (auto change = durable.rbegin(); change != durable.rend(); ++change) {
    Apply(*change, &durable_);
  }
}

Names::Paths Names::AfterPowerCut(Random* luck) const {
  Tree left = durable_;
  const uint64_t share = luck->Uniform(17);  // of 16: none to all
  const bool in_order = luck->OneIn(2);
  const uint64_t first = luck->Uniform(pending_.size() + 1);
  for (uint64_t i = 0; i < pending_.size(); ++i) {
    if (in_order ? i < first : luck->Uniform(16) < share) {
      Apply(pending_[i], &left);
    }
  }
  return PathsIn(left);
}

void Names::Apply(const Change& change, Tree* tree) {
  for (const Edit& edit : change) {
    auto& names = (*tree)[edit.directory];
    if (edit.number == 0) {
      names.erase(edit.name);
    } else {
      names[edit.name] = edit.number;
    }
  }
}

Names::Paths Names::PathsIn(const Tree& tree) {
  Paths paths;
  std::vector<std::pair<std::string, uint64_t>> open = {{"", kDirectory}};
  while (!open.empty()) {
    const auto [above, directory] = open.back();
    open.pop_back();
    const auto names = tree.find(directory);
    if (names == tree.end()) continue;
    for (const auto& [name, number] : names->second) {
      const std::string path = above + name;
      paths[path] = std::min(number, kDirectory);
      if (number > kDirectory) open.emplace_back(path + "/", number);
    }
  }
  return paths;
}

uint64_t Names::Find(const std::string& path) const {
  if (path == ".") return kDirectory;
  const Edit edit = EditOf(path, 0);
  const auto names = now_.find(edit.directory);
  if (names == now_.end()) return 0;
  const auto found = names->second.find(edit.name);
  return found == names->second.end() ? 0 : found->second;
}

Names::Edit Names::EditOf(const std::string& path, uint64_t number) const {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {kDirectory, path, number};
  return {Find(path.substr(0, slash)), path.substr(slash + 1), number};
}

}  // namespace tamis::writeback
