// SPDX-License-Identifier: Apache-2.0
//
// Full scans of a table: to verify every checksum, and to show the layout to
// tools.
#include <vector>

#include "table/table_reader_rep.h"

namespace tamis {

Result<TableLayout> TableReader::ReadLayout() const {
  const Rep& r = *rep_;
  TableLayout layout;
  layout.footer = r.footer;
  layout.metaindex.assign(r.metaindex.begin(), r.metaindex.end());
  layout.index_key_is_user_key = r.index_format->user_keys();
  const ReadContext context = ReadContext::PastTheCache();
  IndexIterator it(r.index.get(), &context);
  KeyBuffer buffer;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    const std::string separator = it.separator(&buffer).ToString();
    layout.data_blocks.emplace_back(separator, it.handle());
    if (!r.index_format->two_level()) continue;
    // A partition's separator is its last entry's.
    std::vector<TableLayout::Entry>& partitions = layout.index_partitions;
    if (partitions.empty() || partitions.back().second != it.partition()) {
      partitions.emplace_back(separator, it.partition());
    } else {
      partitions.back().first = separator;
    }
  }
  if (!it.status().ok()) return it.status();
  return layout;
}

Status TableReader::VerifyChecksums() const {
  const Rep& r = *rep_;
  const Result<TableLayout> layout = ReadLayout();
  if (!layout.ok()) return layout.status();
  const ReadContext context = ReadContext::PastTheCache();
  const auto verify = [&](const BlockHandle& handle, BlockKind kind) {
    return r.fetcher.Read(handle, kind, context).status();
  };
  TAMIS_RETURN_IF_ERROR(verify(r.footer.metaindex, BlockKind::kMeta));
  for (const auto& [name, handle] : layout->metaindex) {
    const bool properties =
        name == kPropertiesBlockName || name == kPropertiesBlockOldName;
    TAMIS_RETURN_IF_ERROR(properties ? r.ReadPropertiesBlock(handle).status()
                                     : verify(handle, BlockKind::kMeta));
  }
  TAMIS_RETURN_IF_ERROR(verify(r.footer.index, BlockKind::kIndex));
  for (const auto& [separator, handle] : layout->index_partitions) {
    TAMIS_RETURN_IF_ERROR(verify(handle, BlockKind::kIndex));
  }
  for (const FilterLoader* const loader :
       {r.filter_loader.get(),
        r.range_filter != nullptr ? &r.range_filter->loader() : nullptr}) {
    if (loader == nullptr) continue;
    const Result<std::vector<BlockHandle>> partitions = loader->Partitions();
    if (!partitions.ok()) return partitions.status();
    for (const BlockHandle& handle : *partitions) {
      TAMIS_RETURN_IF_ERROR(verify(handle, BlockKind::kFilter));
    }
  }
  for (const auto& [separator, handle] : layout->data_blocks) {
    TAMIS_RETURN_IF_ERROR(verify(handle, BlockKind::kData));
  }
  return Status::OK();
}

}  // namespace tamis
