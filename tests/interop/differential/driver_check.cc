// SPDX-License-Identifier: Apache-2.0
//
// Compares a database with its model.
#include <algorithm>
#include <utility>

#include "tests/interop/differential/driver.h"

namespace tamis::differential {

namespace {

using KeyValue = std::pair<std::string, std::string>;

std::string FirstDifference(const std::vector<KeyValue>& got,
                            const Model::Contents& expected) {
  auto at = got.begin();
  for (const auto& [key, value] : expected) {
    if (at == got.end()) return Brief(key) + " is missing at the end";
    if (at->first != key) {
      return "expected " + Brief(key) + ", got " + Brief(at->first);
    }
    if (at->second != value) {
      return "value of " + Brief(key) + ": expected " + Brief(value) +
             ", got " + Brief(at->second);
    }
    ++at;
  }
  return at == got.end() ? "" : Brief(at->first) + " is too much";
}

std::string CheckScan(engine::DB* db, engine::ColumnFamilyHandle* family,
                      const Model::Contents& expected, bool forward) {
  engine::ReadOptions options;
  options.total_order_seek = true;
  std::vector<KeyValue> got;
  const std::unique_ptr<engine::Iterator> it(db->NewIterator(options, family));
  if (forward) {
    it->SeekToFirst();
  } else {
    it->SeekToLast();
  }
  while (it->Valid()) {
    got.emplace_back(it->key().ToString(), it->value().ToString());
    if (forward) {
      it->Next();
    } else {
      it->Prev();
    }
  }
  if (!it->status().ok()) return it->status().ToString();
  if (!forward) std::reverse(got.begin(), got.end());
  return FirstDifference(got, expected);
}

// Empty: `status` and `value` are what is expected of the key.
std::string Wrong(const std::string& key, const Model::Contents& expected,
                  const engine::Status& status, const std::string& value) {
  const auto found = expected.find(key);
  const bool right = found == expected.end()
                         ? status.IsNotFound()
                         : status.ok() && value == found->second;
  if (right) return "";
  return Brief(key) + ": expected " +
         (found == expected.end() ? "none" : Brief(found->second)) + ", got " +
         (status.ok() ? Brief(value) : status.ToString());
}

std::string CheckPoints(engine::DB* db, engine::ColumnFamilyHandle* family,
                        const Model::Contents& expected,
                        const std::vector<std::string>& keys) {
  const std::vector<engine::Slice> slices(keys.begin(), keys.end());
  std::vector<engine::PinnableSlice> values(keys.size());
  std::vector<engine::Status> statuses(keys.size());
  db->MultiGet(engine::ReadOptions(), family, slices.size(), slices.data(),
               values.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    std::string problem =
        Wrong(keys[i], expected, statuses[i], values[i].ToString());
    if (!problem.empty()) return "MultiGet of " + problem;
    if (kGetMissesSplitKeys) continue;
    std::string value;
    const engine::Status status =
        db->Get(engine::ReadOptions(), family, keys[i], &value);
    problem = Wrong(keys[i], expected, status, value);
    if (!problem.empty()) return "Get of " + problem;
  }
  return "";
}

}  // namespace

std::string Driver::Check(const Model& model,
                          const std::vector<std::string>& keys) {
  engine::DB* const db = database_.db();
  if (db == nullptr) return "there is no database";
  for (size_t i = 0; i < kSlots; ++i) {
    const Model::Contents* const expected = model.family(i);
    if (expected == nullptr) continue;
    engine::ColumnFamilyHandle* const family = database_.handle(i);
    std::string problem = CheckScan(db, family, *expected, true);
    if (!problem.empty()) return NameOfSlot(i) + " forward: " + problem;
    problem = CheckScan(db, family, *expected, false);
    if (!problem.empty()) return NameOfSlot(i) + " backward: " + problem;
    problem = CheckPoints(db, family, *expected, keys);
    if (!problem.empty()) return NameOfSlot(i) + ": " + problem;
  }
  const engine::Status status = CheckFiles(db);
  return status.ok() ? "" : "files: " + status.ToString();
}

}  // namespace tamis::differential
