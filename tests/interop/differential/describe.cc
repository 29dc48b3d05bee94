// SPDX-License-Identifier: Apache-2.0
//
// Describes steps in text that is the same for every engine.
#include <algorithm>
#include <array>

#include "tests/interop/differential/script.h"

namespace tamis::differential {

namespace {

const char* NameOf(Edit::Kind kind) {
  static constexpr std::array kNames = {"put", "delete", "single-delete",
                                        "merge", "delete-range"};
  return kNames[static_cast<size_t>(kind)];
}

const char* NameOf(Act act) {
  static constexpr std::array kNames = {"write",
                                        "ingest",
                                        "get",
                                        "multi-get",
                                        "scan",
                                        "open-iterator",
                                        "move",
                                        "refresh",
                                        "close-iterator",
                                        "scan-together",
                                        "snapshot",
                                        "release",
                                        "flush",
                                        "compact",
                                        "compact-files",
                                        "set-options",
                                        "create-family",
                                        "drop-family",
                                        "clone-family",
                                        "list-families",
                                        "properties",
                                        "checkpoint",
                                        "read-only-beside",
                                        "refused-open",
                                        "read-only",
                                        "close",
                                        "open"};
  return kNames[static_cast<size_t>(act)];
}

const char* NameOf(Refusal refusal) {
  static constexpr std::array kNames = {"error-if-exists", "family-left-out",
                                        "family-unknown",  "other-comparator",
                                        "nothing-there",   "no-default"};
  return kNames[static_cast<size_t>(refusal)];
}

std::string InWords(const Move& move) {
  switch (move.kind) {
    case Move::Kind::kFirst:
      return "first";
    case Move::Kind::kLast:
      return "last";
    case Move::Kind::kSeek:
      return "seek:" + Brief(move.target);
    case Move::Kind::kSeekForPrev:
      return "seek-for-prev:" + Brief(move.target);
    case Move::Kind::kNext:
      return "next*" + std::to_string(move.times);
    case Move::Kind::kPrev:
      break;
  }
  return "prev*" + std::to_string(move.times);
}

std::string InWords(const FamilyPlan& plan) {
  std::string words = plan.merge_operator;
  if (plan.reverse) words += ",reverse";
  if (plan.prefix != 0) words += ",prefix=" + std::to_string(plan.prefix);
  if (plan.filter != 0) words += ",filter=" + std::to_string(plan.filter);
  if (!plan.whole_keys) words += ",no-whole-keys";
  if (plan.index != 0) words += ",index=" + std::to_string(plan.index);
  if (plan.partitioned_filter) words += ",partitioned";
  if (plan.memtable_bloom > 0) words += ",memtable-bloom";
  if (plan.fifo) words += ",fifo";
  if (plan.universal) words += ",universal";
  if (plan.dynamic_levels) words += ",dynamic-levels";
  if (!plan.compacts_by_itself) words += ",manual";
  words += ",codec=" + std::to_string(plan.codec);
  if (plan.codec_by_level) words += ",codec-by-level";
  if (plan.bottommost_codec != kNoSuchCodec) {
    words += ",bottommost=" + std::to_string(plan.bottommost_codec);
  }
  if (plan.dictionary > 0) words += ",dictionary";
  words += ",v" + std::to_string(plan.format_version);
  return words;
}

std::string OfIteratorUse(const Step& step) {
  std::string words;
  const IteratorUse& use = step.use;
  if (use.lower) words += " lower=" + Brief(*use.lower);
  if (use.upper) words += " upper=" + Brief(*use.upper);
  if (use.prefix_same_as_start) words += " same-prefix";
  if (!use.total_order_seek) words += " no-total-order";
  if (use.pin_data) words += " pinned";
  if (use.readahead > 0) words += " readahead";
  for (const Move& move : use.moves) words += " " + InWords(move);
  return words;
}

std::string OfOpen(const OpenPlan& plan) {
  std::string words;
  if (plan.atomic_flush) words += " atomic-flush";
  if (plan.compressed_log) words += " compressed-log";
  if (plan.subcompactions > 1) words += " subcompactions";
  for (size_t i = 0; i < kSlots; ++i) {
    if (!plan.families[i]) continue;
    words += " " + NameOfSlot(i) + "(" + InWords(*plan.families[i]) + ")";
  }
  return words;
}

std::string OfWrite(const Step& step) {
  std::string words;
  if (step.as_batch) words += " batch";
  if (step.sync) words += " sync";
  if (step.no_log) words += " no-log";
  for (const Edit& edit : step.edits) {
    words += std::string(" ") + NameOf(edit.kind) + " " +
             NameOfSlot(edit.slot) + ":" + Brief(edit.key);
    if (edit.kind == Edit::Kind::kRange) {
      words += ".." + Brief(edit.value);
    } else if (!edit.value.empty()) {
      words += "=" + Brief(edit.value);
    }
  }
  return words;
}

}  // namespace

uint64_t HashOf(const std::string& bytes) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

std::string Brief(const std::string& bytes) {
  const bool plain = std::all_of(bytes.begin(), bytes.end(),
                                 [](char c) { return c > ' ' && c < '\x7f'; });
  if (plain && bytes.size() <= 24) return "'" + bytes + "'";
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  if (bytes.size() <= 24) {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      digits.push_back(kDigits[byte >> 4]);
      digits.push_back(kDigits[byte & 15]);
    }
    return "0x" + digits;
  }
  for (uint64_t hash = HashOf(bytes), i = 0; i < 8; ++i, hash >>= 8) {
    digits.push_back(kDigits[hash >> 4 & 15]);
  }
  return "#" + std::to_string(bytes.size()) + ":" + digits;
}

