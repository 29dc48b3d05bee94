// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/bulk_load.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "tamis/comparator.h"
#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"

namespace tamis {

namespace {

constexpr char kNamePrefix[] = "bulk_load.";
constexpr char kSuffix[] = ".tmp";

// Removes files of loads that were killed. The open database keeps others out.
void RemoveLeftovers(const std::string& directory) {
  std::error_code ignored;
  std::vector<std::filesystem::path> found;
  for (const auto& one :
       std::filesystem::directory_iterator(directory, ignored)) {
    const std::string name = one.path().filename().string();
    if (name.starts_with(kNamePrefix) && name.ends_with(kSuffix)) {
      found.push_back(one.path());
    }
  }
  for (const auto& path : found) std::filesystem::remove(path, ignored);
}

}  // namespace

// The runs, merged.
class BulkLoad::Merge {
 public:
  explicit Merge(const Comparator* order) : order_(order) {}

  Status Open(const Options& options, const std::string& path) {
    auto reader = std::make_unique<SstFileReader>(options);
    TAMIS_RETURN_IF_ERROR(reader->Open(path));
    std::unique_ptr<Iterator> it(reader->NewIterator(ReadOptions()));
    it->SeekToFirst();
    TAMIS_RETURN_IF_ERROR(it->status());
    readers_.push_back(std::move(reader));
    runs_.push_back(std::move(it));
    return Status::OK();
  }

  // The newest entry of the smallest key; nullptr: there is none.
  const Iterator* Top() const {
    const Iterator* top = nullptr;
    for (const auto& run : runs_) {
      if (!run->Valid()) continue;
      if (top == nullptr || order_->Compare(run->key(), top->key()) <= 0) {
        top = run.get();  // a later run is newer
      }
    }
    return top;
  }

  // Leaves the key of Top() behind in every run.
  Status Pass() {
    const std::string key = Top()->key().ToString();
    for (const auto& run : runs_) {
      if (run->Valid() && order_->Compare(run->key(), key) == 0) run->Next();
      TAMIS_RETURN_IF_ERROR(run->status());
    }
    return Status::OK();
  }

 private:
  const Comparator* const order_;
  std::vector<std::unique_ptr<SstFileReader>> readers_;
  std::vector<std::unique_ptr<Iterator>> runs_;
};

BulkLoad::BulkLoad(DB* db, ColumnFamilyHandle* family, std::string directory,
                   uint64_t run_bytes)
    : db_(db),
      family_(family),
      directory_(std::move(directory)),
      run_bytes_(run_bytes),
      options_(db->GetOptions(family)) {
  RemoveLeftovers(directory_);
}

BulkLoad::~BulkLoad() {
  std::error_code ignored;
  for (const std::string& path : runs_) {
    std::filesystem::remove(path, ignored);
  }
  for (const std::string& path : tables_) {
    std::filesystem::remove(path, ignored);
  }
}

Status BulkLoad::Add(std::string key, std::string value) {
  bytes_ += key.size() + value.size() + sizeof(entries_[0]);
  entries_.emplace_back(std::move(key), std::move(value));
  return bytes_ < run_bytes_ ? Status::OK() : WriteRun();
}

std::string BulkLoad::NextPath() {
  return directory_ + "/" + kNamePrefix + std::to_string(getpid()) + "." +
         std::to_string(++files_) + kSuffix;
}

Status BulkLoad::WriteRun() {
  if (entries_.empty()) return Status::OK();
  const Comparator* const order = options_.comparator;
  std::stable_sort(entries_.begin(), entries_.end(),
                   [order](const auto& a, const auto& b) {
                     return order->Compare(a.first, b.first) < 0;
                   });
  runs_.push_back(NextPath());
  SstFileWriter writer(options_, family_);
  TAMIS_RETURN_IF_ERROR(writer.Open(runs_.back()));
  for (size_t i = 0; i < entries_.size(); ++i) {
    const auto& [key, value] = entries_[i];
    const bool replaced = i + 1 < entries_.size() &&
                          order->Compare(key, entries_[i + 1].first) == 0;
    if (!replaced) TAMIS_RETURN_IF_ERROR(writer.Put(key, value));
  }
  entries_.clear();
  bytes_ = 0;
  return writer.Finish();
}

Status BulkLoad::MergeRuns() {
  Merge merge(options_.comparator);
  for (const std::string& run : runs_) {
    TAMIS_RETURN_IF_ERROR(merge.Open(options_, run));
  }
  while (merge.Top() != nullptr) {
    tables_.push_back(NextPath());
    SstFileWriter writer(options_, family_);
    TAMIS_RETURN_IF_ERROR(writer.Open(tables_.back()));
    uint64_t bytes = 0;
    while (const Iterator* const top = merge.Top()) {
      if (bytes >= options_.target_file_size_base) break;
      bytes += top->key().size() + top->value().size();
      TAMIS_RETURN_IF_ERROR(writer.Put(top->key(), top->value()));
      TAMIS_RETURN_IF_ERROR(merge.Pass());
    }
    TAMIS_RETURN_IF_ERROR(writer.Finish());
  }
  return Status::OK();
}

Status BulkLoad::Finish() {
  TAMIS_RETURN_IF_ERROR(WriteRun());
  if (runs_.empty()) return Status::OK();
  if (runs_.size() == 1) {
    tables_.swap(runs_);
  } else {
    TAMIS_RETURN_IF_ERROR(MergeRuns());
  }
  IngestExternalFileOptions options;
  options.move_files = true;
  return db_->IngestExternalFile(family_, tables_, options);
}

}  // namespace tamis
