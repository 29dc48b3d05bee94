// SPDX-License-Identifier: Apache-2.0
//
// For tests of the rules: a walk over words, and a mutex that no page lists.
// The comment goes on.
#pragma once

namespace tamis {

class Unlisted {
  Mutex forgotten_mutex_;
};

}  // namespace tamis
