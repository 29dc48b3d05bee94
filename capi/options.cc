// SPDX-License-Identifier: Apache-2.0
//
// Options as a whole, and those that are objects, lists or presets.
#include "tamis/convenience.h"
#include "tamis/utilities/merge_operators.h"
#include "tamis/utilities/table_properties_collectors.h"

#include "capi/call.h"
#include "capi/types.h"

namespace tamis::capi {
namespace {

CompressionType CompressionOf(int value) {
  return static_cast<CompressionType>(value);
}

std::vector<DbPath> TablePathsOf(const tamis_dbpath_t** paths, size_t n) {
  std::vector<DbPath> all;
  for (size_t i = 0; i < n; ++i) all.push_back(paths[i]->rep);
  return all;
}

// Sets the level and the size of dictionaries. zlib's window and strategy have
// no field.
void SetCompressionOptions(CompressionOptions* options, int level,
                           int max_dict_bytes) {
  options->level = level;
  options->max_dict_bytes = static_cast<uint32_t>(max_dict_bytes);
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_options_t* tamis_options_create(void) {
  return Create<tamis_options_t>();
}

void tamis_options_destroy(tamis_options_t* options) { delete options; }

tamis_options_t* tamis_options_create_copy(tamis_options_t* options) {
  return Must([&] { return new tamis_options_t(*options); });
}

void tamis_get_options_from_string(const tamis_options_t* base_options,
                                   const char* opts_str,
                                   tamis_options_t* new_options,
                                   char** errptr) {
  Try(errptr, [&] {
    tamis_options_t made = *base_options;
    Status status =
        GetOptionsFromString(base_options->rep, opts_str, &made.rep);
    if (status.ok()) *new_options = std::move(made);
    return status;
  });
}

void tamis_options_increase_parallelism(tamis_options_t* opt,
                                        int total_threads) {
  Must([&] { opt->rep.IncreaseParallelism(total_threads); });
}

void tamis_options_optimize_for_point_lookup(tamis_options_t* opt,
                                             uint64_t block_cache_size_mb) {
  Must([&] { opt->rep.OptimizeForPointLookup(block_cache_size_mb); });
}

void tamis_options_optimize_level_style_compaction(
    tamis_options_t* opt, uint64_t memtable_memory_budget) {
  Must([&] { opt->rep.OptimizeLevelStyleCompaction(memtable_memory_budget); });
}

void tamis_options_prepare_for_bulk_load(tamis_options_t* opt) {
  opt->rep.PrepareForBulkLoad();
}

void tamis_options_optimize_universal_style_compaction(
    tamis_options_t* opt, uint64_t memtable_memory_budget) {
  Must([&] {
    opt->rep.OptimizeUniversalStyleCompaction(memtable_memory_budget);
  });
}

void tamis_options_compaction_readahead_size(tamis_options_t* opt, size_t s) {
  opt->rep.compaction_readahead_size = s;
}

void tamis_options_set_db_write_buffer_size(tamis_options_t* opt, size_t s) {
  opt->rep.db_write_buffer_size = s;
}

size_t tamis_options_get_db_write_buffer_size(tamis_options_t* opt) {
  return opt->rep.db_write_buffer_size;
}

void tamis_options_set_db_log_dir(tamis_options_t* opt, const char* directory) {
  Must([&] { opt->rep.db_log_dir = directory; });
}

void tamis_options_set_wal_dir(tamis_options_t* opt, const char* directory) {
  Must([&] { opt->rep.wal_dir = directory; });
}

tamis_dbpath_t* tamis_dbpath_create(const char* path, uint64_t target_size) {
  return Must([&] { return new tamis_dbpath_t{DbPath(path, target_size)}; });
}

void tamis_dbpath_destroy(tamis_dbpath_t* path) { delete path; }

void tamis_options_set_db_paths(tamis_options_t* opt,
                                const tamis_dbpath_t** paths,
                                size_t num_paths) {
  Must([&] { opt->rep.db_paths = TablePathsOf(paths, num_paths); });
}

void tamis_options_set_cf_paths(tamis_options_t* opt,
                                const tamis_dbpath_t** paths,
                                size_t num_paths) {
  Must([&] { opt->rep.cf_paths = TablePathsOf(paths, num_paths); });
}

void tamis_options_set_env(tamis_options_t* opt, tamis_env_t* env) {
  opt->rep.file_system = env == nullptr ? nullptr : env->file_system;
  opt->threads = env == nullptr ? nullptr : env->threads;
}

void tamis_options_set_write_buffer_manager(tamis_options_t* opt,
                                            tamis_write_buffer_manager_t* wbm) {
  opt->rep.write_buffer_manager = wbm == nullptr ? nullptr : wbm->rep;
}

void tamis_options_set_ratelimiter(tamis_options_t* opt,
                                   tamis_ratelimiter_t* limiter) {
  opt->rep.rate_limiter = limiter == nullptr ? nullptr : limiter->rep;
}

void tamis_options_set_row_cache(tamis_options_t* opt, tamis_cache_t* cache) {
  opt->rep.row_cache = cache == nullptr ? nullptr : cache->rep;
}

void tamis_options_set_info_log(tamis_options_t* opt, tamis_logger_t* logger) {
  opt->rep.info_log = logger == nullptr ? nullptr : logger->rep;
}

tamis_logger_t* tamis_options_get_info_log(tamis_options_t* opt) {
  return Must([&] { return new tamis_logger_t{opt->rep.info_log}; });
}

void tamis_options_set_uint64add_merge_operator(tamis_options_t* opt) {
  Must([&] {
    opt->rep.merge_operator = MergeOperators::CreateUInt64AddOperator();
  });
}

void tamis_options_add_compact_on_deletion_collector_factory(
    tamis_options_t* opt, size_t window_size, size_t num_dels_trigger) {
  Must([&] {
    opt->rep.table_properties_collector_factories.push_back(
        tamis::NewCompactOnDeletionCollectorFactory(window_size,
                                                    num_dels_trigger));
  });
}

void tamis_options_set_prefix_extractor(
    tamis_options_t* opt, tamis_slicetransform_t* prefix_extractor) {
  opt->rep.prefix_extractor.reset();
  if (prefix_extractor == nullptr) return;
  opt->rep.prefix_extractor = std::move(prefix_extractor->rep);
  delete prefix_extractor;
}

void tamis_options_set_compression_per_level(tamis_options_t* opt,
                                             const int* level_values,
                                             size_t num_levels) {
  Must([&] {
    opt->rep.compression_per_level.resize(num_levels);
    for (size_t i = 0; i < num_levels; ++i) {
      opt->rep.compression_per_level[i] = CompressionOf(level_values[i]);
    }
  });
}

void tamis_options_set_min_level_to_compress(tamis_options_t* opt, int level) {
  if (level < 0) return;
  Must([&] {
    const int levels = opt->rep.num_levels < 0 ? 0 : opt->rep.num_levels;
    opt->rep.compression_per_level.resize(static_cast<size_t>(levels));
    for (int i = 0; i < levels; ++i) {
      opt->rep.compression_per_level[static_cast<size_t>(i)] =
          i < level ? kNoCompression : opt->rep.compression;
    }
  });
}

void tamis_options_set_max_bytes_for_level_multiplier_additional(
    tamis_options_t* opt, int* level_values, size_t num_levels) {
  Must([&] {
    opt->rep.max_bytes_for_level_multiplier_additional.assign(
        level_values, level_values + num_levels);
  });
}

void tamis_options_set_universal_compaction_options(
    tamis_options_t* opt, tamis_universal_compaction_options_t* universal) {
  if (universal != nullptr) {
    opt->rep.compaction_options_universal = universal->rep;
  }
}

void tamis_options_set_fifo_compaction_options(
    tamis_options_t* opt, tamis_fifo_compaction_options_t* fifo) {
  opt->rep.compaction_options_fifo = fifo->rep;
}

void tamis_options_set_compression_options(tamis_options_t* opt, int /*w_bits*/,
                                           int level, int /*strategy*/,
                                           int max_dict_bytes) {
  SetCompressionOptions(&opt->rep.compression_opts, level, max_dict_bytes);
}

void tamis_options_set_bottommost_compression_options(tamis_options_t* opt,
                                                      int /*w_bits*/, int level,
                                                      int /*strategy*/,
                                                      int max_dict_bytes,
                                                      unsigned char enabled) {
  SetCompressionOptions(&opt->rep.bottommost_compression_opts, level,
                        max_dict_bytes);
  opt->rep.bottommost_compression_opts.enabled = enabled != 0;
}

void tamis_options_set_bottommost_compression_options_zstd_max_train_bytes(
    tamis_options_t* opt, int zstd_max_train_bytes, unsigned char enabled) {
  opt->rep.bottommost_compression_opts.zstd_max_train_bytes =
      static_cast<uint32_t>(zstd_max_train_bytes);
  opt->rep.bottommost_compression_opts.enabled = enabled != 0;
}

void tamis_options_set_bottommost_compression_options_use_zstd_dict_trainer(
    tamis_options_t* opt, unsigned char use_zstd_dict_trainer,
    unsigned char enabled) {
  opt->rep.bottommost_compression_opts.use_zstd_dict_trainer =
      use_zstd_dict_trainer != 0;
  opt->rep.bottommost_compression_opts.enabled = enabled != 0;
}

unsigned char
tamis_options_get_bottommost_compression_options_use_zstd_dict_trainer(
    tamis_options_t* opt) {
  return opt->rep.bottommost_compression_opts.use_zstd_dict_trainer ? 1 : 0;
}

void tamis_options_set_bottommost_compression_options_max_dict_buffer_bytes(
    tamis_options_t* opt, uint64_t max_dict_buffer_bytes,
    unsigned char enabled) {
  opt->rep.bottommost_compression_opts.max_dict_buffer_bytes =
      max_dict_buffer_bytes;
  opt->rep.bottommost_compression_opts.enabled = enabled != 0;
}

tamis_universal_compaction_options_t* tamis_universal_compaction_options_create(
    void) {
  return Create<tamis_universal_compaction_options_t>();
}

void tamis_universal_compaction_options_destroy(
    tamis_universal_compaction_options_t* options) {
  delete options;
}

tamis_fifo_compaction_options_t* tamis_fifo_compaction_options_create(void) {
  return Create<tamis_fifo_compaction_options_t>();
}

void tamis_fifo_compaction_options_destroy(
    tamis_fifo_compaction_options_t* fifo_opts) {
  delete fifo_opts;
}
