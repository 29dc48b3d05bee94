// SPDX-License-Identifier: Apache-2.0
//
// The ObjectStore of a Ceph cluster, through librados.
#pragma once

#include <memory>

#include "tamis/rados.h"
#include "tamis/status.h"

#include "rados/object_store.h"

namespace tamis::rados {

// Connects. Returns an error that names the configuration or the pool.
Status NewLibradosStore(const RadosOptions& options,
                        std::unique_ptr<ObjectStore>* store);

}  // namespace tamis::rados
