// SPDX-License-Identifier: Apache-2.0
//
// tamis_sst_dump beside RocksDB's sst_dump, line by line, on tables that other
// releases wrote; and each of its flags by its effect.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/sst_file_writer.h"
#include "tamis/table.h"

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

using Json = nlohmann::json;

Outcome Dump(const std::vector<std::string>& arguments) {
  return RunOurs("tamis_sst_dump", arguments);
}

// The lines of both streams, without what RocksDB alone prints.
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find("options.env is ") != 0 &&
        line.find("  unique ID: ") == std::string::npos) {
      lines.push_back(line);
    }
  }
  return lines;
}

class SstDumpPeerTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* dir = std::getenv("TAMIS_GOLDEN_DIR");
    if (dir == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
    golden_ = std::string(dir) + "/golden/";
    if (RunCommand("command -v sst_dump").exit_code != 0) {
      GTEST_SKIP() << "no sst_dump";
    }
  }
  std::string golden_;
};

TEST_F(SstDumpPeerTest, TheSameCommandsPrintTheSameLines) {
  const std::string ours = std::string(TAMIS_BIN_DIR) + "/tamis_sst_dump";
  for (const char* name :
       {"rocksdb-7.8.3/fv5_full_bloom", "rocksdb-7.8.3/fv5_partitioned_ribbon",
        "rocksdb-7.8.3/binary_keys", "rocksdb-7.8.3/compress_zstd",
        "rocksdb-6.29.5/fv4_full_bloom", "rocksdb-11.9/fv5_full_bloom",
        "reference_dump/twenty_puts_two_range_deletes"}) {
    for (const char* command :
         {"check", "scan", "scan --output_hex", "verify", "identify",
          "none --show_properties", "check --show_properties",
          "check --read_num=3", "scan --output_hex --prefix=key00001",
          "scan --output_hex --from=key0001 --to=key0002 --read_num=5",
          "scan --output_hex --from=0x6B6579303032 --input_key_hex"}) {
      const std::string words =
          " --file=" + golden_ + name + ".sst --command=" + command;
      SCOPED_TRACE(words);
      // RocksDB's ends a key at its first NUL.
      if (words.find("binary") != std::string::npos &&
          words.ends_with("scan")) {
        continue;
      }
      const CommandResult got = RunCommand(ours + " --compat=7" + words);
      const CommandResult expected = RunCommand("sst_dump" + words);
      EXPECT_EQ(got.exit_code, expected.exit_code);
      EXPECT_EQ(Lines(got.output), Lines(expected.output));
    }
  }
}

TEST_F(SstDumpPeerTest, AFolderHasTheSameLinesInTheOrderOfNames) {
  const TemporaryDirectory directory;
  for (const char* name : {"fv5_full_bloom", "nofilter"}) {
    std::filesystem::copy(golden_ + "rocksdb-7.8.3/" + name + ".sst",
                          directory.Path(name) + ".sst");
  }
  for (const char* command : {"verify", "identify"}) {
    const std::string words =
        " --file=" + directory.path() + " --command=" + command;
    auto got = Lines(Dump({"--file=" + directory.path(),
                           std::string("--command=") + command})
                         .text);
    auto expected = Lines(RunCommand("sst_dump" + words).output);
    EXPECT_EQ(got[0], "Process " + directory.Path("fv5_full_bloom.sst"));
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(got, expected);
  }
}

TEST_F(SstDumpPeerTest, RecompressPrintsTheSameCodecsAndBlocks) {
  const std::string words =
      " --file=" + golden_ +
      "rocksdb-7.8.3/fv5_full_bloom.sst --command=recompress "
      "--set_block_size=2000 --compression_types=kNoCompression,"
      "kSnappyCompression,kLZ4Compression,kZSTD,kXpressCompression";
  const auto got =
      Lines(RunCommand(std::string(TAMIS_BIN_DIR) + "/tamis_sst_dump" + words)
                .output);
  const auto expected = Lines(RunCommand("sst_dump" + words).output);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const bool sized = expected[i].starts_with("Compression level: ");
    const size_t size = sized ? expected[i].find(" Size: ") : std::string::npos;
    EXPECT_EQ(got[i].substr(0, size), expected[i].substr(0, size));
    if (size == std::string::npos) continue;
    const size_t blocks = expected[i].find(" Blocks: ");
    const size_t time = expected[i].find(" Time Taken: ");
    EXPECT_EQ(got[i].substr(blocks, time - blocks),
              expected[i].substr(blocks, time - blocks));
    // Metadata differs a little, and what a codec makes of a block.
    const double ratio = std::stod(got[i].substr(size + 7)) /
                         std::stod(expected[i].substr(size + 7));
    EXPECT_NEAR(ratio, 1, 0.15) << got[i] << "\n" << expected[i];
  }
}

