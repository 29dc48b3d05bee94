// SPDX-License-Identifier: Apache-2.0
//
// The expected contents of a database: a std::map in the database's own order,
// and the states that a crash may leave.
//
//   durable ──┬── acknowledged ── acknowledged ── ... = visible ──┬── uncertain
//             a power failure leaves the state after any of these
//
// A write is uncertain if its log write failed: it is not visible, but the next
// open may find it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tamis/comparator.h"

namespace tamis::model {

enum class ChangeKind : uint8_t {
  kPut,
  kDelete,
  kSingleDelete,
  kMerge,        // appends a comma and the operand
  kDeleteRange,  // [key, value)
};

struct Change {
  ChangeKind kind = ChangeKind::kDelete;
  std::string key;
  std::string value;
};
using Changes = std::vector<Change>;

struct KeyLess {
  const Comparator* order;
  bool operator()(const std::string& a, const std::string& b) const {
    return order->Compare(a, b) < 0;
  }
};
using State = std::map<std::string, std::string, KeyLess>;

// A key or value as short printable text.
std::string Shown(const std::string& bytes);

// If two keys are equal in the order, the later change's bytes are kept.
void Apply(const Change& change, State* state);
void Apply(const Changes& changes, State* state);

// The first difference as text; empty: none.
std::string Difference(const State& expected, const State& found);

class Model {
 public:
  explicit Model(const Comparator* order)
      : durable_(KeyLess{order}), visible_(durable_) {}

  const State& visible() const { return visible_; }
  bool has_uncertain() const { return uncertain_.has_value(); }

  // A write returned OK.
  void Acknowledge(const Changes& changes);
  // A write returned an error that may have reached the log.
  void Fail(const Changes& changes);
  // All acknowledged writes would survive a power failure.
  void AllIsDurable();
  // The same; also, no uncertain write can return, because the log is new.
  void LogIsNew();
  // The writes acknowledged up to the last change of a key with this prefix
  // would survive a power failure.
  void IsDurableUpTo(const std::string& prefix);
  // Treats keys with this prefix as never changed.
  void Forget(const std::string& prefix);
  // The power failed, or the database was dropped as if it had.
  void LosePower() { power_was_lost_ = true; }

  // An open found this state, which is durable now. Empty: a crash, if there
  // was one, may have left it; otherwise what is wrong with it.
  std::string Adopt(const State& found);

 private:
  State durable_;
  std::vector<Changes> pending_;
  State visible_;
  std::optional<Changes> uncertain_;
  bool power_was_lost_ = false;
};

}  // namespace tamis::model
