// SPDX-License-Identifier: Apache-2.0
#include "table/block_builder.h"

#include <algorithm>

#include "util/check.h"
#include "util/coding.h"

namespace tamis {

namespace {

size_t SharedPrefix(const std::string& a, const Slice& b) {
  const size_t n = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < n && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

BlockBuilder::BlockBuilder(int restart_interval, ValueForm form)
    : restart_interval_(restart_interval), form_(form), restarts_{0} {
  TAMIS_CHECK(restart_interval >= 1);
  TAMIS_CHECK(form != ValueForm::kHandle || restart_interval == 1);
}

void BlockBuilder::Add(const Slice& key, const Slice& value) {
  size_t shared = 0;
  if (AtRestart()) {
    TAMIS_CHECK(buffer_.size() <= UINT32_MAX);
    restarts_.push_back(static_cast<uint32_t>(buffer_.size()));
    since_restart_ = 0;
  } else if (since_restart_ > 0) {
    shared = SharedPrefix(last_key_, key);
  }
  const size_t non_shared = key.size() - shared;
  TAMIS_CHECK(key.size() <= UINT32_MAX && value.size() <= UINT32_MAX);
  char lengths[3 * kMaxVarint32Bytes];
  char* p = EncodeVarint32(lengths, static_cast<uint32_t>(shared));
  p = EncodeVarint32(p, static_cast<uint32_t>(non_shared));
  if (form_ == ValueForm::kLengthPrefixed) {
    p = EncodeVarint32(p, static_cast<uint32_t>(value.size()));
  }
  buffer_.append(lengths, static_cast<size_t>(p - lengths));
  buffer_.append(key.data() + shared, non_shared);
  buffer_.append(value.data(), value.size());

  last_key_.resize(shared);
  last_key_.append(key.data() + shared, non_shared);
  ++since_restart_;
  ++num_entries_;
}

Slice BlockBuilder::Finish() {
  for (const uint32_t restart : restarts_) PutFixed32(&buffer_, restart);
  PutFixed32(&buffer_, static_cast<uint32_t>(restarts_.size()));
  return buffer_;
}

void BlockBuilder::Reset() {
  buffer_.clear();
  restarts_.assign(1, 0);
  since_restart_ = 0;
  num_entries_ = 0;
  last_key_.clear();
}

bool BlockCutRule::ShouldCut(uint64_t current, size_t key_bytes,
                             size_t value_bytes, bool at_restart) const {
  if (current >= target) return true;
  if (deviation_percent <= 0) return false;
  const auto percent_kept =
      static_cast<uint64_t>(100 - std::min(deviation_percent, 100));
  const uint64_t limit = (target * percent_kept + 99) / 100;
  const uint64_t after =
      current + key_bytes + value_bytes + (at_restart ? sizeof(uint32_t) : 0) +
      sizeof(uint32_t) + VarintLength(key_bytes) + VarintLength(value_bytes);
  return after > target && current > limit;
}

}  // namespace tamis
