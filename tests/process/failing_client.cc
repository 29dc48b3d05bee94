// SPDX-License-Identifier: Apache-2.0
#include "tests/process/failing_client.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace tamis::process {

namespace {

using Contents = std::map<std::string, std::string>;

constexpr size_t kOwn = kSharedFamilies;
constexpr uint64_t kKeys = 60;
constexpr uint64_t kMostChanges = 6;    // of a batch
constexpr uint64_t kMostBytes = 400;    // of a value
constexpr uint64_t kFailedWrites = 50;  // whose states are kept

bool IsExplained(const Status& status) {
  const std::string text = status.ToString();
  // No memory for the message either.
  const bool is_mute = status.IsAborted() && status.message().empty();
  return status.IsMemoryLimit() || is_mute ||
         text.find("thrown on purpose") != std::string::npos ||
         text.find("Resource temporarily unavailable") != std::string::npos;
}

// The first difference in words, or nothing.
std::string Difference(const Contents& expected, const Contents& found) {
  for (const auto& [key, value] : expected) {
    const auto at = found.find(key);
    if (at == found.end()) return key + " is missing";
    if (at->second != value) {
      return key + " is " + at->second.substr(0, 20) + ", not " +
             value.substr(0, 20);
    }
  }
  for (const auto& [key, value] : found) {
    if (!expected.contains(key)) return key + " should not be there";
  }
  return "";
}

}  // namespace

FailingClient::FailingClient(size_t index, uint64_t seed)
    : index_(index),
      prefix_("t" + std::to_string(index) + "/k"),
      random_(seed * 31 + index) {}

std::string FailingClient::FamilyName() const {
  return "own" + std::to_string(index_);
}

std::string FailingClient::Judge(const std::string& what,
                                 const Status& status) {
  if (status.ok()) return "";
  ++failed_;
  return IsExplained(status) ? "" : what + ": " + status.ToString();
}

std::string FailingClient::AnyKey() {
  return prefix_ + std::to_string(10 + random_.Uniform(kKeys));
}

size_t FailingClient::AnyFamily() {
  return random_.Uniform(KnowsFamily(kOwn) ? kOwn + 1 : kOwn);
}

FailingClient::Change FailingClient::AnyChange() {
  using Kind = Change::Kind;
  Change change;
  change.family = AnyFamily();
  change.key = AnyKey();
  const uint64_t dice = random_.Uniform(20);
  if (dice == 0) {
    change.kind = Kind::kDeleteRange;
    change.value = AnyKey();
    if (change.value < change.key) std::swap(change.key, change.value);
    return change;
  }
  change.kind = dice < 4 ? Kind::kDelete : dice < 8 ? Kind::kMerge : Kind::kPut;
  if (change.kind != Kind::kDelete) {
    change.value = std::to_string(++values_) + ":";
    change.value.append(random_.Uniform(kMostBytes), 'v');
  }
  return change;
}

void FailingClient::Apply(const Change& change, State* state) {
  auto& family = (*state)[change.family];
  switch (change.kind) {
    case Change::Kind::kPut:
      family[change.key] = change.value;
      return;
    case Change::Kind::kDelete:
      family.erase(change.key);
      return;
    case Change::Kind::kMerge: {
      const auto [at, is_new] = family.try_emplace(change.key, change.value);
      if (!is_new) at->second += "," + change.value;
      return;
    }
    case Change::Kind::kDeleteRange:
      family.erase(family.lower_bound(change.key),
                   family.lower_bound(change.value));
      return;
  }
}

Status FailingClient::Add(const Change& change, WriteBatch* batch) const {
  ColumnFamilyHandle* const family = families_[change.family];
  const Failures::Unpause engine;
  switch (change.kind) {
    case Change::Kind::kPut:
      return batch->Put(family, change.key, change.value);
    case Change::Kind::kDelete:
      return batch->Delete(family, change.key);
    case Change::Kind::kMerge:
      return batch->Merge(family, change.key, change.value);
    case Change::Kind::kDeleteRange:
      return batch->DeleteRange(family, change.key, change.value);
  }
  return Status::InvalidArgument("no such change");
}

