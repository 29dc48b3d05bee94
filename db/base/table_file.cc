// SPDX-License-Identifier: Apache-2.0
#include "db/base/table_file.h"

#include <utility>

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "util/base/result.h"
#include "util/io/file_io.h"
#include "util/io/rate_limited_file.h"

namespace tamis {

namespace {

class TrackedWrites final : public WritableFile {
 public:
  TrackedWrites(std::unique_ptr<WritableFile> base,
                const WriteProgress& progress)
      : base_(std::move(base)), progress_(progress) {}

  Status Append(const Slice& data) override {
    progress_.operation->Add(progress_.property, data.size());
    return base_->Append(data);
  }
  Status Flush() override { return base_->Flush(); }
  Status Sync() override { return base_->Sync(); }
  void RangeSync(uint64_t offset, uint64_t n) override {
    base_->RangeSync(offset, n);
  }
  Status Close() override { return base_->Close(); }
  uint64_t GetFileSize() const override { return base_->GetFileSize(); }

 private:
  const std::unique_ptr<WritableFile> base_;
  const WriteProgress progress_;
};

}  // namespace

Status NewTableFile(const DBContext& context, const std::string& path,
                    uint64_t expected_size, IOPriority priority,
                    const WriteProgress& progress,
                    std::unique_ptr<ChecksummedWrites>* file) {
  auto checksum = FileChecksumMaker::Make(
      context.options.file_checksum_gen_factory.get(), path);
  if (!checksum.ok()) return checksum.status();
  std::unique_ptr<WritableFile> base;
  FileOptions how = FileOptionsForTableWrites(context.options);
  how.expected_size = expected_size;
  TAMIS_RETURN_IF_ERROR(file_io::Create(context.fs(), path, how, &base));
  RateLimiter* const limiter = context.options.rate_limiter.get();
  if (limiter != nullptr) {
    base = std::make_unique<RateLimitedWrites>(std::move(base), limiter,
                                               priority, context.statistics());
  }
  if (progress.operation != nullptr && progress.operation->is_listed()) {
    base = std::make_unique<TrackedWrites>(std::move(base), progress);
  }
  *file = std::make_unique<ChecksummedWrites>(std::move(base),
                                              std::move(checksum).value());
  return Status::OK();
}

void CountTableFile(const DBContext& context, const std::string& path,
                    uint64_t bytes) {
  SstFileManagerImpl* const manager = context.sst_file_manager();
  if (manager != nullptr) manager->files().Add(path, bytes);
}

void ForgetTableFile(const DBContext& context,
                     const std::string& path) noexcept {
  SstFileManagerImpl* const manager = context.sst_file_manager();
  if (manager != nullptr) manager->files().Remove(path);
}

Status RemoveTableFile(const DBContext& context, const std::string& path) {
  SstFileManagerImpl* const manager = context.sst_file_manager();
  return manager != nullptr ? manager->DeleteAtOnce(context.fs(), path)
                            : context.fs()->RemoveFile(path);
}

Status DeleteObsoleteFile(const DBContext& context, const std::string& path) {
  SstFileManagerImpl* const manager = context.sst_file_manager();
  const auto file = ParseFileName(path.substr(path.rfind('/') + 1));
  const bool managed =
      file && (file->type == FileKind::kTable || file->type == FileKind::kLog ||
               file->type == FileKind::kTrash);
  if (manager == nullptr || !managed) return context.fs()->RemoveFile(path);
  return manager->Delete(context.options.file_system, path);
}

}  // namespace tamis