// A table of 300 entries k000 to k299 in uncompressed blocks of 4 KiB each.
class SstDumpFlagTest : public testing::Test {
 protected:
  SstDumpFlagTest() {
    BlockBasedTableOptions table;
    table.block_align = true;
    table.block_size = 4096;
    Options options;
    options.compression = kNoCompression;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    SstFileWriter writer(options);
    EXPECT_TRUE(writer.Open(table_).ok());
    for (int i = 0; i < 300; ++i) {
      const std::string key = "k" + std::to_string(1000 + i).substr(1);
      EXPECT_TRUE(writer.Put(key, std::string(60, 'v')).ok());
    }
    EXPECT_TRUE(writer.DeleteRange("x", "y").ok());
    EXPECT_TRUE(writer.Finish().ok());
  }

  static Json JsonOf(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    return Json::parse(outcome.text);
  }

  const TemporaryDirectory directory_;
  const std::string table_ = directory_.Path("t.sst");
};

TEST_F(SstDumpFlagTest, CheckIsTheDefaultAndPrintsNoEntry) {
  const Outcome check = Dump({table_});
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_EQ(check.text, "Process " + table_ +
                            "\nSst file format: block-based\nfrom [] to []\n");
  EXPECT_EQ(JsonOf(Dump({table_, "--json"}))["entries"], 300);
  EXPECT_EQ(JsonOf(Dump({table_, "--json", "--prefix=k29"}))["entries"], 10);
  EXPECT_EQ(JsonOf(Dump({table_, "--json", "--read_num=7"}))["entries"], 7);
  EXPECT_EQ(JsonOf(Dump({table_, "--json", "--to=k010"}))["entries"], 10);
  EXPECT_EQ(Dump({table_, "--prefix=k", "--from=k"}).exit_code, 2);
}

