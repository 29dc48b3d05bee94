// SPDX-License-Identifier: Apache-2.0
#include "db/backup/file_copier.h"

#include <algorithm>

#include "util/base/exceptions.h"
#include "util/coding/crc32c.h"
#include "util/io/file_io.h"
#include "util/jobs/parallel_for.h"
#include "util/jobs/thread_job_runner.h"

namespace tamis {

namespace {

constexpr size_t kChunkBytes = 1024 * 1024;

void Request(RateLimiter* limiter, size_t bytes, RateLimiter::OpType type) {
  if (limiter == nullptr || bytes == 0) return;
  limiter->Request(static_cast<int64_t>(bytes), IO_LOW, nullptr, type);
}

}  // namespace

FileCopier::FileCopier(FileCopierOptions options)
    : options_(std::move(options)), limiter_(options_.limiter) {
  if (limiter_ == nullptr && options_.bytes_per_second > 0) {
    limiter_.reset(NewGenericRateLimiter(
        static_cast<int64_t>(
            std::min<uint64_t>(options_.bytes_per_second, uint64_t{1} << 40)),
        100 * 1000, 10, RateLimiter::Mode::kWritesOnly,
        /*auto_tuned=*/false));
  }
  if (options_.threads > 1) {
    runner_ = NewHelperThreads(static_cast<size_t>(options_.threads - 1));
  }
}

Status FileCopier::Report(uint64_t* unreported, size_t bytes) {
  *unreported += bytes;
  if (!options_.progress || *unreported < options_.progress_bytes) {
    return Status::OK();
  }
  *unreported = 0;
  MutexLock lock(&report_mutex_);
  return CatchExceptions([&] {
    options_.progress();
    return Status::OK();
  });
}

Status FileCopier::ReadAll(const CopySource& from, const Sink& sink,
                           uint32_t* crc32c) {
  uint64_t size = 0;
  TAMIS_RETURN_IF_ERROR(from.fs->GetFileSize(from.path, &size));
  if (size < from.bytes || (size > from.bytes && !from.trim)) {
    return Status::Corruption(
        from.path, "expected " + std::to_string(from.bytes) + " bytes, found " +
                       std::to_string(size));
  }
  std::unique_ptr<SequentialFile> in;
  TAMIS_RETURN_IF_ERROR(file_io::Open(from.fs, from.path, &in));
  const size_t chunk_bytes =
      static_cast<size_t>(std::min<uint64_t>(from.bytes, kChunkBytes));
  const auto scratch = std::make_unique<char[]>(chunk_bytes);
  uint64_t left = from.bytes;
  uint64_t unreported = 0;
  *crc32c = 0;
  while (left > 0) {
    if (options_.stop != nullptr && options_.stop->load()) {
      return Status::Incomplete("Backup stopped");
    }
    const auto wanted =
        static_cast<size_t>(std::min<uint64_t>(left, chunk_bytes));
    Request(limiter_.get(), wanted, RateLimiter::OpType::kRead);
    Slice chunk;
    TAMIS_RETURN_IF_ERROR(
        file_io::Read(in.get(), wanted, &chunk, scratch.get()));
    if (chunk.empty()) {
      return Status::Corruption(
          from.path,
          "short read: " + std::to_string(left) + " bytes are missing");
    }
    *crc32c = crc32c::Extend(*crc32c, chunk.data(), chunk.size());
    TAMIS_RETURN_IF_ERROR(sink(chunk));
    TAMIS_RETURN_IF_ERROR(Report(&unreported, chunk.size()));
    left -= chunk.size();
  }
  return Status::OK();
}

Status FileCopier::Copy(const CopySource& from, FileSystem* to_fs,
                        const std::string& to, FileChecksumMaker* checksum,
                        uint32_t* crc32c) {
  std::unique_ptr<WritableFile> out;
  TAMIS_RETURN_IF_ERROR(
      file_io::Create(to_fs, to, {.expected_size = from.bytes}, &out));
  const Sink sink = [&](const Slice& chunk) {
    if (checksum != nullptr) TAMIS_RETURN_IF_ERROR(checksum->Update(chunk));
    Request(limiter_.get(), chunk.size(), RateLimiter::OpType::kWrite);
    return file_io::Append(out.get(), chunk);
  };
  TAMIS_RETURN_IF_ERROR(ReadAll(from, sink, crc32c));
  if (options_.sync) TAMIS_RETURN_IF_ERROR(file_io::Sync(out.get()));
  return out->Close();
}

Status FileCopier::Write(const Slice& bytes, FileSystem* to_fs,
                         const std::string& to, uint32_t* crc32c) {
  *crc32c = crc32c::Value(bytes.data(), bytes.size());
  Request(limiter_.get(), bytes.size(), RateLimiter::OpType::kWrite);
  return WriteStringToFile(to_fs, bytes, to, options_.sync);
}

Status FileCopier::Read(const CopySource& from, uint32_t* crc32c) {
  return ReadAll(
      from, [](const Slice&) { return Status::OK(); }, crc32c);
}

Status FileCopier::Run(size_t n, const std::function<Status(size_t)>& part) {
  return ParallelFor(runner_.get(), n, part);
}

}  // namespace tamis
