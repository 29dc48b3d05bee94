// SPDX-License-Identifier: Apache-2.0
//
// A ChangeWatch has a reader called when the volume's owner has synced
// something (change_notifier.h). The cluster forgets a watch whose client it
// does not reach for a while: the volume's thread then begins another one, and
// calls the reader, who may have missed something.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "tamis/file_system.h"

#include "rados/object_store.h"

namespace tamis::rados {

// The watches of a volume. Threads: any.
class ChangeWatches {
 public:
  // `store` must outlive *this.
  ChangeWatches(ObjectStore* store, ObjectName watched);
  // REQUIRES: no watch is left.
  ~ChangeWatches();
  ChangeWatches(const ChangeWatches&) = delete;
  ChangeWatches& operator=(const ChangeWatches&) = delete;

  // Calls `changed` from now on, until *watch is destroyed, which waits for a
  // call. `keeps_alive` is destroyed with *watch.
  StoreResult Begin(std::function<void()> changed,
                    std::shared_ptr<const void> keeps_alive,
                    std::unique_ptr<DirectoryWatch>* watch);
  // Replaces watches that the cluster has forgotten.
  void Renew();
  bool any() const;

 private:
  class ChangeWatch;

  ObjectStore* const store_;
  const ObjectName watched_;
  const int process_;  // in a forked child, no mutex may be used
  mutable std::mutex mutex_;
  std::set<ChangeWatch*> watches_;
};

}  // namespace tamis::rados
