// SPDX-License-Identifier: Apache-2.0
//
// Inputs that are not files: instructions for building something, words, names.
#include <string>

#include "db/compaction/compaction_message.h"
#include "filter/filter_registry.h"
#include "tests/fuzz/corpus.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

void AddUserFilters(Corpus* corpus) {
  for (unsigned placement = 0; placement < 3; ++placement) {
    const std::string name = std::to_string(placement);
    corpus->Add("user_filter_fuzz", "asked" + name,
                Byte(0) + Byte(placement) + Byte(0) + Byte(1) + "k" + Byte(0) +
                    "filter" + std::string(8, '\0') + Byte(0x0b));
    for (const unsigned bytes : {0u, 5u, 9u}) {
      corpus->Add("user_filter_fuzz",
                  "built" + name + "_" + std::to_string(bytes),
                  Byte(1) + Byte(placement) + Byte(bytes) + Byte(1) + "a" +
                      Byte(255) + Byte(2) + "bc");
    }
  }
  corpus->Add("user_filter_fuzz", "chunk",
              Byte(2) + Byte(0) + Byte(4) + Byte(1) + "a" + Byte(2) + "bc");
}

void AddWords(Corpus* corpus) {
  int i = 0;
  for (const char* text : {"0x6b31", "0X6B3", "6b", "0x6g", "", "key"}) {
    corpus->Add("tools_fuzz", "text" + std::to_string(i), Byte(0) + text);
    corpus->Add("tools_fuzz", "hex" + std::to_string(i++), Byte(1) + text);
  }
  for (const char* line :
       {"scan\n--from=a\n--to\nb\n--nohex", "get\nk\n--hex\n--\n--hex",
        "--max_keys=x", "--max_keys", "--none", "--help", "-"}) {
    corpus->Add("tools_fuzz", "line" + std::to_string(i++), Byte(8) + line);
  }
}

// Blocks for step_decoder_fuzz, with steps or none: text, long and short
// repetitions, noise.
void AddSteps(Corpus* corpus, const std::string& text) {
  Random random(1);
  std::string noise(300, '\0');
  for (char& c : noise) c = static_cast<char>(random.Next());
  const std::string half = noise.substr(0, 50);
  const std::string raws[] = {
      text, text + text + half + half + text + noise + text + text,
      std::string(900, 'r') + noise.substr(0, 90), half + text + half + text,
      ""};
  for (unsigned codec = 0; codec < 2; ++codec) {
    unsigned i = 0;
    for (const std::string& raw : raws) {
      std::string payload;
      if (!Compress(codec == 0 ? kSnappyCompression : kLZ4Compression, raw,
                    &payload)) {
        continue;
      }
      const std::string name =
          (codec == 0 ? "snappy" : "lz4") + std::to_string(i++);
      corpus->Add("step_decoder_fuzz", name, Byte(codec) + Byte(0) + payload);
      corpus->Add(
          "step_decoder_fuzz", name + "-steps",
          Byte(codec) + Byte(3) + Short(1) + Short(30) + Short(100) + payload);
    }
  }
}

// A request as it is, and with changes; a reply without fields.
void AddJobs(Corpus* corpus) {
  const std::string target = "compaction_job_fuzz";
  corpus->Add(target, "right", Byte(1));
  for (unsigned at : {0u, 40u, 60u, 90u, 200u, 4000u, 6000u, 6100u, 6200u}) {
    const std::string name = std::to_string(at);
    corpus->Add(target, "changed" + name,
                Byte(1) + Short(at) + Byte(1) + Byte(at % 7));
    corpus->Add(target, "longer" + name, Byte(1) + Short(at) + Byte(128) + "x");
    corpus->Add(target, "shorter" + name, Byte(1) + Short(at) + Byte(192));
  }
  corpus->Add(target, "nothing", Byte(0) + "TamisCr1");
  corpus->Add(target, "reply", Byte(2) + EncodeMessage(CompactionReply()));
}

