// SPDX-License-Identifier: Apache-2.0
//
// A Script is a random history that a seed determines before any engine runs:
// options, families, reads, writes, and operations on the whole database. It
// does not depend on an engine, so that two engines can run the same script.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tamis::differential {

// Families live in slots; slot 0 is the default family.
inline constexpr size_t kSlots = 4;
// "default", "f1", "f2", ...
std::string NameOfSlot(size_t slot);

// The bottommost level's is that of its level.
inline constexpr int kNoSuchCodec = 0xff;

struct FamilyPlan {
  // Fixed for a family's life.
  bool reverse = false;
  std::string merge_operator;
  bool fifo = false;  // instead of `universal` or leveled compaction

  int prefix = 0;  // > 0: FixedPrefix of that length; < 0: CappedPrefix
  size_t write_buffer_size = 0;
  double memtable_bloom = 0;
  bool universal = false;
  bool dynamic_levels = false;
  int level0_trigger = 4;
  uint64_t level_base = 0;
  uint64_t file_size = 0;
  bool compacts_by_itself = true;

  uint64_t block_size = 0;
  int restart_interval = 16;
  int filter = 0;  // 0: none, 1: Bloom, 2: Ribbon
  bool whole_keys = true;
  int index = 0;  // 0: one block, 1: two levels, 2: with first keys
  bool partitioned_filter = false;
  bool hash_in_blocks = false;
  uint32_t format_version = 5;
  int checksum = 1;
  int codec = 0;
  int bottommost_codec = kNoSuchCodec;
  bool codec_by_level = false;  // none for level 0, then `codec`
  uint32_t dictionary = 0;      // bytes

  bool leveled() const { return !universal && !fifo; }
  // Whether a compaction of all tables leaves no entry that does not show.
  bool counts() const { return !compacts_by_itself && !fifo; }
};

struct OpenPlan {
  bool atomic_flush = false;
  bool compressed_log = false;
  uint32_t subcompactions = 1;
  int max_open_files = -1;
  uint64_t max_total_wal_size = 0;
  // The families, by slot. Others are closed or do not exist.
  std::array<std::optional<FamilyPlan>, kSlots> families;
};

struct Edit {
  enum class Kind : uint8_t { kPut, kDelete, kSingleDelete, kMerge, kRange };
  Kind kind = Kind::kPut;
  size_t slot = 0;
  std::string key;
  std::string value;  // operand; end of a range
};

struct Move {
  enum class Kind : uint8_t {
    kFirst,
    kLast,
    kSeek,
    kSeekForPrev,
    kNext,
    kPrev,
  };
  Kind kind = Kind::kFirst;
  std::string target;
  int times = 1;
};

struct IteratorUse {
  std::optional<std::string> lower, upper;
  bool prefix_same_as_start = false;
  bool total_order_seek = true;
  bool pin_data = false;
  size_t readahead = 0;
  std::vector<Move> moves;
};

enum class Act : uint8_t {
  kWrite,
  // A table for each family of the edits, all or none: ranges first, then
  // distinct keys in order.
  kIngest,
  kGet,
  kMultiGet,
  kScan,          // an iterator for this step alone
  kOpenIterator,  // one that later steps move
  kMoveIterator,
  kRefreshIterator,  // then it moves
  kCloseIterator,
  kScanTogether,  // NewIterators: all live families at one sequence number
  kTakeSnapshot,
  kReleaseSnapshot,
  kFlush,
  kCompact,
  kCompactFiles,  // all of a family, into the deepest level that has some
  kSetOptions,
  kCreateFamily,
  kDropFamily,
  kCloneFamily,  // exports a family and imports it as another
  kListFamilies,
  kProperties,
  kCheckpoint,
  kReadOnlyBeside,  // OpenForReadOnly while it is open for writing
  kRefusedOpen,     // while it is closed; see Refusal
  kReadOnly,        // while it is closed
  kClose,
  kOpen,
};

// Opens that must fail.
enum class Refusal : uint8_t {
  kErrorIfExists,
  kFamilyLeftOut,
  kFamilyUnknown,
  kOtherComparator,
  kNothingThere,
  kNoDefault,
};

struct Step {
  Act act = Act::kGet;
  std::vector<Edit> edits;
  bool as_batch = false;
  bool sync = false;
  bool no_log = false;
  size_t slot = 0;
  std::vector<size_t> slots;
  std::vector<std::string> keys;
  size_t snapshot = 0;  // one more than its index; 0: none
  size_t held = 0;      // which iterator, which snapshot
  IteratorUse use;
  std::optional<std::string> begin, end;  // of a compaction
  size_t clone = 0;                       // the slot of the new family
  std::vector<std::pair<std::string, std::string>> settings;
  // Ingestion, import: moves the file. Compactions: the deepest level too.
  // MultiGet: with families. Checkpoints: flush. Drops: keep the handle. Flush:
  // all live families in one call. Close: by the end of the process, where that
  // is possible.
  bool flag = false;
  // A compaction whose result is certain, because no other one may run.
  bool counts = false;
  Refusal refusal = Refusal::kErrorIfExists;
  OpenPlan open;
  FamilyPlan family;
};

struct Script {
  uint64_t seed = 0;
  std::vector<std::string> keys;  // all that are ever written
  std::vector<Step> steps;

  // Whether a step before the next writes anything.
  bool HasWrites() const {
    return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
      return step.act == Act::kWrite && !step.edits.empty();
    });
  }
};

// The choices that a Script may use.
struct Means {
  // The number of turns, each of a few hundred steps between an open and a
  // close; 0: random.
  uint64_t turns = 0;
};

Script MakeScript(uint64_t seed, const Means& means);

// Returns one line.
std::string Describe(const Step& step);
// Returns short printable bytes as they are, others in hexadecimal or as length
// and hash.
std::string Brief(const std::string& bytes);
uint64_t HashOf(const std::string& bytes);

}  // namespace tamis::differential
