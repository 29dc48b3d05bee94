// SPDX-License-Identifier: Apache-2.0
//
// Includes a header and uses nothing of it: a test expects the rule to find it.
#pragma once

#include "db/twice.h"

namespace tamis {
class UsesNothing {};
}  // namespace tamis
