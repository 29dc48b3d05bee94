// SPDX-License-Identifier: Apache-2.0
#include "filter/louds_builder.h"

#include <algorithm>
#include <array>

#include "util/base/check.h"

namespace tamis {

namespace {

// Dense nodes may add 1/kSparseToDense to the size of a trie: the size ratio R
// of the paper.
constexpr uint64_t kSparseToDense = 64;

constexpr uint64_t kSparseBranchBits =
    8 * kLoudsBlockBytes / kLoudsWordBranches;

}  // namespace

LoudsBuilder::Level& LoudsBuilder::At(size_t depth) {
  if (depth >= levels_.size()) levels_.resize(depth + 1);
  return levels_[depth];
}

void LoudsBuilder::AddBranch(Level* level, char label, int kind) {
  level->labels.push_back(label);
  level->kinds.push_back(static_cast<char>(kind));
  if ((kind & kStart) != 0) ++level->nodes;
}

void LoudsBuilder::Add(uint32_t number, const Slice& key, size_t shared,
                       size_t shared_with_next) {
  if (number != 0 && shared >= kLoudsDepthMax) return;  // the path of the last
  const size_t differs = std::max(shared, shared_with_next) + 1;
  const size_t path =
      LoudsPathBytes(shared, shared_with_next, key.size(), kLoudsDepthMax);
  // If all of the key is a prefix of the next one.
  const bool ends = key.size() < differs && path < kLoudsDepthMax;
  const size_t first = number == 0 ? 0 : shared;
  for (size_t i = first; i < path; ++i) {
    const bool leaf = i + 1 == path && !ends;
    Level& level = At(i);
    AddBranch(&level, key[i],
              (leaf ? 0 : kChild) | (i > first || number == 0 ? kStart : 0));
    if (leaf) level.leaf_keys.push_back(number);
  }
  if (ends) {
    Level& level = At(path);
    AddBranch(&level, static_cast<char>(kLoudsEndLabel), kStart | kEnd);
    level.leaf_keys.push_back(kNoKey);
  }
}

uint64_t LoudsBuilder::BitsAt(uint32_t depth) const {
  uint64_t branches = 0;
  for (size_t i = 0; i < std::min<size_t>(depth, levels_.size()); ++i) {
    branches += levels_[i].labels.size();
  }
  return branches * kSparseBranchBits;
}

void LoudsBuilder::CutAt(uint32_t depth) {
  if (depth >= levels_.size()) return;
  levels_.resize(depth);
  for (char& kind : levels_.back().kinds) {
    kind = static_cast<char>(kind & ~kChild);
  }
  levels_.back().leaf_keys.clear();
}

size_t LoudsBuilder::DenseLevels() const {
  uint64_t sparse = 0;
  for (const Level& level : levels_) {
    sparse += level.labels.size() * kSparseBranchBits;
  }
  const uint64_t most = sparse + sparse / kSparseToDense;
  uint64_t bits = sparse;
  for (size_t i = 0; i < levels_.size(); ++i) {
    bits += 8 * levels_[i].nodes * kLoudsNodeBytes;
    bits -= levels_[i].labels.size() * kSparseBranchBits;
    if (bits > most) return i;
  }
  return levels_.size();
}

// Writes nodes and blocks in order.
class LoudsBuilder::Writer {
 public:
  // `sparse_starts` has the first branch of each sparse node.
  Writer(const LoudsShape& shape, std::vector<uint32_t> sparse_starts,
         std::string* out)
      : shape_(shape), starts_(std::move(sparse_starts)), out_(*out) {}

  void WriteDense(const Level& level);
  // Adds branches to blocks.
  void WriteSparse(const Level& level);
  // Ends the last block.
  void EndBlock();

 private:
  struct Word {
    uint64_t children = 0;
    uint64_t marks = 0;
  };

  void WriteWord(const Word& word, uint32_t leaves, bool has_end) {
    LoudsWord{.child = NextChild(),
              .leaves = leaves_ | (has_end ? LoudsWord::kEndBit : 0),
              .children = word.children,
              .marks = word.marks}
        .AppendTo(&out_);
    next_child_ += CountBits(word.children);
    leaves_ += leaves;
  }
  uint32_t NextChild() const {
    if (next_child_ < shape_.dense_nodes) return next_child_;
    const uint32_t sparse = next_child_ - shape_.dense_nodes;
    return shape_.dense_nodes +
           (sparse < starts_.size() ? starts_[sparse] : shape_.branches);
  }

  const LoudsShape shape_;
  const std::vector<uint32_t> starts_;
  std::string& out_;
  uint32_t next_child_ = 1;  // the root is no child
  uint32_t leaves_ = 0;
  // Of the block that is being written.
  std::string labels_;
  Word word_;
};

void LoudsBuilder::Writer::WriteDense(const Level& level) {
  for (size_t i = 0; i < level.labels.size();) {
    std::array<Word, kLoudsNodeWords> words;
    bool has_end = false;
    do {
      const char kind = level.kinds[i];
      if ((kind & kEnd) != 0) {
        has_end = true;
        continue;
      }
      const auto label = static_cast<uint8_t>(level.labels[i]);
      Word& word = words[label / kLoudsWordBranches];
      const uint64_t bit = uint64_t{1} << (label % kLoudsWordBranches);
      word.marks |= bit;
      if ((kind & kChild) != 0) word.children |= bit;
    } while (++i < level.labels.size() && (level.kinds[i] & kStart) == 0);
    for (size_t w = 0; w < words.size(); ++w) {
      WriteWord(words[w], CountBits(words[w].marks & ~words[w].children),
                has_end && w == 0);
    }
  }
}

void LoudsBuilder::Writer::WriteSparse(const Level& level) {
  for (size_t i = 0; i < level.labels.size(); ++i) {
    const uint64_t bit = uint64_t{1} << labels_.size();
    if ((level.kinds[i] & kChild) != 0) word_.children |= bit;
    if ((level.kinds[i] & kStart) != 0) word_.marks |= bit;
    labels_.push_back(level.labels[i]);
    if (labels_.size() == kLoudsWordBranches) EndBlock();
  }
}

void LoudsBuilder::Writer::EndBlock() {
  if (labels_.empty()) return;
  const auto branches = static_cast<uint32_t>(labels_.size());
  WriteWord(word_, branches - CountBits(word_.children), false);
  labels_.resize(kLoudsWordBranches);
  out_ += labels_;
  labels_.clear();
  word_ = Word();
}

LoudsShape LoudsBuilder::AppendTo(std::string* out,
                                  std::vector<uint32_t>* leaf_keys) const {
  const size_t dense_levels = DenseLevels();
  LoudsShape shape{.dense_nodes = 0, .branches = 0};
  std::vector<uint32_t> starts;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Level& level = levels_[i];
    for (const uint32_t key : level.leaf_keys) {
      if (i >= dense_levels || key != kNoKey) leaf_keys->push_back(key);
    }
    if (i < dense_levels) {
      shape.dense_nodes += static_cast<uint32_t>(level.nodes);
      continue;
    }
    for (const char kind : level.kinds) {
      if ((kind & kStart) != 0) starts.push_back(shape.branches);
      ++shape.branches;
    }
  }
  const size_t begin = out->size();
  Writer writer(shape, std::move(starts), out);
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (i < dense_levels) {
      writer.WriteDense(levels_[i]);
    } else {
      writer.WriteSparse(levels_[i]);
    }
  }
  writer.EndBlock();
  TAMIS_CHECK(out->size() - begin == shape.bytes());
  return shape;
}

}  // namespace tamis
