// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/wait_graph.h"

#include <set>

namespace tamis {

bool WaitGraph::Add(TransactionID waiter,
                    const std::vector<TransactionID>& holders,
                    int64_t max_depth) {
  MutexLock lock(&mutex_);
  std::set<TransactionID> seen;
  std::vector<TransactionID> reached = holders;
  for (int64_t depth = 0; !reached.empty(); ++depth) {
    if (depth >= max_depth) return false;
    std::vector<TransactionID> next;
    for (const TransactionID holder : reached) {
      if (holder == waiter) return false;
      const auto waits = waits_.find(holder);
      if (waits == waits_.end() || !seen.insert(holder).second) continue;
      next.insert(next.end(), waits->second.begin(), waits->second.end());
    }
    reached = std::move(next);
  }
  waits_[waiter] = holders;
  return true;
}

void WaitGraph::Remove(TransactionID waiter) noexcept {
  MutexLock lock(&mutex_);
  waits_.erase(waiter);
}

}  // namespace tamis
