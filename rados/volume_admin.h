// SPDX-License-Identifier: Apache-2.0
//
// What an operator asks of volumes: which there are, who owns them, what they
// hold, and what is left in the pools that no name leads to. Nothing here takes
// a volume over, or needs to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/status.h"

#include "rados/object_store.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

struct VolumeFacts {
  uint64_t epoch = 0;
  std::string owner;  // its address; empty: the last one left
  bool has_lease = false;
  LeaseHolder holder;  // of the lease
  NameMap names;
  TrashMap trash;
  PinMap pins;
};

// Sets *volumes to the names of all volumes in the pool of names, in order.
// Looks at all of its objects.
Status ListVolumes(ObjectStore* store, std::vector<std::string>* volumes);

// Returns IsPathNotFound() if there is no such volume.
Status ReadVolume(ObjectStore* store, const std::string& volume,
                  VolumeFacts* facts);

// Sets *orphans to the objects of the volume that belong to no file, and to no
// shared directory: what late requests of former owners and guests created.
// Looks at all objects of the pools. The volume may be in use.
Status FindOrphans(ObjectStore* store, const std::string& volume,
                   std::vector<ObjectName>* orphans);
// Removes objects. That some are gone is no error.
Status RemoveObjects(ObjectStore* store,
                     const std::vector<ObjectName>& objects);

}  // namespace tamis::rados
