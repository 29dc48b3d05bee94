// SPDX-License-Identifier: Apache-2.0
//
// The database of the benchmarks: opened for writing, with transactions, or as
// a secondary instance, which a thread makes catch up at intervals.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "tamis/db.h"

#include "tools/tamis_db_bench/watchers.h"

namespace tamis::bench {

struct DatabaseKind {
  enum Kind { kPlain, kOptimisticTransactions, kTransactions, kSecondary };
  Kind kind = kPlain;
  std::string secondary_path = {};    // of kSecondary
  int seconds_between_catch_ups = 0;  // of kSecondary; 0: none
};

class BenchDatabase {
 public:
  // Opens it, if it is not open.
  Status Open(const DatabaseKind& kind, const Options& options,
              const std::string& directory);
  void Close();
  DB* get() const { return db_.get(); }
  // Returns the first error of a catch-up.
  Status CatchUpError() const;

 private:
  mutable std::mutex mutex_;
  Status catch_up_error_;
  std::unique_ptr<DB> db_;
  std::unique_ptr<Watcher> catch_ups_;
};

}  // namespace tamis::bench
