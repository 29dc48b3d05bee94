// SPDX-License-Identifier: Apache-2.0
//
// What every ObjectStore must do, as rados/object_store.h says: run over the
// simulation in tests, and over a cluster by tests/cluster, so that the two are
// the same where the file system relies on it.
#pragma once

#include <string>
#include <vector>

#include "rados/object_store.h"

namespace tamis::rados {

// Returns what is wrong; empty: nothing. Works on objects whose names begin
// with `prefix`, and removes them. Two clients of one cluster.
std::vector<std::string> CheckObjectStore(ObjectStore* store,
                                          ObjectStore* other,
                                          const std::string& prefix);

}  // namespace tamis::rados