std::string Describe(const Step& step) {
  std::string words = NameOf(step.act);
  const auto at = [&] {
    words += " " + NameOfSlot(step.slot);
    if (step.snapshot != 0) words += " @" + std::to_string(step.snapshot);
  };
  const auto held = [&] { words += " #" + std::to_string(step.held); };
  switch (step.act) {
    case Act::kWrite:
      return words + OfWrite(step);
    case Act::kGet:
      at();
      return words + " " + Brief(step.keys[0]);
    case Act::kMultiGet:
      at();
      if (step.flag) words += " and-others";
      return words + " " + std::to_string(step.keys.size()) + " keys";
    case Act::kScan:
    case Act::kOpenIterator:
      at();
      return words + OfIteratorUse(step);
    case Act::kMoveIterator:
    case Act::kRefreshIterator:
      held();
      return words + OfIteratorUse(step);
    case Act::kCloseIterator:
    case Act::kReleaseSnapshot:
      held();
      return words;
    case Act::kIngest:
      return words + OfWrite(step) + (step.flag ? " move" : "");
    case Act::kFlush:
      at();
      return words + (step.flag ? " all" : "");
    case Act::kCompact:
      at();
      words += step.begin ? " " + Brief(*step.begin) : " -";
      words += step.end ? " " + Brief(*step.end) : " -";
      return words + (step.flag ? " force" : "");
    case Act::kCompactFiles:
      at();
      return words;
    case Act::kSetOptions:
      at();
      for (const auto& [name, value] : step.settings) {
        words += " " + name + "=" + value;
      }
      return words;
    case Act::kCloneFamily:
      at();
      return words + " " + NameOfSlot(step.clone) + " " + InWords(step.family) +
             (step.flag ? " move" : "");
    case Act::kCreateFamily:
    case Act::kDropFamily:
      at();
      if (step.act == Act::kCreateFamily) words += " " + InWords(step.family);
      return words + (step.flag ? " keep" : "");
    case Act::kRefusedOpen:
      return words + " " + NameOf(step.refusal);
    case Act::kReadOnly:
    case Act::kReadOnlyBeside:
    case Act::kCheckpoint:
    case Act::kOpen:
      return words + (step.flag ? " +" : "") + OfOpen(step.open);
    default:
      return words;
  }
}

}  // namespace tamis::differential
