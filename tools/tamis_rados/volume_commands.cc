// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_rados/volume_commands.h"

#include <memory>
#include <string>
#include <vector>

#include "rados/volume.h"
#include "rados/volume_admin.h"
#include "rados/volume_layout.h"
#include "tools/json_text.h"
#include "tools/tamis_rados/flags.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

const char* KindOf(const rados::FileEntry& entry) {
  if (entry.is_directory()) return "directory";
  return entry.is_open() ? "open" : "closed";
}

Status Read(const std::string& volume, rados::VolumeFacts* facts) {
  std::unique_ptr<rados::ObjectStore> store;
  const Status status = Connect(&store);
  return status.ok() ? rados::ReadVolume(store.get(), volume, facts) : status;
}

}  // namespace

int List(const Call& /*call*/) {
  std::unique_ptr<rados::ObjectStore> store;
  std::vector<std::string> volumes;
  Status status = Connect(&store);
  if (status.ok()) status = rados::ListVolumes(store.get(), &volumes);
  if (!status.ok()) return Failed(status);
  for (const std::string& volume : volumes) {
    Print(FLAGS_json ? JsonObject().Text("volume", volume).ToString() + "\n"
                     : volume + "\n");
  }
  return kExitRight;
}

int ShowOwner(const Call& call) {
  rados::VolumeFacts facts;
  const Status status = Read(call.words[0], &facts);
  if (!status.ok()) return Failed(status);
  if (FLAGS_json) {
    Print(JsonObject()
              .Text("volume", call.words[0])
              .Number("epoch", facts.epoch)
              .Text("owner", facts.owner)
              .Text("lease", facts.has_lease ? facts.holder.client : "")
              .ToString() +
          "\n");
    return kExitRight;
  }
  Print("epoch " + std::to_string(facts.epoch) + "\n");
  Print("owner " +
        (facts.owner.empty() ? "none: the last one left" : facts.owner) + "\n");
  Print("lease " + (facts.has_lease ? facts.holder.client : "none") + "\n");
  return kExitRight;
}

int ShowFiles(const Call& call) {
  rados::VolumeFacts facts;
  const Status status = Read(call.words[0], &facts);
  if (!status.ok()) return Failed(status);
  for (const auto& [path, entry] : facts.names) {
    if (FLAGS_json) {
      Print(JsonObject()
                .Text("path", path)
                .Text("kind", KindOf(entry))
                .Text("id", entry.id)
                .Number("bytes", entry.size)
                .ToString() +
            "\n");
    } else {
      Print(std::string(KindOf(entry)) + " " +
            (entry.is_directory() ? "-" : entry.id) + " " +
            std::to_string(entry.size) + " " + path + "\n");
    }
  }
  for (const auto& [id, entry] : facts.trash) {
    Print(FLAGS_json ? JsonObject()
                               .Text("kind", "removed")
                               .Text("id", id)
                               .Number("since", entry.seconds)
                               .Number("bytes", entry.size)
                               .Text("change", EncodeChange(entry.change))
                               .ToString() +
                           "\n"
                     : "removed " + id + " " + std::to_string(entry.size) +
                           " since " + std::to_string(entry.seconds) +
                           ", change " + EncodeChange(entry.change) + "\n");
  }
  return kExitRight;
}

int ShowPins(const Call& call) {
  rados::VolumeFacts facts;
  const Status status = Read(call.words[0], &facts);
  if (!status.ok()) return Failed(status);
  for (const auto& [reader, pin] : facts.pins) {
    std::string ids;
    for (const std::string& id : pin.ids) ids += (ids.empty() ? "" : " ") + id;
    Print(FLAGS_json
              ? JsonObject()
                        .Text("reader", reader)
                        .Number("lease_seconds", pin.lease_seconds)
                        .Number("beat", pin.beat)
                        .Text("change", EncodeChange(pin.change))
                        .Text("ids", ids)
                        .ToString() +
                    "\n"
              : "reader " + reader + " beat " + std::to_string(pin.beat) +
                    " change " + EncodeChange(pin.change) +
                    (ids.empty() ? "" : " and " + ids) + "\n");
  }
  return kExitRight;
}

int Fence(const Call& call) {
  std::shared_ptr<rados::Volume> volume;
  Status status = OpenVolume(call.words[0], /*take_over=*/true, &volume);
  if (status.ok()) status = volume->Lock("fence");
  if (!status.ok()) return Failed(status);
  Print("epoch " + std::to_string(volume->ownership()->epoch()) + "\n");
  volume->Unlock("fence");
  return kExitRight;
}

int Orphans(const Call& call) {
  std::unique_ptr<rados::ObjectStore> store;
  std::vector<rados::ObjectName> orphans;
  Status status = Connect(&store);
  if (status.ok()) {
    status = rados::FindOrphans(store.get(), call.words[0], &orphans);
  }
  if (!status.ok()) return Failed(status);
  for (const rados::ObjectName& orphan : orphans) Print(orphan.name + "\n");
  if (!FLAGS_remove) return kExitRight;
  status = rados::RemoveObjects(store.get(), orphans);
  if (!status.ok()) return Failed(status);
  Remark("removed " + std::to_string(orphans.size()) + " objects");
  return kExitRight;
}

}  // namespace tamis
