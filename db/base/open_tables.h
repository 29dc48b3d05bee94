// SPDX-License-Identifier: Apache-2.0
//
// The open tables of a database where max_open_files limits their number, and
// the clock hand that closes them. A reader is a descriptor, a resident index
// and perhaps a filter: the hand closes all three together. A reader in use is
// destroyed after its last use, so that at most `limit` tables are open besides
// those in use.
//
// TableCache moves the hand.
#pragma once

#include <cstddef>
#include <vector>

#include "util/base/mutex.h"

namespace tamis {

class TableFile;

struct OpenTables {
  // REQUIRES: max > 0
  explicit OpenTables(size_t max) : limit(max) {}

  const size_t limit;
  Mutex mutex;
  // Its capacity includes those being opened.
  std::vector<const TableFile*> ring GUARDED_BY(mutex);
  size_t hand GUARDED_BY(mutex) = 0;
  size_t being_opened GUARDED_BY(mutex) = 0;
};

}  // namespace tamis
