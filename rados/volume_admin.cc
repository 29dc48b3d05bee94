// SPDX-License-Identifier: Apache-2.0
#include "rados/volume_admin.h"

#include <algorithm>
#include <map>
#include <set>

#include "rados/shared_directory.h"

namespace tamis::rados {

namespace {

// The id in "<volume>/<id>.<n>"; empty: it is no stripe.
std::string IdOf(const std::string& object, const std::string& volume) {
  const size_t begin = volume.size() + 1;
  const size_t end = object.rfind('.');
  return end == std::string::npos || end <= begin
             ? ""
             : object.substr(begin, end - begin);
}

}  // namespace

Status ListVolumes(ObjectStore* store, std::vector<std::string>* volumes) {
  volumes->clear();
  std::vector<std::string> objects;
  const StoreResult listed = RetryUntilKnown(
      store, [&] { return store->ListObjects(Pool::kNames, "", &objects); },
      kNeverEnds);
  if (!listed.ok()) return StatusOf("the pool of names", "list", listed);
  for (const std::string& object : objects) {
    std::string epoch;
    if (!CheckVolumeName(object).ok()) continue;  // of another pool's stripes
    const StoreResult got = RetryUntilKnown(
        store,
        [&] {
          return store->GetAttribute(NamesObject(object), kEpochAttribute,
                                     &epoch);
        },
        kNeverEnds);
    if (got.ok()) volumes->push_back(object);
  }
  std::sort(volumes->begin(), volumes->end());
  return Status::OK();
}

Status ReadVolume(ObjectStore* store, const std::string& volume,
                  VolumeFacts* facts) {
  *facts = VolumeFacts();
  const ObjectName object = NamesObject(volume);
  const auto ask = [&](const auto& call) {
    return StatusOf("volume " + volume, "read it",
                    RetryUntilKnown(store, call, kNeverEnds));
  };
  std::string epoch;
  std::string owner;
  EntryMap names;
  EntryMap trash;
  EntryMap pins;
  Status status =
      ask([&] { return store->GetAttribute(object, kEpochAttribute, &epoch); });
  if (status.ok()) status = DecodeEpoch(volume, epoch, &facts->epoch);
  if (status.ok()) {
    status = ask(
        [&] { return store->GetAttribute(object, kOwnerAttribute, &owner); });
  }
  if (status.ok()) {
    status =
        ask([&] { return store->GetEntries(object, kNamePrefix, &names); });
  }
  if (status.ok()) {
    status =
        ask([&] { return store->GetEntries(object, kTrashPrefix, &trash); });
  }
  if (status.ok()) {
    status = ask([&] { return store->GetEntries(object, kPinPrefix, &pins); });
  }
  if (status.ok()) status = DecodeNames(volume, names, &facts->names);
  if (status.ok()) status = DecodeTrash(volume, trash, &facts->trash);
  if (status.ok()) status = DecodePins(volume, pins, &facts->pins);
  if (!status.ok()) return status;
  facts->owner = owner.substr(0, owner.find(' '));
  const StoreResult held = RetryUntilKnown(
      store, [&] { return store->GetLeaseHolder(object, &facts->holder); },
      kNeverEnds);
  facts->has_lease = held.ok();
  return held.code == StoreCode::kNotFound
             ? status
             : StatusOf("volume " + volume, "look for its owner", held);
}

// Stripes are listed before names are read: a file has its name before it has a
// stripe, so what has no name by then never gets one.
Status FindOrphans(ObjectStore* store, const std::string& volume,
                   std::vector<ObjectName>* orphans) {
  orphans->clear();
  std::set<ObjectName> stripes;
  for (const Pool pool : {Pool::kNames, Pool::kLogs, Pool::kTables}) {
    std::vector<std::string> objects;
    const StoreResult listed = RetryUntilKnown(
        store, [&] { return store->ListObjects(pool, volume + "/", &objects); },
        kNeverEnds);
    if (!listed.ok()) return StatusOf("volume " + volume, "list", listed);
    for (const std::string& object : objects) stripes.insert({pool, object});
  }
  VolumeFacts facts;
  Status status = ReadVolume(store, volume, &facts);
  if (!status.ok()) return status;
  std::set<std::string> known;
  for (const auto& [path, entry] : facts.names) {
    known.insert(entry.id);
    if (!entry.is_shared()) continue;
    NameMap files;
    status = SharedDirectory(store, volume, entry.id).List(&files);
    if (!status.ok()) return status;
    for (const auto& [name, file] : files) known.insert(file.id);
  }
  for (const auto& [id, entry] : facts.trash) known.insert(id);
  for (const ObjectName& stripe : stripes) {
    const std::string id = IdOf(stripe.name, volume);
    if (!id.empty() && !known.contains(id)) orphans->push_back(stripe);
  }
  return status;
}

Status RemoveObjects(ObjectStore* store,
                     const std::vector<ObjectName>& objects) {
  ObjectWrite remove;
  remove.Remove();
  for (const ObjectName& object : objects) {
    const StoreResult removed = RetryUntilKnown(
        store, [&] { return store->Apply(object, remove); }, kNeverEnds);
    if (!removed.ok() && removed.code != StoreCode::kNotFound) {
      return StatusOf(object.name, "remove", removed);
    }
  }
  return Status::OK();
}

}  // namespace tamis::rados
