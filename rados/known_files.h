// SPDX-License-Identifier: Apache-2.0
//
// KnownFiles are those closed files whose names a reader has found in one
// period of its pin (reader_pin.h), by a listing or one by one. A table among
// them is opened without asking the cluster again:
//
//   pin ── listing ── open, open, open ── the pin moves on
//     └───────── one period: ──────────────┘
//      what had a name in it has its bytes
//
// A name of a table leads to one file for as long as its database exists. When
// another name turns out to lead to another file than it did, as CURRENT of a
// database that was opened anew, all are forgotten.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "rados/volume_layout.h"

namespace tamis::rados {

class KnownFiles {
 public:
  // Names that were found; `period` is the pin's, from before that. In period
  // 0, there is no pin, and nothing is known.
  void Add(uint64_t period, const NameMap& found);
  // Returns whether the path is known to lead to a closed table in this period,
  // and sets *entry.
  bool FindTable(uint64_t period, const std::string& path,
                 FileEntry* entry) const;

 private:
  mutable std::mutex mutex_;
  uint64_t period_ = 0;
  NameMap files_;
};

}  // namespace tamis::rados
