// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tamis/status.h"
#include "tamis/utilities/backup_engine.h"

namespace tamis {

// Returns InvalidArgument, which names the option, if a value means nothing.
Status CheckBackupOptions(const BackupEngineOptions& options);

}  // namespace tamis
