// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulated_disk.h"

#include <algorithm>

#include "util/io/path_names.h"

namespace tamis {

namespace {

using Node = SimulatedDisk::Node;
using NodePtr = SimulatedDisk::NodePtr;

NodePtr NewDirectory() {
  auto node = std::make_shared<Node>();
  node->is_directory = true;
  return node;
}

// The part of the tree that survives. A file with two names survives as one
// file.
class Survivors {
 public:
  Survivors(CrashStyle style, Random* luck) : style_(style), luck_(*luck) {}

  NodePtr Directory(const Node& directory) {
    NodePtr survivor = NewDirectory();
    for (const auto& [name, node] : directory.durable) {
      survivor->durable[name] =
          node->is_directory ? Directory(*node) : File(node);
    }
    survivor->visible = survivor->durable;
    return survivor;
  }

 private:
  NodePtr File(const NodePtr& file) {
    NodePtr& survivor = files_[file];
    if (survivor != nullptr) return survivor;
    survivor = std::make_shared<Node>();
    survivor->bytes = Bytes(*file);
    survivor->synced = survivor->bytes.size();
    return survivor;
  }
  std::string Bytes(const Node& file) {
    const bool truncated = style_ == CrashStyle::kKeepAll ||
                           (luck_.OneIn(2) && style_ != CrashStyle::kDropAll);
    if (file.before_truncation.has_value() && !truncated) {
      return *file.before_truncation;
    }
    std::string left = SurvivingBytes(file.bytes, file.synced, style_, &luck_);
    if (left.size() < file.reserved && style_ != CrashStyle::kDropAll &&
        luck_.OneIn(2)) {
      left.resize(file.reserved);
    }
    return left;
  }

  const CrashStyle style_;
  Random& luck_;
  std::map<NodePtr, NodePtr> files_;
};

}  // namespace

SimulatedDisk::SimulatedDisk() : root_(NewDirectory()) {}

NodePtr SimulatedDisk::Find(const std::string& path) const {
  NodePtr node = root_;
  for (const std::string& name : PathNames(path)) {
    const auto found = node->visible.find(name);
    if (found == node->visible.end()) return nullptr;
    node = found->second;
  }
  return node;
}

Result<NodePtr> SimulatedDisk::FindFile(const std::string& path) const {
  NodePtr node = Find(path);
  if (node == nullptr) return Status::PathNotFound(path, "no such file");
  if (node->is_directory) return Status::IOError(path, "is a directory");
  return node;
}

Result<NodePtr> SimulatedDisk::FindDirectory(const std::string& path) const {
  NodePtr node = Find(path);
  if (node == nullptr) return Status::PathNotFound(path, "no such directory");
  if (!node->is_directory) return Status::IOError(path, "is not a directory");
  return node;
}

Result<SimulatedDisk::Entry> SimulatedDisk::Locate(
    const std::string& path) const {
  const std::vector<std::string> names = PathNames(path);
  if (names.empty()) return Status::IOError(path, "is the root");
  NodePtr directory = root_;
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    const auto found = directory->visible.find(names[i]);
    if (found == directory->visible.end() || !found->second->is_directory) {
      return Status::PathNotFound(path, "no such directory");
    }
    directory = found->second;
  }
  return Entry(directory, names.back());
}

void SimulatedDisk::Apply(Operation operation) {
  for (const Change& change : operation) {
    const auto& [directory, name] = change.entry;
    if (change.node == nullptr) {
      directory->visible.erase(name);
    } else {
      directory->visible[name] = change.node;
    }
  }
  log_.push_back(std::move(operation));
}

Result<NodePtr> SimulatedDisk::FindOrCreate(const std::string& path) {
  if (Find(path) != nullptr) return FindFile(path);
  Result<Entry> entry = Locate(path);
  if (!entry.ok()) return entry.status();
  auto file = std::make_shared<Node>();
  Apply({{*entry, file}});
  return file;
}

Status SimulatedDisk::RemoveFile(const std::string& path) {
  TAMIS_RETURN_IF_ERROR(FindFile(path).status());
  const Result<Entry> entry = Locate(path);
  TAMIS_RETURN_IF_ERROR(entry.status());
  Apply({{*entry, nullptr}});
  return Status::OK();
}

Status SimulatedDisk::Rename(const std::string& from, const std::string& to) {
  const NodePtr node = Find(from);
  if (node == nullptr) return Status::PathNotFound(from, "no such file");
  const Result<Entry> source = Locate(from);
  TAMIS_RETURN_IF_ERROR(source.status());
  const Result<Entry> target = Locate(to);
  TAMIS_RETURN_IF_ERROR(target.status());
  const NodePtr replaced = Find(to);
  if (replaced == node) return Status::OK();
  if (replaced != nullptr && replaced->is_directory) {
    return Status::IOError(from, "rename to " + to + ": is a directory");
  }
  Apply({{*source, nullptr}, {*target, node}});
  return Status::OK();
}

