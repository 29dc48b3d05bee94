// SPDX-License-Identifier: Apache-2.0
//
// Tables in memory, for tests: built into a string, and opened from one.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/table_builder.h"
#include "table/table_reader.h"
#include "tests/support/string_files.h"

namespace tamis {

// Internal key and value, in order.
using Entries = std::vector<std::pair<std::string, std::string>>;

inline std::string InternalKey(const Slice& user_key, SequenceNumber sequence,
                               uint8_t type = kTypeValue) {
  std::string key;
  AppendInternalKey(&key, user_key, sequence, type);
  return key;
}

inline const KeyOrder& Bytewise() {
  static const KeyOrder order(BytewiseComparator());
  return order;
}

// The bytes of a table with `entries`.
inline std::string BuildTable(const TableBuildOptions& options,
                              const Entries& entries,
                              TableProperties* properties = nullptr) {
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(options, &file);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  const Status status = builder.Finish();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(builder.FileSize(), contents.size());
  if (properties != nullptr) *properties = builder.properties();
  return contents;
}

inline TableContext TestContext(const KeyOrder& order = Bytewise()) {
  TableContext context(order);
  context.file_name = "test.sst";
  return context;
}

inline Result<std::unique_ptr<TableReader>> OpenTable(
    const std::string& contents, const TableContext& context = TestContext()) {
  return TableReader::Open(std::make_unique<StringRandomAccessFile>(contents),
                           contents.size(), context);
}

// The entries of a forward scan. *status: the iterator's at the end.
inline Entries ScanForward(InternalIterator* it, Status* status) {
  Entries out;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    out.emplace_back(it->key().ToString(), it->value().ToString());
  }
  *status = it->status();
  return out;
}

inline Entries ScanBackward(InternalIterator* it, Status* status) {
  Entries out;
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    out.emplace_back(it->key().ToString(), it->value().ToString());
  }
  std::reverse(out.begin(), out.end());
  *status = it->status();
  return out;
}

// The result of a point read in one table.
struct Answer {
  Status status;
  std::string value;
};

inline Answer GetFrom(const TableReader& table, const Slice& user_key,
                      SequenceNumber sequence = kMaxSequenceNumber,
                      const ReadContext& context = ReadContext()) {
  PinnableSlice value;
  PointRead read(user_key, sequence, /*merge_operator=*/nullptr, &value);
  table.Get(&read, context);
  Answer answer;
  answer.status = read.get.Finish();
  if (answer.status.ok()) answer.value = value.ToString();
  return answer;
}

}  // namespace tamis
