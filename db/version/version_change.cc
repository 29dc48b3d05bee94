// SPDX-License-Identifier: Apache-2.0
//
// Version::GetChange looks for a change of a key that is newer than a sequence
// number. Most often there is no table to look into: only those that were
// written since then have such changes.
#include "db/version/version.h"

namespace tamis {

void Version::GetChange(PointRead* read, SequenceNumber since,
                        ReadContext context) const {
  const auto look_into = [&](const TableFile& file) {
    if (file.meta.largest_seqno <= since) return;
    TableReaderPtr counted;
    const TableReader* const table = ReaderFor(read, file, context, &counted);
    if (table != nullptr) table->Get(read, context);
  };
  const auto answered = [&] {
    return read->get.newest() > since || read->get.done();
  };
  context.level = kLevelZero.value();
  const LevelFiles& newest = files(kLevelZero);
  for (size_t f = 0; f < newest.size() && !answered(); ++f) {
    if (index(kLevelZero).Spans(f, read->key.user_key())) look_into(*newest[f]);
  }
  for (const Level level : sorted_levels_) {
    context.level = level.value();
    const LevelIndex::Range range = index(level).FindSpanning(read->key);
    for (size_t f = range.begin; f < range.end && !answered(); ++f) {
      look_into(*files(level)[f]);
    }
  }
}

}  // namespace tamis
