// SPDX-License-Identifier: Apache-2.0
#include "tests/model/model.h"

#include <algorithm>
#include <utility>

namespace tamis::model {

std::string Shown(const std::string& bytes) {
  constexpr size_t kShownMax = 30;
  std::string out;
  // The ends of keys tell more than their long common prefixes.
  const size_t cut = bytes.size() > kShownMax ? bytes.size() - kShownMax : 0;
  for (const char c : bytes.substr(cut)) {
    if (c >= ' ' && c <= '~') {
      out.push_back(c);
    } else {
      out += "\\x" + Slice(&c, 1).ToString(/*hex=*/true);
    }
  }
  return (cut > 0 ? "..." : "") + ("\"" + out + "\"");
}

void Apply(const Change& change, State* state) {
  if (change.kind == ChangeKind::kDeleteRange) {
    state->erase(state->lower_bound(change.key),
                 state->lower_bound(change.value));
    return;
  }
  std::string value = change.value;
  const auto at = state->find(change.key);
  if (at != state->end()) {
    if (change.kind == ChangeKind::kMerge) value = at->second + "," + value;
    state->erase(at);
  }
  if (change.kind == ChangeKind::kPut || change.kind == ChangeKind::kMerge) {
    state->emplace(change.key, std::move(value));
  }
}

void Apply(const Changes& changes, State* state) {
  for (const Change& change : changes) Apply(change, state);
}

std::string Difference(const State& expected, const State& found) {
  auto e = expected.begin();
  auto f = found.begin();
  for (; e != expected.end() && f != found.end(); ++e, ++f) {
    if (e->first != f->first) {
      return "expected key " + Shown(e->first) + ", found " + Shown(f->first);
    }
    if (e->second != f->second) {
      return "key " + Shown(e->first) + ": expected " + Shown(e->second) +
             ", found " + Shown(f->second);
    }
  }
  if (e != expected.end()) return "key " + Shown(e->first) + " is missing";
  if (f != found.end()) return "key " + Shown(f->first) + " is too many";
  return "";
}

void Model::Acknowledge(const Changes& changes) {
  Apply(changes, &visible_);
  pending_.push_back(changes);
}

void Model::Fail(const Changes& changes) {
  if (!uncertain_) uncertain_ = changes;
}

void Model::AllIsDurable() {
  durable_ = visible_;
  pending_.clear();
}

void Model::LogIsNew() {
  AllIsDurable();
  uncertain_.reset();
}

void Model::IsDurableUpTo(const std::string& prefix) {
  // An empty range leaves nothing that could be flushed.
  const auto stays = [&](const Change& change) {
    return change.key.starts_with(prefix) &&
           (change.kind != ChangeKind::kDeleteRange ||
            change.key < change.value);
  };
  const auto last = std::find_if(pending_.rbegin(), pending_.rend(),
                                 [&](const Changes& changes) {
                                   return std::ranges::any_of(changes, stays);
                                 });
  for (auto at = pending_.begin(); at != last.base(); ++at) {
    Apply(*at, &durable_);
  }
  pending_.erase(pending_.begin(), last.base());
}

void Model::Forget(const std::string& prefix) {
  const auto begins_so = [&](const auto& entry) {
    return entry.first.starts_with(prefix);
  };
  std::erase_if(durable_, begins_so);
  std::erase_if(visible_, begins_so);
  const auto forget_in = [&](Changes* changes) {
    std::erase_if(*changes, [&](const Change& change) {
      return change.key.starts_with(prefix);
    });
  };
  for (Changes& changes : pending_) forget_in(&changes);
  if (uncertain_) forget_in(&*uncertain_);
}

std::string Model::Adopt(const State& found) {
  State with_uncertain = visible_;
  if (uncertain_) Apply(*uncertain_, &with_uncertain);
  bool allowed = found == visible_ || found == with_uncertain;
  if (!allowed && power_was_lost_) {
    State prefix = durable_;
    allowed = found == prefix;
    for (size_t i = 0; i < pending_.size() && !allowed; ++i) {
      Apply(pending_[i], &prefix);
      allowed = found == prefix;
    }
  }
  if (!allowed) {
    return std::string("recovered a state that never was") +
           (power_was_lost_ ? " behind the last durable write" : "") + " (" +
           std::to_string(pending_.size()) +
           " writes were not surely durable); against the newest: " +
           Difference(visible_, found) +
           "; against the durable: " + Difference(durable_, found);
  }
  visible_ = found;
  power_was_lost_ = false;
  LogIsNew();
  return "";
}

}  // namespace tamis::model
