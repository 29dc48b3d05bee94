// SPDX-License-Identifier: Apache-2.0
//
// This file has the members of public classes that do not depend on the
// implementation.
#include "tamis/db.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tamis/write_batch.h"

#include "util/base/exceptions.h"
#include "util/base/read_into.h"

namespace tamis {

const std::string kDefaultColumnFamilyName = "default";

namespace {

// A batch of one change that reuses the memory of the thread's previous one. A
// nested write, by code that runs inside of one, allocates its own.
class OneChange {
 public:
  OneChange() {
    if (gone_) return;
    batch_ = std::move(kept_.batch);
    batch_.Clear();
  }
  ~OneChange() {
    if (!gone_ && batch_.GetDataSize() <= kKeptBytesMax) {
      kept_.batch = std::move(batch_);
    }
  }
  OneChange(const OneChange&) = delete;
  OneChange& operator=(const OneChange&) = delete;
  WriteBatch& batch() { return batch_; }

 private:
  static constexpr size_t kKeptBytesMax = 64 << 10;
  struct Kept {
    ~Kept() { gone_ = true; }
    WriteBatch batch;
  };
  // kept_ was destroyed, since the thread is ending.
  static thread_local constinit bool gone_;
  static thread_local Kept kept_;

  WriteBatch batch_;
};

thread_local constinit bool OneChange::gone_ = false;
thread_local OneChange::Kept OneChange::kept_;

template <typename AddTo>
Status WriteOne(DB* db, const WriteOptions& options, const AddTo& add_to) {
  return CatchExceptions([&] {
    OneChange change;
    Status status = add_to(&change.batch());
    if (status.ok()) status = db->Write(options, &change.batch());
    return status;
  });
}

}  // namespace

DB::~DB() = default;

Status DBFiles::GetCreationTimeOfOldestFile(uint64_t* creation_time) {
  return CatchExceptions([&] {
    std::vector<LiveFileMetaData> files;
    GetLiveFilesMetaData(&files);
    *creation_time = std::numeric_limits<uint64_t>::max();
    for (const LiveFileMetaData& file : files) {
      *creation_time = std::min(*creation_time, file.file_creation_time);
    }
    return Status::OK();
  });
}

Status DB::SetOptions(
    const std::unordered_map<std::string, std::string>& new_options) {
  return SetOptions(DefaultColumnFamily(), new_options);
}

Options DB::GetOptions() const { return GetOptions(DefaultColumnFamily()); }

Status DB::Put(const WriteOptions& options, ColumnFamilyHandle* family,
               const Slice& key, const Slice& value) {
  return WriteOne(this, options, [&](WriteBatch* batch) {
    return batch->Put(family, key, value);
  });
}

Status DB::Put(const WriteOptions& options, const Slice& key,
               const Slice& value) {
  return Put(options, DefaultColumnFamily(), key, value);
}

Status DB::Delete(const WriteOptions& options, ColumnFamilyHandle* family,
                  const Slice& key) {
  return WriteOne(this, options, [&](WriteBatch* batch) {
    return batch->Delete(family, key);
  });
}

Status DB::Delete(const WriteOptions& options, const Slice& key) {
  return Delete(options, DefaultColumnFamily(), key);
}

Status DB::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                        const Slice& key) {
  return WriteOne(this, options, [&](WriteBatch* batch) {
    return batch->SingleDelete(family, key);
  });
}

Status DB::SingleDelete(const WriteOptions& options, const Slice& key) {
  return SingleDelete(options, DefaultColumnFamily(), key);
}

Status DB::DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family,
                       const Slice& begin, const Slice& end) {
  return WriteOne(this, options, [&](WriteBatch* batch) {
    return batch->DeleteRange(family, begin, end);
  });
}

Status DB::DeleteRange(const WriteOptions& options, const Slice& begin,
                       const Slice& end) {
  return DeleteRange(options, DefaultColumnFamily(), begin, end);
}

Status DB::Merge(const WriteOptions& options, ColumnFamilyHandle* family,
                 const Slice& key, const Slice& operand) {
  return WriteOne(this, options, [&](WriteBatch* batch) {
    return batch->Merge(family, key, operand);
  });
}

Status DB::Merge(const WriteOptions& options, const Slice& key,
                 const Slice& operand) {
  return Merge(options, DefaultColumnFamily(), key, operand);
}

Status DB::Get(const ReadOptions& options, const Slice& key,
               PinnableSlice* value) {
  return Get(options, DefaultColumnFamily(), key, value);
}

Status DB::Get(const ReadOptions& options, ColumnFamilyHandle* family,
               const Slice& key, std::string* value) {
  return ReadInto(value, [&](PinnableSlice* pinned) {
    return Get(options, family, key, pinned);
  });
}

Status DB::Get(const ReadOptions& options, const Slice& key,
               std::string* value) {
  return Get(options, DefaultColumnFamily(), key, value);
}

std::vector<Status> DB::MultiGet(const ReadOptions& options,
                                 const std::vector<Slice>& keys,
                                 std::vector<std::string>* values) {
  values->assign(keys.size(), std::string());
  std::vector<Status> statuses(keys.size());
  std::vector<PinnableSlice> pinned(keys.size());
  MultiGet(options, DefaultColumnFamily(), keys.size(), keys.data(),
           pinned.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].ok())
      (*values)[i].assign(pinned[i].data(), pinned[i].size());
  }
  return statuses;
}

Iterator* DB::NewIterator(const ReadOptions& options) {
  return NewIterator(options, DefaultColumnFamily());
}