// Inputs that are instructions to build something from.
void AddBuilt(Corpus* corpus) {
  const std::string text =
      "\x05"
      "alpha"
      "\x03"
      "one"
      "\x10\x20"
      "\x06"
      "alphas"
      "\x03"
      "two"
      "\x08\x02"
      "\x04"
      "beta"
      "\x05"
      "three"
      "\x01\x03"
      "\x05"
      "betas"
      "\x04"
      "four"
      "\x20\x01"
      "\x05"
      "gamma"
      "\x00"
      "\x30\x01";
  for (unsigned i = 0; i < 9; ++i) {
    corpus->Add("block_fuzz", "built" + std::to_string(i),
                Byte(1) + Byte(i / 3) + Byte(i % 3) + Byte(4) + "beta" +
                    Byte(1 + i) + text);
  }
  for (unsigned flags = 0; flags < 16; ++flags) {
    corpus->Add(
        "index_fuzz", "built" + std::to_string(flags),
        Byte(1) + Byte(flags) + Byte(4) + "beta" + Byte(2) + Byte(2) + text);
  }
  const auto codecs = static_cast<unsigned>(BuiltinCodecs().size());
  for (unsigned codec = 0; codec < codecs; ++codec) {
    const std::string rest = Byte(codec) + Byte(40) + text;
    corpus->Add("filter_fuzz", "built" + std::to_string(codec), Byte(1) + rest);
    corpus->Add("filter_fuzz", "damaged" + std::to_string(codec),
                Byte(2) + Byte(0x7f) + std::string(4, '\1') + rest);
  }
  for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
    const auto builder = codec->NewBuilder(20);
    for (int i = 100; i < 160; ++i) {
      builder->Add("key" + std::to_string(i * i));
    }
    corpus->Add("filter_fuzz", "range_" + std::string(codec->name()),
                Byte(0) + Byte(8) + "key14401" + builder->Finish());
  }
  corpus->Add("filter_block_fuzz", "built", Byte(2) + text);
  // The view of each codec, whole and after changes to the trailer and the
  // body. (What they build is of the codec: filter_view_fuzz claims it.)
  for (unsigned codec = 0; codec < codecs; ++codec) {
    const std::string name(BuiltinCodecs()[codec]->name());
    const std::string built = Byte(codec) + Byte(40) + Byte(200);
    corpus->Add("filter_view_fuzz", name, built);
    corpus->Add("filter_view_fuzz", name + "-trailer",
                built + Short(5) + Byte(1) + Short(9) + Byte(0x80));
    corpus->Add("filter_view_fuzz", name + "-body",
                built + Short(100) + Byte(0x55) + Short(900) + Byte(0xff));
  }
  const auto range_codecs = static_cast<unsigned>(RangeFilterCodecs().size());
  for (unsigned codec = 0; codec < range_codecs; ++codec) {
    const std::string name(RangeFilterCodecs()[codec]->name());
    // Bounds, which shape 0 takes as keys.
    const std::string ranges = Byte(2) + "ab" + Byte(3) + "abd" + Byte(0) +
                               Byte(5) + "user5" + Byte(4) + "user" + Byte(1) +
                               "z";
    // The input, dense numbers, YCSB's keys, edges, sparse numbers.
    for (unsigned shape : {0u, 1u, 2u, 7u, 8u}) {
      const std::string built = Byte(codec) + Byte(48) + Byte(shape) + Byte(60);
      const std::string with = name + std::to_string(shape);
      corpus->Add("range_filter_fuzz", with, built + Byte(0) + ranges);
      corpus->Add(
          "range_filter_fuzz", with + "-trailer",
          built + Byte(2) + Short(3) + Byte(1) + Short(18) + Byte(4) + ranges);
      corpus->Add("range_filter_fuzz", with + "-body",
                  built + Byte(2) + Short(60) + Byte(0xff) + Short(300) +
                      Byte(0x11) + ranges);
    }
  }
  for (const CompressionType codec : SupportedCompressions()) {
    corpus->Add("compression_fuzz", "round" + std::to_string(codec),
                Byte(1) + Byte(codec) + text + text + text);
  }
  AddSteps(corpus, text);
  AddJobs(corpus);
  for (unsigned mode : {2u, 3u, 6u, 7u}) {
    const std::string records = Short(9) + Short(5) + "alpha" + Short(40000) +
                                std::string(31, 'b') + Short(0) + Short(2) +
                                "cc";
    // The lost piece: within the first block.
    const std::string lost = (mode & 4) != 0 ? Short(100) + Byte(40) : "";
    corpus->Add("log_fuzz", "written" + std::to_string(mode),
                Byte(mode) + lost + records + records);
  }
}

void AddNames(Corpus* corpus) {
  int i = 0;
  for (const char* name : {"CURRENT",
                           "LOCK",
                           "LOG",
                           "LOG.old.1700000000000000",
                           "IDENTITY",
                           "MANIFEST-000005",
                           "MANIFEST-000005\n",
                           "MANIFEST-4611686018427387903",
                           "OPTIONS-000007",
                           "OPTIONS-000007.dbtmp",
                           "000009.sst",
                           "9.ldb",
                           "000012.log",
                           "000013.dbtmp",
                           "000014.blob",
                           "METADB-1",
                           "1.sst.trash",
                           "18446744073709551616.sst",
                           "-1.log",
                           "00.",
                           "MANIFEST-",
                           ".sst",
                           "5f1b3c0e-7a4d-4e0f-9c35-0a1b2c3d4e5f\n"}) {
    corpus->Add("file_names_fuzz", "name" + std::to_string(i++), name);
  }
}

void AddOptions(Corpus* corpus) {
  int i = 0;
  for (const char* text :
       {"max_background_jobs=4; "
        "write_buffer_size=128M;block_based_table_factory={block_size=8k;"
        "filter_policy=ribbonfilter:12.5:3;}",
        "merge_operator={id=StringAppendOperator;delimiter=|};prefix_extractor="
        "fixed:4;comparator=rocksdb.ReverseBytewiseComparator",
        "merge_operator=stringappend:;table_factory.filter_policy=tamis."
        "BudgetFilterPolicy:1024:kXor;compression_opts=1:2:3:4:5:6",
        "max_open_files=-2147483648;max_total_wal_size=16777215t;max_bytes_for_"
        "level_multiplier=1e-9",
        "{a={b={c=1;};}", "compaction_style=kCompactionStyleFIFO;"}) {
    corpus->Add("options_fuzz", "string" + std::to_string(i++), text);
  }
  i = 0;
  for (const char* text :
       {"[Version]\n  rocksdb_version=7.8.3\n[DBOptions]\n  max_open_files=5 # "
        "five\n  #tamis: upgrade_leveldb=true\n[CFOptions \"default\"]\n  "
        "table_factory=BlockBasedTable\n[TableOptions/BlockBasedTable "
        "\"default\"]\n  checksum=kCRC32c\n",
        "[DBOptions]\n[CFOptions \"default\"]\n  "
        "merge_operator={id=StringAppendOperator;delimiter=\\#;}\n[CFOptions "
        "\"a \\\"\\#\\n\"]\n"}) {
    corpus->Add("options_fuzz", "file" + std::to_string(i++), text);
  }
}

}  // namespace

void AddInputs(Corpus* corpus) {
  AddUserFilters(corpus);
  AddWords(corpus);
  AddBuilt(corpus);
  AddNames(corpus);
  AddOptions(corpus);
}

}  // namespace tamis
