// SPDX-License-Identifier: Apache-2.0
//
// The database that the flags name.
#pragma once

#include <functional>
#include <memory>

#include "tamis/db.h"

#include "util/result.h"

namespace tamis {

// InvalidArgument: a flag has a value that means nothing.
Result<Options> OptionsFromFlags();

enum class Access { kRead, kWrite, kCreate };

// Opens it, calls `use`, closes it. Returns an ExitCode: that of `use`, or of
// what else failed.
int WithDatabase(Access access, const std::function<int(DB*)>& use);

}  // namespace tamis
