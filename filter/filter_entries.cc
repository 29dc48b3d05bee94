// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_entries.h"

namespace tamis {

namespace {

void Assign(const Slice& bytes, std::string* to) {
  to->assign(bytes.data(), bytes.size());
}

}  // namespace

size_t FilterEntries::Add(const FilterKey& key, FilterBuilder* to) {
  if (rule_.prefixes == nullptr) {
    if (!rule_.whole_keys) return 0;
    to->Add(key);
    return 1;
  }
  if (rule_.prefix_first) return AddPrefixFirst(key, to);
  const Slice user_key = key.user_key();
  const bool has_prefix = rule_.HasPrefix(user_key);
  size_t added = AddCarriedPrefix(to);
  if (rule_.whole_keys && !has_prefix) {
    to->Add(key);
    ++added;
  } else if (rule_.whole_keys &&
             (!has_last_key_ || Slice(last_key_) != user_key)) {
    // Prefixes in between hide equal keys from the builder.
    to->Add(key);
    Assign(user_key, &last_key_);
    has_last_key_ = true;
    ++added;
  }
  last_key_had_prefix_ = has_prefix;
  return has_prefix ? added + AddPrefix(user_key, to) : added;
}

// Carries the last prefix of the previous partition into the new one.
size_t FilterEntries::AddCarriedPrefix(FilterBuilder* to) {
  if (has_last_prefix_ || !last_key_had_prefix_) return 0;
  to->Add(FilterKey(last_prefix_));
  has_last_prefix_ = true;
  return 1;
}

size_t FilterEntries::AddPrefix(const Slice& user_key, FilterBuilder* to) {
  const Slice prefix = rule_.prefixes->Transform(user_key);
  if (!rule_.whole_keys) {
    to->Add(FilterKey(prefix));
    return 1;
  }
  if (has_last_prefix_ && Slice(last_prefix_) == prefix) return 0;
  to->Add(FilterKey(prefix));
  Assign(prefix, &last_prefix_);
  has_last_prefix_ = true;
  return 1;
}

// Omits a prefix equal to the previous prefix, to the key or to the last entry.
// Omits a key equal to the last entry before this call or to the previous
// prefix.
size_t FilterEntries::AddPrefixFirst(const FilterKey& key, FilterBuilder* to) {
  const Slice user_key = key.user_key();
  const auto is_last_entry = [this](const Slice& entry) {
    return has_last_key_ && Slice(last_key_) == entry;
  };
  const auto is_last_prefix = [this](const Slice& entry) {
    return has_last_prefix_ && Slice(last_prefix_) == entry;
  };
  size_t added = AddCarriedPrefix(to);
  bool add_key = rule_.whole_keys && !is_last_entry(user_key);
  last_key_had_prefix_ = rule_.HasPrefix(user_key);
  if (last_key_had_prefix_) {
    const Slice prefix = rule_.prefixes->Transform(user_key);
    if (is_last_prefix(user_key)) add_key = false;
    if (!is_last_prefix(prefix) && !is_last_entry(prefix) &&
        !(rule_.whole_keys && prefix == user_key)) {
      to->Add(FilterKey(prefix));
      ++added;
      Assign(prefix, &last_key_);
      has_last_key_ = true;
    }
    Assign(prefix, &last_prefix_);
    has_last_prefix_ = true;
  }
  if (!add_key) return added;
  to->Add(key);
  Assign(user_key, &last_key_);
  has_last_key_ = true;
  return added + 1;
}

void FilterEntries::AddPrefixAfter(const Slice& next_key, FilterBuilder* to) {
  if (!rule_.HasPrefix(next_key)) return;
  const Slice prefix = rule_.prefixes->Transform(next_key);
  const bool is_there = has_last_prefix_ && Slice(last_prefix_) == prefix;
  if (!rule_.whole_keys || !is_there) to->Add(FilterKey(prefix));
}

void FilterEntries::NextPartition() {
  has_last_key_ = false;
  has_last_prefix_ = false;
}

size_t ChunkEntries::Add(const FilterKey& key, FilterBuilder* to) {
  size_t added = 0;
  if (rule_.HasPrefix(key.user_key())) {
    const Slice prefix = rule_.prefixes->Transform(key.user_key());
    if (last_prefix_.empty() || Slice(last_prefix_) != prefix) {
      to->Add(FilterKey(prefix));
      Assign(prefix, &last_prefix_);
      ++added;
    }
  }
  if (rule_.whole_keys) {
    to->Add(key);
    ++added;
  }
  return added;
}

}  // namespace tamis
