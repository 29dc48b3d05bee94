// SPDX-License-Identifier: Apache-2.0
//
// The flags of tamis_ldb, described in flags.cc.
#pragma once

#include <gflags/gflags.h>

DECLARE_string(db);
DECLARE_string(column_family);
DECLARE_bool(hex);
DECLARE_bool(key_hex);
DECLARE_bool(value_hex);
DECLARE_bool(create_if_missing);
DECLARE_string(from);
DECLARE_string(to);
DECLARE_int64(max_keys);
DECLARE_bool(no_value);
DECLARE_bool(count_only);
DECLARE_string(comparator);
DECLARE_string(merge_operator);
DECLARE_string(walfile);
DECLARE_bool(header);
DECLARE_bool(print_value);
DECLARE_string(path);
DECLARE_string(checkpoint_dir);
DECLARE_string(backup_dir);
DECLARE_uint32(backup_id);
DECLARE_uint32(keep);
DECLARE_int32(num_threads);
DECLARE_string(wal_dir);
DECLARE_string(db_paths);
DECLARE_bool(ttl);
DECLARE_string(secondary_path);
DECLARE_bool(bulk_load);
DECLARE_bool(disable_wal);
DECLARE_bool(compact);
DECLARE_bool(move_files);
DECLARE_bool(snapshot_consistency);
DECLARE_bool(allow_global_seqno);
DECLARE_bool(allow_blocking_flush);
DECLARE_bool(ingest_behind);
DECLARE_bool(edits);
DECLARE_bool(sort_by_filename);
DECLARE_bool(json);
DECLARE_string(html);
DECLARE_string(db_log_dir);
DECLARE_int32(new_levels);
DECLARE_bool(print_old_levels);
DECLARE_int32(old_compaction_style);
DECLARE_int32(new_compaction_style);
DECLARE_bool(try_load_options);
DECLARE_bool(ignore_unknown_options);
DECLARE_string(compression_type);
DECLARE_int32(compression_max_dict_bytes);
DECLARE_double(bloom_bits);
DECLARE_int32(fix_prefix_len);
DECLARE_uint64(block_size);
DECLARE_bool(auto_compaction);
DECLARE_uint64(db_write_buffer_size);
DECLARE_uint64(write_buffer_size);
DECLARE_uint64(file_size);
