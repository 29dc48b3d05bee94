// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/promise.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace tamis::writeback {

namespace {

using kill::Change;
using kill::Model;
using kill::Row;

// The first and the last length of the sequence, within the bounds, that turn
// the model into what was found.
struct Lengths {
  uint32_t first;
  uint32_t last;
};

std::optional<Lengths> Matching(Row row, uint32_t least, uint32_t most,
                                const Model& found) {
  std::optional<Lengths> matching;
  for (uint32_t length = 0; length <= most; ++length) {
    if (length > 0) row.Next();
    if (length < least || !(row.model() == found)) continue;
    if (!matching) matching = Lengths{length, length};
    matching->last = length;
  }
  return matching;
}

Model After(Row row, uint32_t operations) {
  for (uint32_t i = 0; i < operations; ++i) row.Next();
  return row.model();
}

// Describes which lengths outside the bounds match, and how the first one
// within them differs.
std::string Explain(const Row& row, uint32_t least, uint32_t most,
                    const Model& found) {
  std::ostringstream out;
  if (const auto elsewhere = Matching(row, 0, kOperationsMax, found)) {
    out << "it is what " << elsewhere->first << " to " << elsewhere->last
        << " operations make; ";
  }
  out << "after " << least << ": "
      << kill::ModelDifference(After(row, least), found) << "; after " << most
      << ": " << kill::ModelDifference(After(row, most), found);
  return out.str();
}

using Pieces = std::set<std::pair<std::string, std::string>>;

void AddPieces(const std::string& key, const std::string& value,
               Pieces* pieces) {
  std::istringstream in(value);
  std::string piece;
  while (std::getline(in, piece, ',')) pieces->emplace(key, piece);
}

// Every key of a deleted range.
bool Touches(const Change& change, size_t family, const std::string& key) {
  if (change.family != family) return false;
  if (change.kind != Change::Kind::kDeleteRange) return change.key == key;
  const Comparator* const order = kill::ComparatorOf(family);
  return order->Compare(change.key, key) <= 0 &&
         order->Compare(key, change.value) < 0;
}

}  // namespace

Bounds BoundsOf(const Ledger& ledger) {
  Bounds bounds;
  for (size_t t = 0; t < kThreads; ++t) {
    bounds.least[t] = ledger.threads[t].durable;
    bounds.most[t] = ledger.threads[t].begun;
  }
  return bounds;
}

void ExpectPrefix(const Round& round, const Ledger& ledger,
                  const Bounds& bounds, const kill::Survivor& survivor,
                  Models* models) {
  std::array<Lengths, kThreads> lengths;
  for (uint32_t t = 0; t < kThreads; ++t) {
    const Row row(round.seed, round.number, t, (*models)[t]);
    const Model found = kill::PartOf(survivor, t);
    const auto matching = Matching(row, bounds.least[t], bounds.most[t], found);
    EXPECT_TRUE(matching) << "thread " << t << ": no prefix of "
                          << bounds.least[t] << " to " << bounds.most[t]
                          << " operations: "
                          << Explain(row, bounds.least[t], bounds.most[t],
                                     found);
    if (!matching) return;
    lengths[t] = *matching;
    (*models)[t] = found;
  }
  if (!round.setting.log) return;
  for (uint32_t t = 0; t < kThreads; ++t) {
    if (lengths[t].first == 0) continue;
    const Counts& seen = ledger.threads[t].seen[lengths[t].first - 1];
    for (uint32_t u = 0; u < kThreads; ++u) {
      EXPECT_LE(seen[u], lengths[u].last)
          << "operation " << lengths[t].first << " of thread " << t
          << " is there, but of thread " << u << " only " << lengths[u].last;
    }
  }
}

void ExpectNothingInvented(const Round& round, const Bounds& bounds,
                           const kill::Survivor& survivor,
                           const Models& models) {
  for (uint32_t t = 0; t < kThreads; ++t) {
    Row row(round.seed, round.number, t, models[t]);
    std::array<Pieces, kill::kFamilies> written;
    for (size_t f = 0; f < kill::kFamilies; ++f) {
      for (const auto& [key, value] : models[t].families[f]) {
        AddPieces(key, value, &written[f]);
      }
    }
    Model safe = models[t];
    std::vector<Change> doubtful;
    bool fourth_is_doubtful = false;
    for (uint32_t i = 0; i < bounds.most[t]; ++i) {
      const kill::Operation operation = row.Next();
      for (const Change& change : operation.changes) {
        if (i >= bounds.least[t]) doubtful.push_back(change);
        AddPieces(change.key, change.value, &written[change.family]);
      }
      if (i < bounds.least[t]) {
        safe = row.model();
      } else if (operation.kind == kill::Operation::Kind::kCreateFourth ||
                 operation.kind == kill::Operation::Kind::kDropFourth) {
        fourth_is_doubtful = true;
      }
    }
    const Model found = kill::PartOf(survivor, t);
    for (size_t f = 0; f < kill::kFamilies; ++f) {
      if (f == kill::kFourth && fourth_is_doubtful) continue;
      for (const auto& [key, value] : found.families[f]) {
        Pieces pieces;
        AddPieces(key, value, &pieces);
        EXPECT_TRUE(std::includes(written[f].begin(), written[f].end(),
                                  pieces.begin(), pieces.end()))
            << kill::kFamilyNames[f] << ": nobody wrote this to " << key;
      }
      std::erase_if(safe.families[f], [&](const auto& entry) {
        return std::any_of(doubtful.begin(), doubtful.end(),
                           [&](const Change& change) {
                             return Touches(change, f, entry.first);
                           });
      });
      for (const auto& [key, value] : safe.families[f]) {
        const auto at = found.families[f].find(key);
        EXPECT_TRUE(at != found.families[f].end() && at->second == value)
            << kill::kFamilyNames[f] << ": " << key
            << " was durable and untouched since";
      }
    }
  }
}

}  // namespace tamis::writeback