TEST_F(SstDumpFlagTest, LayoutTilesTheFileAndNamesGaps) {
  const Json layout = JsonOf(Dump({table_, "--command=layout", "--json"}));
  uint64_t end = 0;
  uint64_t padding_at = 0;
  std::vector<std::string> kinds;
  for (const Json& block : layout["blocks"]) {
    EXPECT_EQ(block["offset"], end);
    end += block["bytes"].get<uint64_t>();
    kinds.push_back(block["kind"]);
    if (block["kind"] == "padding" && padding_at == 0) {
      padding_at = block["offset"];
    }
  }
  EXPECT_EQ(end, std::filesystem::file_size(table_));
  for (const char* kind :
       {"data", "index", "properties", "range deletions", "metaindex"}) {
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), kind) > 0, true) << kind;
  }
  EXPECT_EQ(kinds.back(), "footer");
  ASSERT_GT(padding_at, 0u);
  std::fstream(table_, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(padding_at))
      .put('!');
  const Outcome text = Dump({table_, "--command=layout"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(Count(text.text, "  gap\n"), 1u) << text.text;
  EXPECT_NE(text.text.find(std::to_string(padding_at) + " "),
            std::string::npos);
}

TEST_F(SstDumpFlagTest, PropertiesAreTextUnlessARocksDBsAreAskedFor) {
  const std::string ours = Dump({table_, "--command=properties"}).text;
  EXPECT_NE(ours.find("  rocksdb.block.based.table.index.type: kBinarySearch"),
            std::string::npos)
      << ours;
  EXPECT_NE(ours.find("  rocksdb.deleted.keys: 1\n"), std::string::npos);
  EXPECT_NE(ours.find("  rocksdb.external_sst_file.version: 2\n"),
            std::string::npos);
  const std::string seven =
      Dump({table_, "--command=none", "--show_properties", "--compat=7"}).text;
  EXPECT_NE(
      seven.find("  # rocksdb.block.based.table.index.type: 0x00000000\n"),
      std::string::npos);
  EXPECT_EQ(seven.find("# uniform blocks"), std::string::npos);
  const std::string eleven =
      Dump({table_, "--command=none", "--show_properties", "--compat=11"}).text;
  EXPECT_NE(eleven.find("  # uniform blocks: 0\n"), std::string::npos);
  const Json json = JsonOf(Dump({table_, "--show_properties", "--json"}));
  EXPECT_EQ(json["properties"]["entries"], 301);
  EXPECT_EQ(json["properties"]["rocksdb.block.based.table.index.type"],
            "kBinarySearch");
}

TEST_F(SstDumpFlagTest, MetaBlocksArePrinted) {
  const Outcome blocks = Dump({table_, "--list_meta_blocks"});
  EXPECT_NE(blocks.text.find("\n  rocksdb.properties: offset "),
            std::string::npos);
  EXPECT_NE(blocks.text.find("\n  rocksdb.range_del: offset "),
            std::string::npos);
  const Json json = JsonOf(Dump({table_, "--list_meta_blocks", "--json"}));
  EXPECT_EQ(json["meta_blocks"].size(), Count(blocks.text, ": offset "));
}

TEST_F(SstDumpFlagTest, AnInternalKeyHasASequenceNumberAndAType) {
  const Outcome key = Dump({"--parse_internal_key=0x6B65790105000000000000"});
  EXPECT_EQ(key.exit_code, 0);
  EXPECT_EQ(key.text, "key='6B6579' seq:5, type:1\n");
  EXPECT_EQ(Dump({"--parse_internal_key=0x6B"}).exit_code, 2);
  EXPECT_EQ(Dump({"--parse_internal_key=k"}).exit_code, 2);
}

TEST_F(SstDumpFlagTest, SeveralFilesAreDumpedAndOneErrorFails) {
  const std::string bad = directory_.Path("bad.sst");
  std::ofstream(bad) << "no table";
  const Outcome two = Dump({"--file=" + bad, "--file=" + table_});
  EXPECT_EQ(two.exit_code, 1);
  EXPECT_EQ(Count(two.text, "Process "), 2u) << two.text;
  const Outcome folder =
      Dump({"--file=" + directory_.path(), "--command=identify"});
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_NE(folder.text.find("Number of valid SST files: 1\n"),
            std::string::npos);
  EXPECT_EQ(Dump({table_, "--command=identify"}).text,
            "Process " + table_ + "\nSst file format: block-based\n" + table_ +
                " is a valid SST file\n");
}

TEST_F(SstDumpFlagTest, RecompressTriesCodecsLevelsBlocksAndDictionaries) {
  const auto sizes = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {table_, "--command=recompress", "--json"});
    return JsonOf(Dump(more))["recompressed"];
  };
  EXPECT_GE(sizes({}).size(), 2u);
  const Json levels =
      sizes({"--compression_types=kZSTD", "--compression_level_from=1",
             "--compression_level_to=3"});
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[2]["level"], 3);
  EXPECT_GT(levels[0]["compressed"], 0);
  const std::string plain = "--compression_types=kNoCompression";
  EXPECT_GT(sizes({plain, "--set_block_size=512"})[0]["data_blocks"],
            sizes({plain})[0]["data_blocks"]);
  const std::string zstd = "--compression_types=kZSTD";
  const std::string small = "--set_block_size=400";
  const Json none = sizes({zstd, small})[0];
  const Json samples = sizes({zstd, small, "--compression_max_dict_bytes=512"});
  EXPECT_NE(none["file_size"], samples[0]["file_size"]);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--compression_types=kZSTD",
                                 "--compression_level_from=1"},
        {"--compression_level_from=1", "--compression_level_to=2"},
        {"--compression_types=kOdd"},
        {"--compression_types=kZSTD", "--compression_level_from=3",
         "--compression_level_to=1"}}) {
    std::vector<std::string> arguments = {table_, "--command=recompress"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Dump(arguments).exit_code, 2);
  }
}

TEST_F(SstDumpFlagTest, EntriesAreJson) {
  const Outcome one =
      Dump({table_, "--command=scan", "--json", "--read_num=1"});
  const Json entry = JsonOf(one);
  EXPECT_EQ(entry["key"], "6B303030");
  EXPECT_EQ(entry["seq"], 0);
  EXPECT_EQ(entry["type"], 1);
  EXPECT_EQ(Dump({table_, "--command=raw", "--json"}).exit_code, 2);
}

}  // namespace
}  // namespace tamis
