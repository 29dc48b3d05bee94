// SPDX-License-Identifier: Apache-2.0
//
// What a database ought to hold: a std::map in the database's own order, and
// beside it what a crash may leave of it.
//
//   durable ──┬── acknowledged ── acknowledged ── ... = visible ──┬── uncertain
//             a power cut leaves the state behind any of these
//
// A write is uncertain when the log failed under it: never visible, but the
// next open may find it.
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
  kMerge,        // behind a comma
  kDeleteRange,  // from `key` to `value`, without the latter
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

// A key or value in print: short, and without bytes that a terminal obeys.
std::string Shown(const std::string& bytes);

// Where the order calls two keys equal, the later change's bytes are shown.
void Apply(const Change& change, State* state);
void Apply(const Changes& changes, State* state);

// The first difference in words; empty when there is none.
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
  // Whatever was acknowledged would survive a power cut.
  void AllIsDurable();
  // The same, and no uncertain write can come back: the log is a new one.
  void LogIsNew();
  // Would survive: what was acknowledged up to the last change of a key that
  // begins so.
  void IsDurableUpTo(const std::string& prefix);
  // Keys that begin so were never changed.
  void Forget(const std::string& prefix);
  // The power went off, or the database was dropped with it.
  void LosePower() { power_was_lost_ = true; }

  // An open found this state, which is durable now. Empty when a crash (if
  // there was one) may have left it; otherwise what is wrong with it.
  std::string Adopt(const State& found);

 private:
  State durable_;
  std::vector<Changes> pending_;
  State visible_;
  std::optional<Changes> uncertain_;
  bool power_was_lost_ = false;
};

}  // namespace tamis::model
