// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/subcompaction.h"

#include <algorithm>
#include <utility>

#include "table/table_layout.h"

namespace tamis {

namespace {

// A user key, and the size of the data since the previous one.
struct Anchor {
  std::string user_key;
  uint64_t bytes;
};

// The approximate number of sampled keys of all inputs.
constexpr size_t kAnchors = 256;

Status AddAnchors(const TableFile& file, const TableCache& tables,
                  size_t anchors_per_file, std::vector<Anchor>* anchors) {
  if (anchors_per_file <= 1) {
    anchors->push_back(
        {ExtractUserKey(file.meta.largest).ToString(), file.meta.size});
    return Status::OK();
  }
  const auto reader = tables.OpenForCompaction(file.meta);
  if (!reader.ok()) return reader.status();
  const auto layout = (*reader)->ReadLayout();
  if (!layout.ok()) return layout.status();
  const uint64_t step = file.meta.size / anchors_per_file;
  uint64_t bytes = 0;
  for (const auto& [separator, handle] : layout->data_blocks) {
    bytes += handle.size;
    if (bytes < step) continue;
    const Slice key = separator;
    if (!layout->index_key_is_user_key && key.size() < kInternalKeyTailBytes) {
      return Status::Corruption(tables.ContextFor(file.meta).file_name,
                                "expected an internal key as a separator, got "
                                "fewer than 8 bytes");
    }
    anchors->push_back(
        {(layout->index_key_is_user_key ? key : ExtractUserKey(key)).ToString(),
         bytes});
    bytes = 0;
  }
  return Status::OK();
}

}  // namespace

Result<std::vector<std::string>> SubcompactionCuts(const Compaction& plan,
                                                   const KeyOrder& order,
                                                   const TableCache& tables,
                                                   size_t parts_max) {
  const std::vector<TableFilePtr> files = plan.AllInputs();
  uint64_t total = 0;
  for (const TableFilePtr& file : files) total += file->meta.size;
  const uint64_t part_bytes_min = plan.part_bytes_min != 0
                                      ? plan.part_bytes_min
                                      : plan.output_file_bytes_max;
  const uint64_t parts = std::min<uint64_t>(
      parts_max, total / std::max<uint64_t>(1, part_bytes_min));
  std::vector<std::string> cuts;
  if (parts < 2) return cuts;

  std::vector<Anchor> anchors;
  for (const TableFilePtr& file : files) {
    TAMIS_RETURN_IF_ERROR(
        AddAnchors(*file, tables, kAnchors / files.size(), &anchors));
  }
  std::sort(anchors.begin(), anchors.end(),
            [&order](const Anchor& a, const Anchor& b) {
              return order.CompareUserKeys(a.user_key, b.user_key) < 0;
            });
  total = 0;
  for (const Anchor& anchor : anchors) total += anchor.bytes;
  uint64_t bytes = 0;
  for (Anchor& anchor : anchors) {
    bytes += anchor.bytes;
    if (cuts.size() + 1 == parts) break;
    if (bytes < total / parts * (cuts.size() + 1)) continue;
    if (cuts.empty() ||
        order.CompareUserKeys(cuts.back(), anchor.user_key) < 0) {
      cuts.push_back(std::move(anchor.user_key));
    }
  }
  TAMIS_CHECK(cuts.size() < parts);
  TAMIS_DCHECK(std::is_sorted(cuts.begin(), cuts.end(),
                              [&order](const auto& a, const auto& b) {
                                return order.CompareUserKeys(a, b) < 0;
                              }));
  return cuts;
}

}  // namespace tamis
