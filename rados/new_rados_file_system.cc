// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "tamis/rados.h"

#include "rados/librados_store.h"
#include "rados/local_cache.h"
#include "rados/rados_file_system.h"
#include "rados/volume_layout.h"

namespace tamis {

Status NewRadosFileSystem(const RadosOptions& options,
                          std::shared_ptr<FileSystem>* file_system) {
  file_system->reset();
  Status status = rados::CheckVolumeName(options.volume);
  if (status.ok() && options.names_pool.empty()) {
    status = Status::InvalidArgument("RadosOptions::names_pool", "is empty");
  }
  if (status.ok() && options.lease_seconds == 0) {
    status = Status::InvalidArgument("RadosOptions::lease_seconds", "is 0");
  }
  rados::Volume::Options volume = rados::Volume::OptionsFrom(options);
  if (status.ok() && !options.cache_directory.empty()) {
    status = rados::LocalCache::Open(options.cache_directory,
                                     options.cache_bytes, &volume.cache);
  }
  std::unique_ptr<rados::ObjectStore> store;
  if (status.ok()) status = rados::NewLibradosStore(options, &store);
  if (!status.ok()) return status;

  *file_system = std::make_shared<rados::RadosFileSystem>(
      std::make_shared<rados::Volume>(std::move(store), volume),
      options.flush_waits);
  return status;
}

}  // namespace tamis