Status DB::Flush(const FlushOptions& options, ColumnFamilyHandle* family) {
  return CatchExceptions(
      [&] { return Flush(options, std::vector<ColumnFamilyHandle*>{family}); });
}

Status DB::Flush(const FlushOptions& options) {
  return Flush(options, DefaultColumnFamily());
}

Status DB::CreateColumnFamilies(
    const std::vector<ColumnFamilyDescriptor>& families,
    std::vector<ColumnFamilyHandle*>* handles) {
  handles->clear();
  for (const ColumnFamilyDescriptor& family : families) {
    ColumnFamilyHandle* handle = nullptr;
    const Status status =
        CreateColumnFamily(family.options, family.name, &handle);
    if (!status.ok()) return status;
    handles->push_back(handle);
  }
  return Status::OK();
}

Status DB::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                const std::vector<std::string>& names,
                                std::vector<ColumnFamilyHandle*>* handles) {
  std::vector<ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  return CreateColumnFamilies(families, handles);
}

Status DB::DropColumnFamilies(
    const std::vector<ColumnFamilyHandle*>& families) {
  for (ColumnFamilyHandle* family : families) {
    const Status status = DropColumnFamily(family);
    if (!status.ok()) return status;
  }
  return Status::OK();
}

Status DB::CompactRange(const CompactRangeOptions& options, const Slice* begin,
                        const Slice* end) {
  return CompactRange(options, DefaultColumnFamily(), begin, end);
}

Status DB::CompactFiles(const CompactionOptions& compact_options,
                        const std::vector<std::string>& input_file_names,
                        int output_level, int output_path_id,
                        std::vector<std::string>* output_file_names,
                        CompactionJobInfo* compaction_job_info) {
  return CompactFiles(compact_options, DefaultColumnFamily(), input_file_names,
                      output_level, output_path_id, output_file_names,
                      compaction_job_info);
}

Status DB::GetApproximateSizes(ColumnFamilyHandle* family, const Range* ranges,
                               int n, uint64_t* sizes,
                               SizeApproximationFlags flags) {
  const auto has = [flags](SizeApproximationFlags flag) {
    return (flags & flag) != SizeApproximationFlags::NONE;
  };
  SizeApproximationOptions options;
  options.include_memtables = has(SizeApproximationFlags::INCLUDE_MEMTABLES);
  options.include_files = has(SizeApproximationFlags::INCLUDE_FILES);
  return GetApproximateSizes(options, family, ranges, n, sizes);
}

Status DB::GetApproximateSizes(const Range* ranges, int n, uint64_t* sizes,
                               SizeApproximationFlags flags) {
  return GetApproximateSizes(DefaultColumnFamily(), ranges, n, sizes, flags);
}

bool DB::GetMapProperty(const Slice& property,
                        std::map<std::string, std::string>* values) {
  return GetMapProperty(DefaultColumnFamily(), property, values);
}

void DB::GetColumnFamilyMetaData(ColumnFamilyMetaData* metadata) {
  GetColumnFamilyMetaData(DefaultColumnFamily(), metadata);
}

void DB::GetApproximateMemTableStats(const Range& range, uint64_t* count,
                                     uint64_t* size) {
  GetApproximateMemTableStats(DefaultColumnFamily(), range, count, size);
}

bool DB::KeyMayExist(const ReadOptions& options, const Slice& key,
                     std::string* value, bool* value_found) {
  return KeyMayExist(options, DefaultColumnFamily(), key, value, value_found);
}

Status DB::IngestExternalFile(ColumnFamilyHandle* family,
                              const std::vector<std::string>& external_files,
                              const IngestExternalFileOptions& options) {
  return IngestExternalFiles({{family, external_files, options}});
}

Status DB::IngestExternalFile(const std::vector<std::string>& external_files,
                              const IngestExternalFileOptions& options) {
  return IngestExternalFile(DefaultColumnFamily(), external_files, options);
}

int DB::NumberLevels(ColumnFamilyHandle* family) const {
  return (family != nullptr ? GetOptions(family) : GetOptions()).num_levels;
}

int DB::MaxMemCompactionLevel(ColumnFamilyHandle* /*family*/) const {
  return 0;
}

int DB::Level0StopWriteTrigger(ColumnFamilyHandle* family) const {
  return (family != nullptr ? GetOptions(family) : GetOptions())
      .level0_stop_writes_trigger;
}

ManagedSnapshot::ManagedSnapshot(DB* db)
    : ManagedSnapshot(db, db->GetSnapshot()) {}

ManagedSnapshot::ManagedSnapshot(DB* db, const Snapshot* snapshot)
    : db_(db), snapshot_(snapshot) {}

ManagedSnapshot::~ManagedSnapshot() {
  if (snapshot_ != nullptr) db_->ReleaseSnapshot(snapshot_);
}

Status DB::RewriteFilters(const RewriteFiltersOptions& options,
                          const Slice* begin, const Slice* end) {
  return RewriteFilters(options, DefaultColumnFamily(), begin, end);
}

bool DB::GetProperty(const Slice& property, std::string* value) {
  return GetProperty(DefaultColumnFamily(), property, value);
}

bool DB::GetIntProperty(const Slice& property, uint64_t* value) {
  return GetIntProperty(DefaultColumnFamily(), property, value);
}

Status DB::GetPropertiesOfAllTables(TablePropertiesCollection* props) {
  return GetPropertiesOfAllTables(DefaultColumnFamily(), props);
}

}  // namespace tamis
