// SPDX-License-Identifier: Apache-2.0
//
// What guard_rule.sh is to find.
#include <string>

namespace tamis {

const std::string& MadeAtFirstUse() {
  static const std::string made(100, 'x');
  return made;
}

}  // namespace tamis
