// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl for checksums of whole files.
#include "db/base/db_options.h"
#include "db/db_impl.h"
#include "util/coding/printable.h"
#include "util/io/file_checksum_maker.h"
#include "util/io/rate_limited_file.h"

namespace tamis {

namespace {

Status Verify(const DBContext& context, const FileMetaData& meta,
              const ReadOptions& options) {
  if (!meta.checksum.known()) return Status::OK();
  std::string path;
  auto file = OpenTableFile(context, meta,
                            FileOptionsForOnePass(context.options), &path);
  if (!file.ok()) return file.status();
  RateLimiter* const limiter = context.options.rate_limiter.get();
  if (limiter != nullptr && options.rate_limiter_priority < IO_TOTAL) {
    file = std::unique_ptr<RandomAccessFile>(std::make_unique<RateLimitedReads>(
        std::move(file).value(), meta.size, limiter,
        options.rate_limiter_priority, context.statistics()));
  }
  const auto maker =
      FileChecksumMaker::Make(context.options.file_checksum_gen_factory.get(),
                              path, meta.checksum.function);
  if (!maker.ok()) return maker.status();
  const auto computed =
      ChecksumOfFile(**file, options.readahead_size, maker->get());
  if (!computed.ok()) return computed.status();
  if (computed->value == meta.checksum.value) return Status::OK();
  return Status::Corruption(path, "its " + computed->function + " is " +
                                      PrintableHex(computed->value) +
                                      ", the MANIFEST has " +
                                      PrintableHex(meta.checksum.value));
}

}  // namespace

Status DBImpl::VerifyFileChecksums(const ReadOptions& options) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (context_.options.file_checksum_gen_factory == nullptr) {
    return Status::InvalidArgument(
        "VerifyFileChecksums",
        "DBOptions::file_checksum_gen_factory is nullptr");
  }
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  for (const ColumnFamilyPtr& family : *families) {
    const ReadStatePtr state = family->AcquireReadState();
    for (const Level level : kLevels) {
      for (const TableFilePtr& file : state->version->files(level)) {
        TAMIS_RETURN_IF_ERROR(CheckOpen());
        TAMIS_RETURN_IF_ERROR(Verify(context_, file->meta, options));
      }
    }
  }
  return Status::OK();
}

Status DBImpl::GetLiveFilesChecksumInfo(FileChecksumList* list) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (list == nullptr) {
    return Status::InvalidArgument("GetLiveFilesChecksumInfo",
                                   "the list is nullptr");
  }
  list->reset();
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  Status status;
  for (const ColumnFamilyPtr& family : *families) {
    const ReadStatePtr state = family->AcquireReadState();
    ForEachFile(*state->version, [&](Level, const TableFilePtr& file) {
      if (!status.ok()) return;
      const FileMetaData& meta = file->meta;
      status = list->InsertOneFileChecksum(
          meta.number.value(), meta.checksum.value, meta.checksum.function);
    });
  }
  return status;
}

}  // namespace tamis