Status SimulatedDisk::Link(const std::string& from, const std::string& to) {
  const Result<NodePtr> node = FindFile(from);
  TAMIS_RETURN_IF_ERROR(node.status());
  const Result<Entry> target = Locate(to);
  TAMIS_RETURN_IF_ERROR(target.status());
  if (Find(to) != nullptr) {
    return Status::IOError(from, "link to " + to + ": the name exists");
  }
  Apply({{*target, *node}});
  return Status::OK();
}

Status SimulatedDisk::CreateDirectory(const std::string& path) {
  if (Find(path) != nullptr) return FindDirectory(path).status();
  const Result<Entry> entry = Locate(path);
  TAMIS_RETURN_IF_ERROR(entry.status());
  Apply({{*entry, NewDirectory()}});
  return Status::OK();
}

Status SimulatedDisk::RemoveDirectory(const std::string& path) {
  const Result<NodePtr> directory = FindDirectory(path);
  TAMIS_RETURN_IF_ERROR(directory.status());
  if (!(*directory)->visible.empty()) {
    return Status::IOError(path, "remove directory: it is not empty");
  }
  const Result<Entry> entry = Locate(path);
  TAMIS_RETURN_IF_ERROR(entry.status());
  Apply({{*entry, nullptr}});
  return Status::OK();
}

void SimulatedDisk::Truncate(Node* file) {
  if (file->synced > 0 && !file->before_truncation.has_value()) {
    file->before_truncation = file->bytes.substr(0, file->synced);
  }
  file->bytes.clear();
  file->synced = 0;
  file->reserved = 0;
  file->sync_failed = false;
}

void SimulatedDisk::Shorten(Node* file, size_t size) {
  TAMIS_CHECK(size <= file->bytes.size());
  file->bytes.resize(size);
  file->synced = std::min(file->synced, size);
  file->reserved = 0;
  file->before_truncation.reset();
}

uint64_t SimulatedDisk::CountNames(const Node& file) const {
  uint64_t names = 0;
  std::vector<const Node*> directories{root_.get()};
  while (!directories.empty()) {
    const Node* const directory = directories.back();
    directories.pop_back();
    for (const auto& [name, node] : directory->visible) {
      if (node.get() == &file) ++names;
      if (node->is_directory) directories.push_back(node.get());
    }
  }
  return names;
}

void SimulatedDisk::SyncFile(Node* file) {
  if (file->sync_failed) return;
  file->synced = file->bytes.size();
  file->reserved = 0;
  file->before_truncation.reset();
}

bool SimulatedDisk::Touches(const Operation& operation,
                            const std::set<Entry>& entries) {
  return std::ranges::any_of(operation, [&entries](const Change& change) {
    return entries.contains(change.entry);
  });
}

void SimulatedDisk::MakeDurable(const Operation& operation) {
  for (const Change& change : operation) {
    const auto& [directory, name] = change.entry;
    if (change.node == nullptr) {
      directory->durable.erase(name);
    } else {
      directory->durable[name] = change.node;
    }
  }
}

Status SimulatedDisk::SyncDirectory(const std::string& path) {
  const Result<NodePtr> directory = FindDirectory(path);
  TAMIS_RETURN_IF_ERROR(directory.status());
  // The entries on the path to the directory.
  std::set<Entry> needed;
  NodePtr above = root_;
  for (const std::string& name : PathNames(path)) {
    needed.emplace(above, name);
    above = above->visible.at(name);
  }
  // From newest to oldest: syncing an operation requires all older operations
  // on its entries.
  std::vector<bool> synced(log_.size());
  for (size_t i = log_.size(); i-- > 0;) {
    synced[i] = Touches(log_[i], needed) ||
                std::ranges::any_of(log_[i], [&](const Change& change) {
                  return change.entry.first == *directory;
                });
    if (!synced[i]) continue;
    for (const Change& change : log_[i]) needed.insert(change.entry);
  }
  std::vector<Operation> rest;
  for (size_t i = 0; i < log_.size(); ++i) {
    if (synced[i]) {
      MakeDurable(log_[i]);
    } else {
      rest.push_back(std::move(log_[i]));
    }
  }
  log_ = std::move(rest);
  return Status::OK();
}

void SimulatedDisk::Restart(uint64_t seed, CrashStyle style) {
  Random luck(seed);
  // Some power failures lose the whole log, some lose nothing.
  const uint64_t mood = luck.Uniform(4);
  const bool all = style == CrashStyle::kKeepAll ||
                   (mood == 0 && style != CrashStyle::kDropAll);
  const bool none = style == CrashStyle::kDropAll || mood == 1;
  std::set<Entry> blocked;
  for (const Operation& operation : log_) {
    const bool lucky = all || (!none && luck.OneIn(2));
    if (lucky && !Touches(operation, blocked)) {
      MakeDurable(operation);
    } else {
      for (const Change& change : operation) blocked.insert(change.entry);
    }
  }
  log_.clear();
  root_ = Survivors(style, &luck).Directory(*root_);
}

}  // namespace tamis
