// SPDX-License-Identifier: Apache-2.0
//
// The background error: the first failure of a log write, a flush, a
// compaction or a MANIFEST write. While it stands, writes fail with it, reads
// go on, and no background work starts; DB::Resume clears it.
//
// Under the database's mutex.
#pragma once

#include <utility>

#include "tamis/status.h"

#include "db/db_context.h"

namespace tamis {

class ErrorHandler {
 public:
  explicit ErrorHandler(const DBContext& context) : context_(context) {}

  // The first one counts. `where`: "flush", "compaction", "wal", ...
  void Set(const char* where, const Status& error) {
    context_.event_log->Event("background_error")
        .Add("in", Slice(where))
        .Add("status", error);
    if (error_.ok()) error_ = error;
  }
  void Clear() { error_ = Status::OK(); }

  bool ok() const { return error_.ok(); }
  const Status& error() const { return error_; }

 private:
  const DBContext& context_;
  Status error_;
};

}  // namespace tamis
