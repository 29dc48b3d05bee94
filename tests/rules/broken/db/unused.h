// SPDX-License-Identifier: Apache-2.0
//
// Includes a header of which it uses nothing: a test expects the rule to say so.
#pragma once

#include "db/twice.h"

namespace tamis {
class UsesNothing {};
}  // namespace tamis
