# SPDX-License-Identifier: Apache-2.0
# The sources in which reads, writes, flushes and compactions spend their time:
# those that had 0.1 % or more of the instructions of a db_bench run (callgrind),
# and those that do the same for other formats, filters and codecs. They are
# compiled as the build type says, all others for size: the library is a sixth
# smaller so, and the runs take 0.97 to 1.01 times as many instructions.
#
# Entries are regular expressions. Those of fast_sources_alone are in no unity
# build: they are on the path of single reads and writes, or are codecs, and in
# a large unit g++ inlines less. A Put took 3.5 % more instructions.
set(fast_sources_alone ${codec_sources}
  util/base/slice.cc util/compression/lz4_decoder.cc
  util/compression/snappy_decoder.cc util/cache/block_pool.cc util/cache/epoch.cc
  util/io/file_system_posix.cc util/io/random_access_posix.cc
  util/io/mapped_file_posix.cc util/io/page_cache_sampler_posix.cc
  filter/binary_fuse.cc filter/bumped_layers.cc filter/bumped_ribbon.cc
  filter/byte_model.cc
  filter/cache_local_bloom.cc filter/fast_local_bloom.cc filter/fence_filter.cc
  filter/fence_group.cc filter/grafite.cc filter/homogeneous_ribbon.cc
  filter/key_numbers.cc filter/leveldb_bloom.cc filter/louds_trie.cc
  filter/retrieval_codec.cc filter/ribbon.cc filter/surf_filter.cc
  filter/xor_filter.cc
  table/block.cc table/block_builder.cc table/merging_iterator.cc
  table/table_check.cc table/table_iterator.cc table/table_lookup.cc
  db/wal/batch_cursor.cc db/wal/log_writer.cc db/wal/write_ahead_log.cc
  db/wal/write_batch.cc
  db/version/level_iterator.cc db/compaction/compaction_iterator.cc
  db/db_conditional_write.cc db/db_iterator.cc db/db_iterator_parts.cc
  db/db_read.cc db/db_write.cc db/stall_controller.cc db/write_path.cc
  db/write_path_switch.cc db/write_queue.cc)

set(fast_sources_together
  util/base/arena.cc
  util/coding/.*
  util/compression/compression.cc util/compression/step_decoder.cc
  util/io/readahead_window.cc
  util/cache/.*
  util/extensions/comparator.cc util/extensions/merge_operators.cc
  filter/bumped_ribbon_layout.cc filter/dynamic_bloom.cc
  filter/fast_local_bloom_probe.cc filter/fence_builder.cc
  filter/filter_batch.cc filter/filter_entries.cc filter/filter_placement.cc
  filter/full_placement.cc filter/louds_builder.cc
  filter/partitioned_placement.cc filter/block_based_placement.cc
  filter/ribbon64.cc filter/ribbon_banding.cc filter/surf_builder.cc
  table/block_based_table_builder.cc table/block_fetcher.cc
  table/block_tags.cc table/block_writer.cc table/data_block_form.cc
  table/data_block_hash_index.cc table/filter_collector.cc
  table/filter_loader.cc table/format.cc table/get_context.cc
  table/index_builder.cc table/index_format.cc table/index_reader.cc
  table/internal_key.cc table/merge_operands.cc table/range_tombstones.cc
  table/resident_index.cc table/stored_search.cc table/table_file_writer.cc
  table/table_reader.cc table/thread_scratch.cc
  db/memtable/.*
  db/version/level_index.cc db/version/range_del_aggregator.cc
  db/version/version.cc db/version/version_get.cc
  db/compaction/compaction_input.cc db/compaction/compaction_job.cc
  db/compaction/compaction_tombstones.cc db/compaction/entry_filter.cc
  db/compaction/flush_job.cc db/compaction/table_output.cc)

list(JOIN fast_sources_alone "|" alone)
list(JOIN fast_sources_together "|" together)
set(fast_sources "^(${alone}|${together})$")
