// SPDX-License-Identifier: Apache-2.0
//
// An event that docs/log.md of this folder has, and one that it lacks.
#include "db/twice.h"

void Log() {
  log->Event("listed").Add("status", status);
  log->Event(is_begin ? "listed" : "forgotten");
}
