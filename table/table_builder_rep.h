// SPDX-License-Identifier: Apache-2.0
//
// What writes the tables of one format. A TableBuilder passes its calls on to
// one of these, which it chooses by its options (table_builder.cc).
//
// One thread. The calls are those of TableBuilder, with its requirements.
#pragma once

#include <memory>
#include <string>

#include "table/internal_key.h"
#include "table/properties_collectors.h"
#include "table/table_builder.h"
#include "util/base/check.h"

namespace tamis {

struct TableBuilder::Rep {
  virtual ~Rep() = default;
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;

  virtual void Add(const Slice& internal_key, const Slice& value) = 0;
  virtual void AddRangeDeletion(const Slice& begin, const Slice& end,
                                SequenceNumber sequence) = 0;
  virtual Status Finish() = 0;
  virtual void Abandon() = 0;
  virtual Slice last_key() const = 0;
  virtual uint64_t EstimatedFileSize() = 0;
  virtual bool HasReached(uint64_t file_size) = 0;
  virtual uint64_t FileSize() const = 0;
  virtual std::string DescribeFormat() const = 0;
  virtual std::string DescribeFilters() const = 0;
  virtual const std::string& filter_reason() const = 0;

  // TableBuilder calls it before Finish or Abandon, one of which is the end.
  void Close() {
    TAMIS_CHECK(!closed);
    closed = true;
  }

  const TableBuildOptions options;
  Status status;
  TableProperties properties;
  PropertiesCollectors collectors;
  bool closed = false;
  // Whether a key has several entries.
  bool has_versions = false;

 protected:
  explicit Rep(const TableBuildOptions& build_options);

  // Checks the form of an entry that Add got.
  void CheckForm(const Slice& internal_key) const {
    TAMIS_CHECK(!closed);
    TAMIS_CHECK(internal_key.size() >= kInternalKeyTailBytes);
    const auto type = static_cast<uint8_t>(ExtractTail(internal_key) & 0xff);
    TAMIS_CHECK(type == kTypeValue ||
                (IsStoredValueType(type) && type != kTypeRangeDeletion));
  }
  // Returns whether the key is greater than the last one, and notes whether
  // both are of one user key.
  bool IsAscending(const Slice& last, const Slice& internal_key) {
    const int user_keys = options.order.CompareUserKeys(
        ExtractUserKey(last), ExtractUserKey(internal_key));
    has_versions |= user_keys == 0;
    return user_keys < 0 ||
           (user_keys == 0 && ExtractTail(last) > ExtractTail(internal_key));
  }
  // Returns Corruption that names both keys: they are not ascending.
  Status OutOfOrder(const Slice& last, const Slice& internal_key) const;
  // Counts an entry in the properties, and shows it to the collectors.
  // `file_size` is about that of the file so far.
  void CountEntry(const Slice& internal_key, const Slice& value,
                  uint64_t file_size) {
    const auto type = static_cast<uint8_t>(ExtractTail(internal_key) & 0xff);
    ++properties.num_entries;
    properties.raw_key_size += internal_key.size();
    properties.raw_value_size += value.size();
    if (!collectors.empty()) [[unlikely]] {
      collectors.Add(internal_key, value, file_size);
    }
    if (type != kTypeValue) [[unlikely]]
      CountType(type);
  }

 private:
  void CountType(uint8_t type);
};

// Create the writers of the formats. `file` must outlive them.
std::unique_ptr<TableBuilder::Rep> NewBlockBasedTableBuilder(
    const TableBuildOptions& options, WritableFile* file);

}  // namespace tamis