std::string FailingClient::Write() {
  WriteBatch batch;
  State after = state_;
  Status status;
  const uint64_t n = 1 + random_.Uniform(kMostChanges);
  for (uint64_t i = 0; i < n && status.ok(); ++i) {
    const Change change = AnyChange();
    status = Add(change, &batch);
    Apply(change, &after);
  }
  if (!status.ok()) return Judge("a batch", status);
  WriteOptions options;
  options.sync = random_.OneIn(10);
  status = Engine([&] { return db_->Write(options, &batch); });
  if (status.ok()) {
    ++acknowledged_;
    state_ = std::move(after);
    possible_.clear();
    return "";
  }
  if (possible_.size() < kFailedWrites) possible_.push_back(std::move(after));
  std::string problem = Judge("a write", status);
  if (problem.empty() && random_.OneIn(2)) {
    problem = Judge("Resume", Engine([&] { return db_->Resume(); }));
  }
  return problem;
}

std::string FailingClient::ReadOne() {
  const size_t family = AnyFamily();
  const std::string key = AnyKey();
  std::string value;
  const Status status =
      Engine([&] { return db_->Get({}, families_[family], key, &value); });
  const auto expected = state_[family].find(key);
  const bool exists = expected != state_[family].end();
  if (status.IsNotFound()) return exists ? "Get finds no " + key : "";
  if (!status.ok()) return Judge("Get", status);
  return exists && value == expected->second ? "" : "Get of " + key;
}

std::string FailingClient::ReadMany() {
  constexpr size_t kMany = 8;
  const size_t family = AnyFamily();
  std::vector<std::string> texts;
  for (size_t i = 0; i < kMany; ++i) texts.push_back(AnyKey());
  std::vector<Slice> keys(texts.begin(), texts.end());
  std::vector<PinnableSlice> values(kMany);
  std::vector<Status> statuses(kMany);
  Engine([&] {
    db_->MultiGet({}, families_[family], kMany, keys.data(), values.data(),
                  statuses.data());
  });
  for (size_t i = 0; i < kMany; ++i) {
    const auto expected = state_[family].find(texts[i]);
    const bool exists = expected != state_[family].end();
    std::string problem;
    if (statuses[i].ok()) {
      if (!exists || values[i].ToString() != expected->second)
        problem = "shows";
    } else if (statuses[i].IsNotFound()) {
      if (exists) problem = "does not find";
    } else {
      problem = Judge("MultiGet", statuses[i]);
    }
    if (!problem.empty()) return "MultiGet " + problem + " " + texts[i];
  }
  return "";
}

std::string FailingClient::Scan(size_t family, const Contents& expected,
                                const Snapshot* snapshot, bool backward) {
  ReadOptions options;
  options.snapshot = snapshot;
  const std::unique_ptr<Iterator> it(
      Engine([&] { return db_->NewIterator(options, families_[family]); }));
  std::vector<std::pair<std::string, std::string>> found;
  const std::string last = prefix_ + "99";
  Engine([&] { backward ? it->SeekForPrev(last) : it->Seek(prefix_); });
  while (it->Valid() && it->key().starts_with(prefix_)) {
    found.emplace_back(it->key().ToString(), it->value().ToString());
    Engine([&] { backward ? it->Prev() : it->Next(); });
  }
  const Status status = it->status();
  std::vector<std::pair<std::string, std::string>> entries(expected.begin(),
                                                           expected.end());
  if (backward) std::reverse(entries.begin(), entries.end());
  if (!status.ok()) {
    if (found.size() > entries.size()) return "a scan shows too much";
    entries.resize(found.size());
  }
  if (found != entries) {
    return "a scan of family " + std::to_string(family) + ": " +
           Difference({entries.begin(), entries.end()},
                      {found.begin(), found.end()});
  }
  return Judge("a scan", status);
}

std::string FailingClient::ReadAtASnapshot() {
  const size_t family = random_.Uniform(kSharedFamilies);
  const Snapshot* const snapshot = Engine([&] { return db_->GetSnapshot(); });
  if (snapshot == nullptr) return "";  // no memory
  const Contents then = state_[family];
  std::string problem;
  for (int i = 0; i < 3 && problem.empty(); ++i) problem = Write();
  if (problem.empty()) problem = Scan(family, then, snapshot, random_.OneIn(2));
  Engine([&] { db_->ReleaseSnapshot(snapshot); });
  return problem.empty() ? "" : "at a snapshot, " + problem;
}

