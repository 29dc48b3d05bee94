// SPDX-License-Identifier: Apache-2.0
#include "table/table_tail.h"

#include <algorithm>

#include "util/io/file_io.h"

namespace tamis {

TableTail::TableTail(const RandomAccessFile& file, uint64_t file_size)
    : file_(file) {
  const auto n = static_cast<size_t>(std::min<uint64_t>(file_size, kBytesMax));
  begin_ = file_size - n;
  // IOStatsContext counts the time of this read. It counts the bytes later,
  // when a block is read. If this read fails, blocks are read from the file,
  // and the first of these reads reports the error.
  const IOTimer timer(&tls_iostats_context.read_nanos,
                      &tls_iostats_context.cpu_read_nanos);
  if (!file.Read(begin_, n, &bytes_, space_).ok()) bytes_ = Slice();
}

Status TableTail::Read(uint64_t offset, size_t n, Slice* result,
                       char* scratch) const {
  if (offset < begin_ || offset - begin_ > bytes_.size() ||
      n > bytes_.size() - (offset - begin_)) {
    return file_.Read(offset, n, result, scratch);
  }
  *result = Slice(bytes_.data() + (offset - begin_), n);
  return Status::OK();
}

}  // namespace tamis
