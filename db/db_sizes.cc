// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that estimate what is in a range:
// GetApproximateSizes, GetApproximateMemTableStats, KeyMayExist.
#include <algorithm>

#include "db/db_impl.h"

namespace tamis {

namespace {

struct MemTableStats {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

// Counts entries, not range tombstones.
void AddStats(const MemTable& memtable, const KeyOrder& order,
              const Range& range, MemTableStats* stats) {
  const auto it = memtable.NewIterator();
  it->Seek(LookupKey(range.start, kMaxSequenceNumber).internal_key());
  for (; it->Valid() &&
         order.CompareUserKeys(ExtractUserKey(it->key()), range.limit) < 0;
       it->Next()) {
    ++stats->count;
    stats->bytes += it->key().size() + it->value().size();
  }
}

MemTableStats StatsOf(const ReadState& state, const KeyOrder& order,
                      const Range& range) {
  MemTableStats stats;
  if (order.CompareUserKeys(range.start, range.limit) >= 0) return stats;
  AddStats(*state.memtable, order, range, &stats);
  for (const auto& memtable : state.immutables) {
    AddStats(*memtable, order, range, &stats);
  }
  return stats;
}

// The bytes of the table that belong to the range: its share of the data, and
// the same share of the rest.
Result<uint64_t> BytesInPart(const ColumnFamily& family, const TableFile& file,
                             const Range& range) {
  const auto reader = family.tables().Reader(file);
  if (!reader.ok()) return reader.status();
  const auto offset_of = [&](const Slice& user_key) {
    return (*reader)->ApproximateOffsetOf(
        LookupKey(user_key, kMaxSequenceNumber).internal_key());
  };
  const KeyOrder& order = family.order();
  const Slice largest = ExtractUserKey(file.meta.largest);
  const uint64_t data = (*reader)->properties()->data_size;
  const uint64_t end = order.CompareUserKeys(largest, range.limit) < 0
                           ? data
                           : offset_of(range.limit);
  const uint64_t begin = offset_of(range.start);
  if (end <= begin || data == 0) return uint64_t{0};
  const double share =
      static_cast<double>(end - begin) / static_cast<double>(data);
  return std::min(
      static_cast<uint64_t>(share * static_cast<double>(file.meta.size)),
      file.meta.size);
}

Result<uint64_t> TableBytesIn(const ColumnFamily& family,
                              const Version& version, const Range& range,
                              double error_margin) {
  const KeyOrder& order = family.order();
  uint64_t bytes = 0;
  uint64_t partial_bytes = 0;
  LevelFiles partial;
  ForEachFile(version, [&](Level, const TableFilePtr& file) {
    const Slice smallest = ExtractUserKey(file->meta.smallest);
    const Slice largest = ExtractUserKey(file->meta.largest);
    if (order.CompareUserKeys(largest, range.start) < 0 ||
        order.CompareUserKeys(smallest, range.limit) >= 0) {
      return;
    }
    if (order.CompareUserKeys(smallest, range.start) >= 0 &&
        order.CompareUserKeys(largest, range.limit) < 0) {
      bytes += file->meta.size;
    } else {
      partial_bytes += file->meta.size;
      partial.push_back(file);
    }
  });
  // Half of it is wrong by at most the other half.
  const uint64_t half = partial_bytes / 2;
  if (error_margin > 0 &&
      static_cast<double>(half) <=
          error_margin * static_cast<double>(bytes + half)) {
    return bytes + half;
  }
  for (const TableFilePtr& file : partial) {
    const auto part = BytesInPart(family, *file, range);
    if (!part.ok()) return part.status();
    bytes += *part;
  }
  return bytes;
}

}  // namespace

Status DBImpl::GetApproximateSizes(const SizeApproximationOptions& options,
                                   ColumnFamilyHandle* handle,
                                   const Range* ranges, int n,
                                   uint64_t* sizes) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (!options.include_memtables && !options.include_files) {
    return Status::InvalidArgument(
        "GetApproximateSizes",
        "neither include_memtables nor include_files is set");
  }
  const ColumnFamily& family = *FamilyOf(handle);
  const ReadStatePtr state = family.AcquireReadState();
  for (int i = 0; i < n; ++i) {
    sizes[i] = 0;
    const Range& range = ranges[i];
    if (family.order().CompareUserKeys(range.start, range.limit) >= 0) continue;
    if (options.include_files) {
      const auto bytes = TableBytesIn(family, *state->version, range,
                                      options.files_size_error_margin);
      if (!bytes.ok()) return bytes.status();
      sizes[i] += *bytes;
    }
    if (options.include_memtables) {
      sizes[i] += StatsOf(*state, family.order(), range).bytes;
    }
  }
  return Status::OK();
}

Status DBImpl::GetApproximateMemTableStats(ColumnFamilyHandle* handle,
                                           const Range& range, uint64_t* count,
                                           uint64_t* size) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const ColumnFamily& family = *FamilyOf(handle);
  const MemTableStats stats =
      StatsOf(*family.AcquireReadState(), family.order(), range);
  *count = stats.count;
  *size = stats.bytes;
  return Status::OK();
}

bool DBImpl::KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* handle,
                         const Slice& key, std::string* value,
                         bool* value_found) {
  ReadOptions in_memory = options;
  in_memory.read_tier = kBlockCacheTier;
  PinnableSlice found;
  const Status status = Get(in_memory, handle, key, &found);
  *value_found = status.ok();
  if (status.ok() && value != nullptr)
    value->assign(found.data(), found.size());
  return !status.IsNotFound();
}

}  // namespace tamis
