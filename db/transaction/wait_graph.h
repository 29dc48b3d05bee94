// SPDX-License-Identifier: Apache-2.0
//
// Which transaction waits for which: an edge for each holder of the lock that
// it wants. A wait that closes a circle would never end.
//
// Any thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tamis/utilities/transaction.h"

#include "util/base/mutex.h"

namespace tamis {

class WaitGraph {
 public:
  // Notes that `waiter` waits for the holders, and returns true. Returns false,
  // and notes nothing, if one of them waits for `waiter`, through others too,
  // or if that took more than max_depth steps to tell. May throw
  // std::bad_alloc.
  bool Add(TransactionID waiter, const std::vector<TransactionID>& holders,
           int64_t max_depth) EXCLUDES(mutex_);
  void Remove(TransactionID waiter) noexcept EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::unordered_map<TransactionID, std::vector<TransactionID>> waits_
      GUARDED_BY(mutex_);
};

}  // namespace tamis
