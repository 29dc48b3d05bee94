// SPDX-License-Identifier: Apache-2.0
//
// A TableTail is the file of a table that is being opened. It reads the last
// bytes at once, in which there is most of what an open needs:
//
//   |data blocks ...|filter|index|properties|metaindex|footer|
//                           |◀──────────── tail ────────────▶|
//
// An open reads footer, metaindex, properties, index and filter one after the
// other, each found through those before it. Where a read takes a device's or a
// network's latency, that is one of them instead of five, for a small table, or
// three, for one whose index and filter are before the tail.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/file_system.h"

namespace tamis {

class TableTail final : public RandomAccessFile {
 public:
  // `file` must outlive *this.
  TableTail(const RandomAccessFile& file, uint64_t file_size);

  // What is in the tail is valid until *this is destroyed.
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override;
  size_t GetRequiredBufferAlignment() const override {
    return file_.GetRequiredBufferAlignment();
  }

 private:
  static constexpr size_t kBytesMax = 8 << 10;

  const RandomAccessFile& file_;
  uint64_t begin_;
  Slice bytes_;  // from begin_ on; empty if they could not be read
  char space_[kBytesMax];
};

}  // namespace tamis
