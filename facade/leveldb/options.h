// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's options as those of Tamis, with the objects that they need.
#pragma once

#include <memory>
#include <optional>

#include <leveldb/options.h>

#include "tamis/options.h"

#include "facade/leveldb/comparator.h"

namespace tamis::facade {

// Must outlive what is opened with options().
class AdaptedOptions {
 public:
  explicit AdaptedOptions(const leveldb::Options& options);
  AdaptedOptions(const AdaptedOptions&) = delete;
  AdaptedOptions& operator=(const AdaptedOptions&) = delete;

  const Options& options() const { return options_; }

 private:
  ComparatorForTamis comparator_;
  Options options_;
};

ReadOptions ToTamis(const leveldb::ReadOptions& options);
WriteOptions ToTamis(const leveldb::WriteOptions& options);

}  // namespace tamis::facade
