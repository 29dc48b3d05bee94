// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <leveldb/write_batch.h>

namespace leveldb {

// The friend that leveldb::WriteBatch declares.
class WriteBatchInternal {
 public:
  // The bytes of the batch, which are those of a batch of Tamis's with entries
  // of the default family.
  static const std::string& Contents(const WriteBatch& batch) {
    return batch.rep_;
  }
  static std::string* MutableContents(WriteBatch* batch) {
    return &batch->rep_;
  }
};

}  // namespace leveldb
