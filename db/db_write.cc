// SPDX-License-Identifier: Apache-2.0
//
// DBImpl::Write checks the call and the batch, then calls the write path
// (write_path.h).
#include "db/db_impl.h"
#include "db/wal/write_batch_internal.h"
#include "util/stats/histogram_timer.h"

namespace tamis {

Status DBImpl::CheckOpen() const {
  if (!closed_.load(std::memory_order_acquire)) return Status::OK();
  return Status::ShutdownInProgress(context_.directory,
                                    "the database is closed");
}

Status DBImpl::CheckMayWrite() const {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (!context_.read_only) return Status::OK();
  return Status::NotSupported(context_.directory,
                              "the database is open for reading only");
}

Status DBImpl::Write(const WriteOptions& options, WriteBatch* batch) {
  const HistogramTimer timing(context_.statistics(), DB_WRITE);
  if (batch == nullptr) {
    return Status::InvalidArgument("Write", "the batch is nullptr");
  }
  if (options.sync && options.disableWAL) {
    return Status::InvalidArgument("WriteOptions",
                                   "sync and disableWAL exclude each other");
  }
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  if (options.low_pri) [[unlikely]] {
    TAMIS_RETURN_IF_ERROR(write_path_.DelayLowPriority(batch->GetDataSize(),
                                                       options.no_slowdown));
  }
  WriteQueue::Writer writer(batch, options);
  if (!WriteBatchInternal::IsPlain(*batch)) {
    TAMIS_RETURN_IF_ERROR(write_path_.CheckBatch(
        *batch, options.ignore_missing_column_families, &writer.families));
  }
  return write_path_.Write(&writer);
}

}  // namespace tamis
