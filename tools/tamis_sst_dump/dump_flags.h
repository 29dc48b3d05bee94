// SPDX-License-Identifier: Apache-2.0
//
// The flags of tamis_sst_dump, described in dump_flags.cc.
#pragma once

#include <string>
#include <vector>

#include <gflags/gflags.h>

DECLARE_string(command);
DECLARE_bool(output_hex);
DECLARE_bool(input_key_hex);
DECLARE_uint64(read_num);
DECLARE_string(from);
DECLARE_string(to);
DECLARE_string(prefix);
DECLARE_bool(show_properties);
DECLARE_bool(list_meta_blocks);
DECLARE_bool(json);
DECLARE_int32(compat);
DECLARE_string(output);
DECLARE_uint64(set_block_size);
DECLARE_string(compression_types);
DECLARE_int32(compression_level_from);
DECLARE_int32(compression_level_to);
DECLARE_uint32(compression_max_dict_bytes);
DECLARE_uint32(compression_zstd_max_train_bytes);
DECLARE_uint64(compression_max_dict_buffer_bytes);
DECLARE_bool(compression_use_zstd_finalize_dict);
DECLARE_string(parse_internal_key);
DECLARE_string(probe_file);
DECLARE_string(prefix_extractor);
DECLARE_bool(what_if);
DECLARE_int32(what_if_stored);
extern std::vector<std::string> FLAGS_file;
