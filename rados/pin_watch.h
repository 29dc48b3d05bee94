// SPDX-License-Identifier: Apache-2.0
//
// A PinWatch decides for the owner which removed files readers may have open
// (reader_pin.h). A reader whose beat has not changed for its lease, by the
// owner's own clock, is gone, and its pin is removed.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tamis/clock.h"
#include "tamis/status.h"

#include "rados/object_store.h"
#include "rados/ownership.h"
#include "rados/volume_layout.h"

namespace tamis::rados {

// How much is kept for readers.
struct PinLimits {
  uint64_t seconds = 3600;  // since the file lost its name
  uint64_t bytes = 0;       // in all; 0: no limit
};

class PinWatch {
 public:
  // All must outlive the object.
  PinWatch(ObjectStore* store, Ownership* ownership, Clock* clock,
           std::string volume, const PinLimits& limits);
  PinWatch(const PinWatch&) = delete;
  PinWatch& operator=(const PinWatch&) = delete;

  // Sets *held to those of the files that are kept for a reader. If they are
  // more than the limits allow, those that lost their names first are not.
  Status Hold(const TrashMap& files, std::set<std::string>* held);

 private:
  struct Seen {
    std::string text;
    uint64_t since = 0;  // in nanoseconds of the clock
  };

  Status ReadPins(PinMap* pins);

  ObjectStore* const store_;
  Ownership* const ownership_;
  Clock* const clock_;
  const std::string volume_;
  const PinLimits limits_;
  std::map<std::string, Seen> seen_;  // by the reader
};

}  // namespace tamis::rados
