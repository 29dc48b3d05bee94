// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <leveldb/db.h>

#include "tamis/snapshot.h"

namespace tamis::facade {

class AdaptedSnapshot final : public leveldb::Snapshot {
 public:
  explicit AdaptedSnapshot(const tamis::Snapshot* snapshot)
      : snapshot_(snapshot) {}
  ~AdaptedSnapshot() override = default;

  const tamis::Snapshot* get() const { return snapshot_; }

 private:
  const tamis::Snapshot* const snapshot_;
};

}  // namespace tamis::facade
