// SPDX-License-Identifier: Apache-2.0
//
// Whole databases in tests: what one shows, by scan and by point read. A family
// of nullptr is the default one.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "tamis/db.h"

#include "tests/support/directories.h"

namespace tamis {

// Of the family that is not named: "default".
inline KeyValues ScanForward(DB* db, Status* status,
                             const ReadOptions& options = ReadOptions(),
                             ColumnFamilyHandle* family = nullptr) {
  KeyValues entries;
  if (family == nullptr) family = db->DefaultColumnFamily();
  const std::unique_ptr<Iterator> it(db->NewIterator(options, family));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries.emplace_back(it->key().ToString(), it->value().ToString());
  }
  *status = it->status();
  return entries;
}

inline KeyValues ScanBackward(DB* db, Status* status,
                              const ReadOptions& options = ReadOptions(),
                              ColumnFamilyHandle* family = nullptr) {
  KeyValues entries;
  if (family == nullptr) family = db->DefaultColumnFamily();
  const std::unique_ptr<Iterator> it(db->NewIterator(options, family));
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    entries.emplace_back(it->key().ToString(), it->value().ToString());
  }
  *status = it->status();
  std::reverse(entries.begin(), entries.end());
  return entries;
}

// How the database differs from what is expected of it, by scans in both
// directions, by a point read of every key, and by as many of absent ones.
// Empty: not at all. *status: the first error of a read, which ends it.
inline std::string DifferenceFrom(const KeyValues& expected, DB* db,
                                  Status* status,
                                  const ReadOptions& options = ReadOptions(),
                                  ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  KeyValues got = ScanForward(db, status, options, family);
  if (!status->ok()) return "";
  std::string difference = Difference(expected, got);
  if (!difference.empty()) return "forward scan: " + difference;
  got = ScanBackward(db, status, options, family);
  if (!status->ok()) return "";
  difference = Difference(expected, got);
  if (!difference.empty()) return "backward scan: " + difference;
  for (const auto& [key, value] : expected) {
    std::string read;
    *status = db->Get(options, family, key, &read);
    if (status->IsNotFound()) return "point read misses " + ToHex(key);
    if (!status->ok()) return "";
    if (read != value) return "point read of another value: " + ToHex(key);
    *status = db->Get(options, family, key + std::string("\0absent", 7), &read);
    if (status->ok()) return "point read finds what is not: " + ToHex(key);
    if (!status->IsNotFound()) return "";
    *status = Status::OK();
  }
  return "";
}

}  // namespace tamis
