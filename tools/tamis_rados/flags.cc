// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_rados/flags.h"

#include <utility>

#include "tamis/rados.h"

#include "rados/librados_store.h"
#include "rados/volume_layout.h"
#include "tools/command_table.h"

TAMIS_FLAG(string, config, "", "FILE",
           "Ceph's configuration; empty: where Ceph looks for it");
TAMIS_FLAG(string, id, "admin", "NAME", "connect as client.NAME");
TAMIS_FLAG(string, names_pool, "", "POOL", "the pool of names");
TAMIS_FLAG(string, log_pool, "", "POOL",
           "the pool of logs; empty: that of names");
TAMIS_FLAG(string, table_pool, "", "POOL",
           "the pool of tables; empty: that of logs");
TAMIS_FLAG(uint32, lease_seconds, 10, "N",
           "the lease that the volume's owners take", tamis::AtLeast(1));
TAMIS_FLAG(bool, json, false, "", "as JSON");
TAMIS_FLAG(bool, remove, false, "", "remove them");

namespace tamis {

namespace {

RadosOptions OptionsOfFlags() {
  RadosOptions options;
  options.config_file = FLAGS_config;
  options.client_id = FLAGS_id;
  options.names_pool = FLAGS_names_pool;
  options.log_pool = FLAGS_log_pool;
  options.table_pool = FLAGS_table_pool;
  options.lease_seconds = FLAGS_lease_seconds;
  return options;
}

}  // namespace

Status Connect(std::unique_ptr<rados::ObjectStore>* store) {
  return rados::NewLibradosStore(OptionsOfFlags(), store);
}

Status OpenVolume(const std::string& name, bool take_over,
                  std::shared_ptr<rados::Volume>* volume) {
  Status status = rados::CheckVolumeName(name);
  std::unique_ptr<rados::ObjectStore> store;
  if (status.ok()) status = Connect(&store);
  if (!status.ok()) return status;
  RadosOptions options = OptionsOfFlags();
  options.volume = name;
  options.take_over = take_over;
  *volume = std::make_shared<rados::Volume>(
      std::move(store), rados::Volume::OptionsFrom(options));
  return status;
}

}  // namespace tamis
