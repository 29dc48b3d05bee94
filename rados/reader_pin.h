// SPDX-License-Identifier: Apache-2.0
//
// A ReaderPin tells the owner of a volume which files a client that is not the
// owner may have open, so that their bytes stay when they lose their names:
//
//   read `change`, write p<reader> ──▶ look a name up ──▶ the file is open
//
// The pin names a change: whatever lost its name after that may be open. Now
// and then it moves on, to the present change and the ids of those open files
// that have no name any more. It ends with the last open file. A pin whose beat
// does not change for a lease is one of a reader that is gone.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tamis/clock.h"
#include "tamis/status.h"

#include "rados/object_store.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

class ReaderPin {
 public:
  // `store` and `clock` must outlive the object.
  ReaderPin(ObjectStore* store, Clock* clock, std::string volume,
            uint32_t lease_seconds);
  ReaderPin(const ReaderPin&) = delete;
  ReaderPin& operator=(const ReaderPin&) = delete;

  // Is held from before a name is looked up until the file is closed.
  // `pin` must outlive it.
  class Hold {
   public:
    explicit Hold(ReaderPin* pin) : pin_(pin) {}
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // The name led to this file.
    void Found(const std::string& id);

   private:
    ReaderPin* const pin_;
    std::string id_;  // empty: not found yet
  };

  // Sees to it that there is a pin. Sets *is_new to whether it was written.
  Status Begin(std::unique_ptr<Hold>* hold, bool* is_new);
  // Beats, moves on, or ends the pin.
  void Renew();
  // Ends it: nothing is open any more.
  void End();
  bool has_pin() const;
  // Changes whenever the pin begins, moves on or ends; 0: there is none. All
  // that has a name in a period has its bytes until the period ends, or for as
  // long as it is open; it does not end during a Hold that is not Found yet.
  uint64_t period() const { return period_; }

 private:
  // All with write_mutex_ held.
  void BeginPeriod() { period_ = ++periods_; }
  void MoveOn(PinEntry* pin);
  StoreResult Write(const PinEntry& entry);
  StoreResult ReadChange(ChangeNumber* change);
  void EndLocked();

  ObjectStore* const store_;
  Clock* const clock_;
  const std::string volume_;
  const ObjectName object_;
  const uint32_t lease_seconds_;
  const int process_;  // a forked child has its parent's mutexes as they were

  mutable std::mutex write_mutex_;  // held while the pin is written
  std::string key_;                 // of the pin; empty: there is none
  PinEntry entry_;
  uint64_t written_at_ = 0;  // in nanoseconds of the clock
  uint64_t periods_ = 0;
  std::atomic<uint64_t> period_{0};

  std::mutex files_mutex_;
  std::map<std::string, uint32_t> files_;  // open, by id
  uint64_t looking_ = 0;                   // holds without a file
};

}  // namespace tamis::rados
