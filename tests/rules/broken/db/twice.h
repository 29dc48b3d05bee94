// SPDX-License-Identifier: Apache-2.0
// For tests of the rule: also defined in ../table/twice.h.
#pragma once

namespace tamis {

class Twice {
 public:
  int value = 0;
};

}  // namespace tamis
