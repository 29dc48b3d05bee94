// SPDX-License-Identifier: Apache-2.0
//
// OpenTables lists the open tables of a database that has a max_open_files
// limit. When the list is full, TableCache moves the hand to choose a table to
// close. Closing a table drops the list's reference to its reader, which holds
// the descriptor and, unless these are blocks of the cache, index and filter. A
// reader that is still in use is destroyed when its last user releases it. The
// number of open tables can therefore exceed `limit` by those that are closed
// but in use.
//
// DBContext owns it; without a limit there is none. It must outlive every
// TableFile in the ring. Any thread. table_cache.h states the lock order.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "util/base/mutex.h"

namespace tamis {

class TableFile;

struct OpenTables {
  // REQUIRES: max > 0
  explicit OpenTables(size_t max) : limit(max) {}

  std::atomic<size_t> limit;  // SetDBOptions changes it, under DBImpl::mutex_
  Mutex mutex;
  // The listed tables, in no order. The vector has capacity for those being
  // opened, so that push_back cannot throw. A TableFile removes itself when it
  // is destroyed.
  std::vector<const TableFile*> ring GUARDED_BY(mutex);
  // The index in `ring` at which the next search begins.
  size_t hand GUARDED_BY(mutex) = 0;
  // The number of tables that are being opened and not yet in `ring`.
  size_t being_opened GUARDED_BY(mutex) = 0;
};

}  // namespace tamis
