// SPDX-License-Identifier: Apache-2.0
//
// The flags of tamis_rados, and the cluster that they name.
#pragma once

#include <memory>
#include <string>

#include <gflags/gflags.h>

#include "tamis/status.h"

#include "rados/object_store.h"
#include "rados/volume.h"

DECLARE_bool(json);
DECLARE_bool(remove);

namespace tamis {

// Connects to the cluster.
Status Connect(std::unique_ptr<rados::ObjectStore>* store);
// Connects, for changes of a volume.
Status OpenVolume(const std::string& name, bool take_over,
                  std::shared_ptr<rados::Volume>* volume);

}  // namespace tamis
