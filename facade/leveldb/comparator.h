// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <leveldb/comparator.h>

#include "tamis/comparator.h"

namespace tamis::facade {

// An order of LevelDB's for Tamis. It must outlive the result.
class ComparatorForTamis {
 public:
  explicit ComparatorForTamis(const leveldb::Comparator* order);

  const Comparator* get() const { return order_; }

 private:
  std::unique_ptr<const Comparator> own_;  // nullptr for the bytewise order
  const Comparator* order_;
};

}  // namespace tamis::facade
