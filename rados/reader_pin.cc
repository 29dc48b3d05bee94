// SPDX-License-Identifier: Apache-2.0
#include "rados/reader_pin.h"

#include <unistd.h>
#include <utility>

namespace tamis::rados {

ReaderPin::ReaderPin(ObjectStore* store, Clock* clock, std::string volume,
                     uint32_t lease_seconds)
    : store_(store),
      clock_(clock),
      volume_(std::move(volume)),
      object_(NamesObject(volume_)),
      lease_seconds_(lease_seconds),
      process_(::getpid()) {}

ReaderPin::Hold::~Hold() {
  if (pin_->process_ != ::getpid()) return;
  const std::lock_guard lock(pin_->files_mutex_);
  if (id_.empty()) {
    --pin_->looking_;
    return;
  }
  const auto file = pin_->files_.find(id_);
  if (--file->second == 0) pin_->files_.erase(file);
}

void ReaderPin::Hold::Found(const std::string& id) {
  const std::lock_guard lock(pin_->files_mutex_);
  ++pin_->files_[id];
  --pin_->looking_;
  id_ = id;
}

Status ReaderPin::Begin(std::unique_ptr<Hold>* hold, bool* is_new) {
  const std::lock_guard lock(write_mutex_);
  *is_new = false;
  const uint64_t lease = uint64_t{lease_seconds_} * 1'000'000'000;
  if (key_.empty() || clock_->NowNanos() - written_at_ >= lease) {
    // The owner may have ended one that was not renewed in time.
    PinEntry entry = entry_;
    StoreResult result;
    if (key_.empty()) {
      entry = PinEntry();
      entry.lease_seconds = lease_seconds_;
      result = RetryUntilKnown(
          store_, [&] { return ReadChange(&entry.change); }, kNeverEnds);
      // A late request for a pin that ended must not end this one.
      key_ = kPinPrefix + NewUniqueName();
      *is_new = true;
    }
    ++entry.beat;
    if (result.ok()) {
      result = RetryUntilKnown(
          store_, [&] { return Write(entry); }, kNeverEnds);
    }
    if (!result.ok()) {
      if (*is_new) key_.clear();
      return StatusOf("volume " + volume_, "pin its files", result);
    }
    BeginPeriod();
  }
  const std::lock_guard files_lock(files_mutex_);
  *hold = std::make_unique<Hold>(this);
  ++looking_;
  return Status::OK();
}

// Nobody begins to look a name up meanwhile: that takes the mutex.
void ReaderPin::Renew() {
  const std::lock_guard lock(write_mutex_);
  if (key_.empty()) return;
  bool moves_on = false;
  {
    const std::lock_guard files_lock(files_mutex_);
    moves_on = looking_ == 0;
    if (moves_on && files_.empty()) {
      EndLocked();
      return;
    }
  }
  PinEntry next = entry_;
  if (moves_on) {
    BeginPeriod();  // also if the outcome is unknown
    MoveOn(&next);
  }
  ++next.beat;
  const StoreResult written = Write(next);
  static_cast<void>(written);  // the next round tries again
}

// What is open and had lost its name by the change is in the trash, where the
// present pin holds it: it had its name at the change of that, or is in it.
void ReaderPin::MoveOn(PinEntry* pin) {
  PinEntry next = *pin;
  EntryMap entries;
  TrashMap trash;
  if (!ReadChange(&next.change).ok() ||
      !store_->GetEntries(object_, kTrashPrefix, &entries).ok() ||
      !DecodeTrash(volume_, entries, &trash).ok()) {
    return;  // the next round tries again
  }
  next.ids.clear();
  const std::lock_guard files_lock(files_mutex_);
  for (const auto& [id, count] : files_) {
    if (trash.contains(id)) next.ids.insert(id);
  }
  *pin = std::move(next);
}

void ReaderPin::End() {
  const std::lock_guard lock(write_mutex_);
  if (!key_.empty()) EndLocked();
}

bool ReaderPin::has_pin() const {
  const std::lock_guard lock(write_mutex_);
  return !key_.empty();
}

// Without an answer, the pin ends when its beat has not changed for a lease.
void ReaderPin::EndLocked() {
  ObjectWrite write;
  write.RemoveEntry(key_);
  const StoreResult removed = store_->Apply(object_, write);
  static_cast<void>(removed);
  key_.clear();
  period_ = 0;
  entry_ = PinEntry();
}

// An entry that arrives late, after a newer one, does no harm: it holds what
// was open then, and all that had a name after that.
StoreResult ReaderPin::Write(const PinEntry& entry) {
  ObjectWrite write;
  write.SetEntry(key_, EncodePin(entry));
  StoreResult result = store_->Apply(object_, write);
  if (result.ok()) {
    entry_ = entry;
    written_at_ = clock_->NowNanos();
  }
  return result;
}

StoreResult ReaderPin::ReadChange(ChangeNumber* change) {
  std::string text;
  StoreResult read = store_->GetAttribute(object_, kChangeAttribute, &text);
  if (read.ok() && !DecodeChange(volume_, text, change).ok()) {
    read = {StoreCode::kFailed, "the change is malformed"};
  }
  return read;
}

}  // namespace tamis::rados
