// SPDX-License-Identifier: Apache-2.0
//
// A ChangeNotifier tells the readers of a volume, who watch its object of
// names, that a log or a MANIFEST was synced. What changes while a notification
// is under way is told by the next one:
//
//   synced   1    2 3 4      5
//   told     ├─ 1 ──┤├─ 2-4 ─┤├─ 5 ─
//
// It ends when every reader has answered, which readers do after they have
// looked: none is told more often than it can look. A reader that does not
// answer, because it is stopped or far behind, holds the next notification for
// 50 ms; then several are under way.
//
// Where nobody watches, none is sent for 100 ms. Tick, which the volume's
// thread calls, makes up for what a reader may have missed that began to watch
// meanwhile.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>

#include "tamis/clock.h"

#include "rados/object_store.h"

namespace tamis::rados {

class ChangeNotifier {
 public:
  // Both must outlive *this.
  ChangeNotifier(ObjectStore* store, Clock* clock, ObjectName watched);
  // REQUIRES: End was called, or no notification was ever sent.
  ~ChangeNotifier();
  ChangeNotifier(const ChangeNotifier&) = delete;
  ChangeNotifier& operator=(const ChangeNotifier&) = delete;

  // Does not wait.
  void Changed();
  // Tells what was not told while nobody seemed to watch. Does not wait.
  void Tick();
  // Waits until none is under way; none is sent afterwards. A reader that does
  // not answer is waited for up to a second, and a cluster that does not answer
  // up to two.
  void End();

 private:
  struct State;

  static void Notify(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

}  // namespace tamis::rados
