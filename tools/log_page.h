// SPDX-License-Identifier: Apache-2.0
//
// What LOG tells of a database, as a page with charts. The database need not be
// there.
#pragma once

#include <string>
#include <vector>

#include "tools/log_events.h"

namespace tamis {

// The levels are those of the family; all else is of the whole database.
std::string LogPage(const std::string& title, const std::string& family,
                    const std::vector<LogEvent>& events);

}  // namespace tamis
