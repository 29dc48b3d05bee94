// SPDX-License-Identifier: Apache-2.0
#include "rados/pin_watch.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tamis::rados {

namespace {

constexpr uint64_t kNanosOfLeaseSecond = 1'000'000'000;

bool MayBeOpen(const PinMap& pins, const std::string& id,
               const TrashEntry& file) {
  return std::any_of(pins.begin(), pins.end(), [&](const auto& one) {
    const PinEntry& pin = one.second;
    return file.change > pin.change || pin.ids.contains(id);
  });
}

}  // namespace

PinWatch::PinWatch(ObjectStore* store, Ownership* ownership, Clock* clock,
                   std::string volume, const PinLimits& limits)
    : store_(store),
      ownership_(ownership),
      clock_(clock),
      volume_(std::move(volume)),
      limits_(limits) {}

// The files lost their names before the pins are read: a reader that looks one
// up later does not find it, and one that found it has a pin by now.
Status PinWatch::Hold(const TrashMap& files, std::set<std::string>* held) {
  held->clear();
  PinMap pins;
  const Status status = ReadPins(&pins);
  if (!status.ok()) return status;
  const uint64_t now = clock_->NowMicros() / 1'000'000;
  std::vector<std::pair<ChangeNumber, std::string>> wanted;
  for (const auto& [id, file] : files) {
    if (file.seconds + limits_.seconds <= now) continue;
    if (MayBeOpen(pins, id, file)) wanted.emplace_back(file.change, id);
  }
  std::sort(wanted.rbegin(), wanted.rend());
  uint64_t bytes = 0;
  for (const auto& [change, id] : wanted) {
    bytes += files.at(id).size;
    if (limits_.bytes != 0 && bytes > limits_.bytes) break;
    held->insert(id);
  }
  return status;
}

Status PinWatch::ReadPins(PinMap* pins) {
  EntryMap entries;
  const ObjectName object = NamesObject(volume_);
  const StoreResult got = store_->GetEntries(object, kPinPrefix, &entries);
  if (!got.ok()) return StatusOf("volume " + volume_, "read its pins", got);
  Status status = DecodePins(volume_, entries, pins);
  if (!status.ok()) return status;
  const uint64_t now = clock_->NowNanos();
  ObjectWrite remove;
  remove.RequireEqual(kEpochAttribute, ownership_->epoch_text());
  bool has_ended = false;
  std::map<std::string, Seen> seen;
  for (const auto& [key, text] : entries) {
    const std::string reader = key.substr(1);
    const auto before = seen_.find(reader);
    Seen one = {text, now};
    if (before != seen_.end() && before->second.text == text) {
      one.since = before->second.since;
    }
    if (now - one.since >
        pins->at(reader).lease_seconds * kNanosOfLeaseSecond) {
      has_ended = true;
      remove.RemoveEntry(key);
      pins->erase(reader);
    }
    seen.emplace(reader, std::move(one));
  }
  seen_ = std::move(seen);
  if (has_ended) {
    const StoreResult removed = store_->Apply(object, remove);
    static_cast<void>(removed);  // the next look tries again
  }
  return status;
}

}  // namespace tamis::rados
