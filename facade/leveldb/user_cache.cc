// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/user_cache.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "tamis/file_system_wrapper.h"

#include "facade/leveldb/cache.h"
#include "facade/leveldb/convert.h"

namespace tamis::facade {

namespace {

// Threads of the database do not fill a cache.
thread_local bool tls_fills_cache = false;

// Larger pieces are of scans that read ahead.
constexpr size_t kPieceMax = 64 << 10;

void DeletePiece(const leveldb::Slice& /*key*/, void* piece) {
  delete static_cast<std::string*>(piece);
}

class CachedTable final : public RandomAccessFile {
 public:
  CachedTable(leveldb::Cache* cache, std::unique_ptr<RandomAccessFile> file)
      : cache_(*cache), file_(std::move(file)), id_(cache->NewId()) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    char key[2 * sizeof(uint64_t)];
    std::memcpy(key, &id_, sizeof(id_));
    std::memcpy(key + sizeof(id_), &offset, sizeof(offset));
    const leveldb::Slice name(key, sizeof(key));
    if (Find(name, n, result, scratch)) return Status::OK();
    Status status = file_->Read(offset, n, result, scratch);
    if (status.ok() && tls_fills_cache && result->size() <= kPieceMax) {
      auto piece = std::make_unique<std::string>(result->ToString());
      const size_t charge = piece->size();
      cache_.Release(
          cache_.Insert(name, piece.release(), charge, &DeletePiece));
    }
    return status;
  }
  size_t GetRequiredBufferAlignment() const override {
    return file_->GetRequiredBufferAlignment();
  }

 private:
  // Sets *result to the piece, in scratch.
  bool Find(const leveldb::Slice& name, size_t n, Slice* result,
            char* scratch) const {
    leveldb::Cache::Handle* const handle = cache_.Lookup(name);
    if (handle == nullptr) return false;
    const auto& piece = *static_cast<std::string*>(cache_.Value(handle));
    const bool has_all = piece.size() >= n;
    if (has_all) {
      std::copy_n(piece.data(), n, scratch);
      *result = Slice(scratch, n);
    }
    cache_.Release(handle);
    return has_all;
  }

  leveldb::Cache& cache_;
  const std::unique_ptr<RandomAccessFile> file_;
  const uint64_t id_;
};

class CachedTables final : public FileSystemWrapper {
 public:
  CachedTables(leveldb::Cache* cache, std::shared_ptr<FileSystem> base)
      : FileSystemWrapper(std::move(base)), cache_(*cache) {}

  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    const Status status = target()->OpenRandomAccessFile(path, options, file);
    if (status.ok() && options.role == FileRole::kTable) {
      *file = std::make_unique<CachedTable>(&cache_, std::move(*file));
    }
    return status;
  }

 private:
  leveldb::Cache& cache_;
};

}  // namespace

std::shared_ptr<FileSystem> ReadThrough(leveldb::Cache* cache,
                                        std::shared_ptr<FileSystem> base) {
  if (!IsOfOwnClass(cache)) return base;
  return std::make_shared<CachedTables>(cache, std::move(base));
}

FillCacheScope::FillCacheScope(bool fills)
    : before_(std::exchange(tls_fills_cache, fills)) {}

FillCacheScope::~FillCacheScope() { tls_fills_cache = before_; }

}  // namespace tamis::facade
