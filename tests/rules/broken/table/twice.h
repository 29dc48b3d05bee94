// SPDX-License-Identifier: Apache-2.0
// For tests of the rule: also defined in ../db/twice.h.
#pragma once

namespace tamis {

class Twice {
 public:
  bool value = false;
};

}  // namespace tamis
