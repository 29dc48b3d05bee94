// SPDX-License-Identifier: Apache-2.0
//
// What the caller of CompactRange may do meanwhile: cancel it.
#pragma once

#include <atomic>

#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

inline bool IsCanceled(const CompactRangeOptions& options) {
  return options.canceled != nullptr &&
         options.canceled->load(std::memory_order_relaxed);
}

// Returns what a canceled CompactRange returns.
inline Status Canceled() {
  return Status::Incomplete(Status::kManualCompactionPaused);
}

}  // namespace tamis