std::string FailingClient::CreateOrDrop() {
  if (own_in_doubt_) return "";
  if (!KnowsFamily(kOwn)) {
    const std::string name = FamilyName();
    ColumnFamilyHandle* handle = nullptr;
    const Status status = Engine(
        [&] { return db_->CreateColumnFamily(own_options_, name, &handle); });
    families_[kOwn] = handle;
    own_in_doubt_ = !status.ok();
    return Judge("create", status);
  }
  const Status status = Engine([&] {
    Status dropped = db_->DropColumnFamily(families_[kOwn]);
    delete families_[kOwn];
    return dropped;
  });
  families_[kOwn] = nullptr;
  own_in_doubt_ = !status.ok();
  if (status.ok()) {
    state_[kOwn].clear();
    for (State& state : possible_) state[kOwn].clear();
  }
  return Judge("drop", status);
}

std::string FailingClient::Step() {
  const uint64_t dice = random_.Uniform(100);
  if (dice < 60) return Write();
  if (dice < 70) return ReadOne();
  if (dice < 75) return ReadMany();
  const size_t family = AnyFamily();
  if (dice < 82) {
    return Scan(family, state_[family], nullptr, random_.OneIn(2));
  }
  if (dice < 86) return ReadAtASnapshot();
  if (dice < 91) {
    FlushOptions options;
    options.wait = random_.OneIn(2);
    return Judge("Flush", Engine([&] {
                   return db_->Flush(options, families_[family]);
                 }));
  }
  if (dice < 93) {
    return Judge("CompactRange", Engine([&] {
                   return db_->CompactRange({}, families_[family], nullptr,
                                            nullptr);
                 }));
  }
  if (dice < 97) return CreateOrDrop();
  if (dice < 99)
    return Judge("SyncWAL", Engine([&] { return db_->SyncWAL(); }));
  return Judge("Resume", Engine([&] { return db_->Resume(); }));
}

std::string FailingClient::Work(int operations) {
  for (int i = 0; i < operations; ++i) {
    const std::string problem = Step();
    if (!problem.empty()) {
      return "client " + std::to_string(index_) + ", operation " +
             std::to_string(i) + ": " + problem;
    }
  }
  return "";
}

std::string FailingClient::Check() {
  for (size_t family = 0; family < families_.size(); ++family) {
    if (!KnowsFamily(family)) continue;
    for (const bool backward : {false, true}) {
      const uint64_t failed = failed_;
      std::string problem = Scan(family, state_[family], nullptr, backward);
      if (problem.empty() && failed_ != failed) problem = "a scan fails";
      if (!problem.empty()) {
        return "client " + std::to_string(index_) + ": " + problem;
      }
    }
  }
  return "";
}

std::string FailingClient::Adopt(
    DB* db, const std::array<ColumnFamilyHandle*, kSharedFamilies>& all,
    ColumnFamilyHandle* own, const ColumnFamilyOptions& own_options) {
  db_ = db;
  std::copy(all.begin(), all.end(), families_.begin());
  families_[kOwn] = own;
  own_options_ = own_options;
  const std::string who = "client " + std::to_string(index_) + ": ";
  if (own_in_doubt_ && own == nullptr) {
    state_[kOwn].clear();
    for (State& state : possible_) state[kOwn].clear();
  }
  own_in_doubt_ = false;
  State found;
  for (size_t family = 0; family < families_.size(); ++family) {
    if (!KnowsFamily(family)) continue;
    const std::unique_ptr<Iterator> it(db_->NewIterator({}, families_[family]));
    for (it->Seek(prefix_); it->Valid() && it->key().starts_with(prefix_);
         it->Next()) {
      found[family][it->key().ToString()] = it->value().ToString();
    }
    if (!it->status().ok()) return who + it->status().ToString();
  }
  if (found != state_ &&
      std::find(possible_.begin(), possible_.end(), found) == possible_.end()) {
    std::string problem;
    for (size_t i = 0; i < found.size() && problem.empty(); ++i) {
      problem = Difference(state_[i], found[i]);
    }
    return who + "after an open, " + problem + " (" +
           std::to_string(possible_.size()) + " writes failed)";
  }
  state_ = std::move(found);
  possible_.clear();
  return Check();
}

void FailingClient::LetGo() {
  delete families_[kOwn];
  families_ = {};
  db_ = nullptr;
}

}  // namespace tamis::process
