// SPDX-License-Identifier: Apache-2.0
#include "tamis/convenience.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"
#include "tamis/utilities/merge_operators.h"

#include "db/options/option_fields.h"
#include "filter/bloom_filter_policy.h"
#include "filter/filter_policy_id.h"
#include "tests/support/comparators.h"

namespace tamis {
namespace {

const BlockBasedTableOptions& TableOf(const ColumnFamilyOptions& options) {
  return options.table_factory->block_based_options();
}

// What an option's text becomes, or the error.
std::string Family(const std::string& text, bool ignore_unsupported = false) {
  ConfigOptions config;
  config.ignore_unsupported_options = ignore_unsupported;
  ColumnFamilyOptions options;
  const Status status =
      GetColumnFamilyOptionsFromString(config, options, text, &options);
  if (!status.ok()) return status.ToString();
  std::string name = text.substr(0, text.find_first_of("=."));
  if (name == "block_based_table_factory") name = "table_factory";
  const auto* const field = OptionTableOf<ColumnFamilyOptions>().Find(name);
  return field != nullptr ? field->print(options) : "ignored";
}

TEST(ConvenienceTest, FieldsOfADatabase) {
  DBOptions options;
  ASSERT_TRUE(GetDBOptionsFromString(options,
                                     "create_if_missing=1; max_open_files=5k;"
                                     "wal_recovery_mode=kAbsoluteConsistency;"
                                     "info_log_level=WARN_LEVEL",
                                     &options)
                  .ok());
  EXPECT_TRUE(options.create_if_missing);
  EXPECT_EQ(options.max_open_files, 5120);
  EXPECT_EQ(options.wal_recovery_mode, WALRecoveryMode::kAbsoluteConsistency);
  EXPECT_EQ(options.info_log_level, WARN_LEVEL);
}

TEST(ConvenienceTest, AfterAnErrorTheBaseOptionsAreReturned) {
  DBOptions base;
  base.max_open_files = 9;
  DBOptions options;
  const Status status = GetDBOptionsFromMap(
      base, {{"atomic_flush", "1"}, {"max_open_files", "abc"}}, &options);
  EXPECT_EQ(status.ToString(),
            "Invalid argument: max_open_files: \"abc\" is not an integer of "
            "-2147483648 to 2147483647, with or without k, m, g or t");
  EXPECT_EQ(options.max_open_files, 9);
  EXPECT_FALSE(options.atomic_flush);
}

TEST(ConvenienceTest, ObjectsOfFamilies) {
  EXPECT_EQ(Family("comparator=rocksdb.ReverseBytewiseComparator"),
            "rocksdb.ReverseBytewiseComparator");
  EXPECT_EQ(Family("merge_operator=max"), "MaxOperator");
  EXPECT_EQ(Family("merge_operator={id=stringappend;delimiter=|}"),
            "{id=StringAppendOperator;delimiter=|;}");
  EXPECT_EQ(Family("merge_operator={id=StringAppendOperator;delimiter_hex=3b}"),
            "{id=StringAppendOperator;delimiter_hex=3B;}");
  std::string long_hex;
  for (int i = 0; i < 300; ++i) long_hex += "3B";
  EXPECT_EQ(Family("merge_operator={id=StringAppendOperator;delimiter_hex=" +
                   long_hex + "}"),
            "{id=StringAppendOperator;delimiter_hex=" + long_hex + ";}");
  EXPECT_EQ(Family("prefix_extractor=fixed:5"), "rocksdb.FixedPrefix.5");
  EXPECT_EQ(Family("prefix_extractor=rocksdb.CappedPrefix.6"),
            "rocksdb.CappedPrefix.6");
  EXPECT_EQ(Family("prefix_extractor=rocksdb.Noop"), "rocksdb.Noop");
  EXPECT_EQ(Family("compression_opts={parallel_threads=1}"),
            "{parallel_threads=1;level=32767;enabled=false;max_dict_bytes=0;"
            "zstd_max_train_bytes=0;max_dict_buffer_bytes=0;}");
  EXPECT_EQ(Family("compression_opts.parallel_threads=4"),
            "{parallel_threads=4;level=32767;enabled=false;max_dict_bytes=0;"
            "zstd_max_train_bytes=0;max_dict_buffer_bytes=0;}");
  EXPECT_EQ(Family("compression_opts=-14:7:0:50:60:3:true:70:false"),
            "{parallel_threads=3;level=7;enabled=true;max_dict_bytes=50;"
            "zstd_max_train_bytes=60;max_dict_buffer_bytes=70;"
            "use_zstd_dict_trainer=false;}");
  EXPECT_EQ(Family("compression_per_level=kNoCompression:kZSTD"),
            "kNoCompression:kZSTD");
  EXPECT_EQ(Family("max_bytes_for_level_multiplier_additional=1:2:3"), "1:2:3");
  EXPECT_EQ(Family("compaction_options_fifo={allow_compaction=true;}"),
            "{max_table_files_size=1073741824;allow_compaction=true;}");
}

TEST(ConvenienceTest, OptionsOfTables) {
  ColumnFamilyOptions options;
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(
                  options,
                  "block_based_table_factory={block_size=8k;block_cache=1M;"
                  "filter_policy=ribbonfilter:12.5:3;checksum=kCRC32c};"
                  "table_factory.index_type=kTwoLevelIndexSearch",
                  &options)
                  .ok());
  EXPECT_EQ(TableOf(options).block_size, 8192u);
  EXPECT_EQ(TableOf(options).block_cache->GetCapacity(), size_t{1} << 20);
  EXPECT_EQ(TableOf(options).filter_policy->GetId(), "ribbonfilter:12.5:3");
  EXPECT_EQ(TableOf(options).checksum, kCRC32c);
  EXPECT_EQ(TableOf(options).index_type,
            BlockBasedTableOptions::kTwoLevelIndexSearch);
}

TEST(ConvenienceTest, EveryBuiltInFilterPolicyHasAText) {
  for (const char* id :
       {"bloomfilter:10:false", "bloomfilter:7:true", "ribbonfilter:9.5:-1",
        "tamis.RateFilterPolicy:0.001:kXor",
        "tamis.BudgetFilterPolicy:1048576:kByLevel"}) {
    BlockBasedTableOptions table;
    const Status status = GetBlockBasedTableOptionsFromString(
        table, std::string("filter_policy=") + id, &table);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(table.filter_policy->GetId(), id);
  }
}

TEST(ConvenienceTest, AMalformedFilterIsNeverNoFilter) {
  for (const char* text :
       {"bloomfilter", "bloomfilter:x", "bloomfilter:10:maybe",
        "ribbonfilter:10:x", "tamis.RateFilterPolicy:0",
        "tamis.RateFilterPolicy:0.1:kNone", "tamis.BudgetFilterPolicy:-1"}) {
    BlockBasedTableOptions table;
    const Status status = GetBlockBasedTableOptionsFromString(
        ConfigOptions(), table, std::string("filter_policy=") + text, &table);
    EXPECT_TRUE(status.IsInvalidArgument()) << text;
    EXPECT_NE(status.ToString().find("filter_policy: \""), std::string::npos)
        << status.ToString();
    EXPECT_NE(table.filter_policy, nullptr);
    EXPECT_FALSE(NewFilterPolicyFromId(text, &table.filter_policy).ok());
    EXPECT_NE(table.filter_policy, nullptr);
  }
}

// Those that nobody set differ for comparators that Tamis knows nothing of.
TEST(ConvenienceTest, TheDefaultFilterPolicyHasATextOfItsOwn) {
  BlockBasedTableOptions table;
  const auto set = [&](const std::string& policy) {
    const Status status = GetBlockBasedTableOptionsFromString(
        table, "filter_policy=" + policy, &table);
    EXPECT_TRUE(status.ok()) << status.ToString();
    std::string text;
    EXPECT_TRUE(
        GetStringFromBlockBasedTableOptions(ConfigOptions(), table, &text)
            .ok());
    EXPECT_NE(text.find("filter_policy=" + policy + ";"), std::string::npos)
        << text;
    return IsDefaultFilterPolicy(table.filter_policy.get());
  };
  EXPECT_TRUE(set("tamis.DefaultFilterPolicy"));
  EXPECT_FALSE(set("bloomfilter:10:false"));
  EXPECT_TRUE(set("tamis.DefaultFilterPolicy"));
  EXPECT_FALSE(set("nullptr"));
}

TEST(ConvenienceTest, TheTextOfAnObjectThatIsSetKeepsTheObject) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  const FilterPolicy* const present = table.filter_policy.get();
  ASSERT_TRUE(GetBlockBasedTableOptionsFromString(
                  table, "filter_policy=bloomfilter:10:false", &table)
                  .ok());
  EXPECT_EQ(table.filter_policy.get(), present);
}

TEST(ConvenienceTest, UnknownAndUnsupportedNames) {
  EXPECT_EQ(Family("nosuch=1", true),
            "Invalid argument: nosuch: there is no such option");
  EXPECT_EQ(Family("table_factory={nosuch=1}"),
            "Invalid argument: table_factory: nosuch: there is no such option");
  EXPECT_EQ(Family("enable_blob_direct_write=false"), "ignored");
  EXPECT_EQ(Family("enable_blob_direct_write=true", true), "ignored");
  EXPECT_EQ(Family("enable_blob_direct_write=true"),
            "Not implemented: enable_blob_direct_write: RocksDB has this "
            "option, but Tamis does not, and works as if it were false");
  EXPECT_EQ(Family("comparator=mine"),
            "Not implemented: comparator: \"mine\" is not a built-in "
            "comparator");
  EXPECT_EQ(Family("comparator=mine", true), "leveldb.BytewiseComparator");
  EXPECT_EQ(Family("merge_operator=mine", true), "nullptr");
  EXPECT_EQ(Family("prefix_extractor=mine", true), "nullptr");
  EXPECT_EQ(Family("table_factory=MyTable"),
            "Not implemented: table_factory: \"MyTable\" is not "
            "BlockBasedTable, PlainTable or CuckooTable");
  EXPECT_EQ(Family("memtable_factory=MyMemtable"),
            "Not implemented: memtable_factory: \"MyMemtable\" is not a kind "
            "of memtable");
  EXPECT_EQ(Family("max_sequential_skip_in_iterations=3"), "3");
  ConfigOptions lenient;
  lenient.ignore_unknown_options = true;
  DBOptions options;
  EXPECT_TRUE(
      GetDBOptionsFromString(lenient, options, "nosuch=1", &options).ok());
  EXPECT_TRUE(
      GetDBOptionsFromString(options, "clock=x", &options).IsNotSupported());
}

TEST(ConvenienceTest, ValuesThatOnlyRocksDBHas) {
  EXPECT_EQ(Family("compression=kZSTDNotFinalCompression").substr(0, 73),
            "Not implemented: compression: RocksDB has "
            "kZSTDNotFinalCompression, but T");
  for (const char* text :
       {"compression=kZSTDNotFinalCompression",
        "compression_per_level=kNoCompression:kZSTDNotFinalCompression",
        "table_factory={index_type=kHashSearch}"}) {
    ColumnFamilyOptions options;
    ConfigOptions config;
    EXPECT_TRUE(
        GetColumnFamilyOptionsFromString(config, options, text, &options).ok())
        << text;
    EXPECT_EQ(options.compression, ColumnFamilyOptions().compression);
    EXPECT_TRUE(options.compression_per_level.empty());
    config.ignore_unsupported_options = false;
    EXPECT_TRUE(
        GetColumnFamilyOptionsFromString(config, options, text, &options)
            .IsNotSupported())
        << text;
  }
  EXPECT_EQ(Family("compression=kNoSuch", true).substr(0, 30),
            "Invalid argument: compression:");
}

TEST(ConvenienceTest, PartsOfAnObjectLeaveItAsItIs) {
  const std::string text = "filter_policy.bits_per_key=12";
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(9));
  const FilterPolicy* const present = table.filter_policy.get();
  ConfigOptions config;
  EXPECT_TRUE(
      GetBlockBasedTableOptionsFromString(config, table, text, &table).ok());
  EXPECT_EQ(table.filter_policy.get(), present);
  EXPECT_EQ(GetBlockBasedTableOptionsFromString(table, text, &table).ToString(),
            "Not implemented: filter_policy.bits_per_key: an object has no "
            "such options");
  EXPECT_EQ(Family("table_factory={" + text + "}"),
            "Not implemented: table_factory: filter_policy.bits_per_key: an "
            "object has no such options");
}

TEST(ConvenienceTest, ValuesAreUnescapedIfAsked) {
  ColumnFamilyOptions options;
  ASSERT_TRUE(GetColumnFamilyOptionsFromMap(
                  options, {{"prefix_extractor", "fixed\\:3"}}, &options,
                  /*input_strings_escaped=*/true)
                  .ok());
  EXPECT_EQ(options.prefix_extractor->GetId(), "rocksdb.FixedPrefix.3");
  EXPECT_FALSE(GetColumnFamilyOptionsFromMap(
                   options, {{"prefix_extractor", "fixed\\:4"}}, &options)
                   .ok());
}

TEST(ConvenienceTest, OnlyOptionsThatMayChangeWithMutableOptionsOnly) {
  ConfigOptions config;
  config.mutable_options_only = true;
  ColumnFamilyOptions options;
  options.compression = kNoCompression;
  EXPECT_TRUE(GetColumnFamilyOptionsFromString(config, options,
                                               "write_buffer_size=1M", &options)
                  .ok());
  const Status status = GetColumnFamilyOptionsFromString(
      config, options, "comparator=rocksdb.ReverseBytewiseComparator",
      &options);
  EXPECT_EQ(status.ToString(),
            "Invalid argument: comparator: it cannot change while the database "
            "is open");
  EXPECT_TRUE(
      GetColumnFamilyOptionsFromString(
          config, options, "comparator=leveldb.BytewiseComparator", &options)
          .ok())
      << "it has that value";
  std::string text;
  ASSERT_TRUE(GetStringFromColumnFamilyOptions(config, options, &text).ok());
  EXPECT_EQ(text.find("comparator="), std::string::npos) << text;
  EXPECT_NE(text.find("compression=kNoCompression;"), std::string::npos);
}

// Sets every field that has a text to another value, prints all, and parses
// them: a field that is printed or parsed wrongly is found, a new one too.
template <typename Struct>
void ExpectRoundTrip(const Struct& defaults, const Struct& other) {
  std::string text;
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    if (!field.has_text()) continue;
    const std::string value = field.print(other);
    EXPECT_NE(value, field.print(defaults)) << field.name << " has its default";
    text += std::string(field.name) + "=" + value + ";";
  }
  Struct parsed = defaults;
  OptionPairs pairs;
  ASSERT_TRUE(SplitOptions(text, &pairs).ok()) << text;
  for (const auto& [name, value] : pairs) {
    const auto* const field = OptionTableOf<Struct>().Find(name);
    ASSERT_NE(field, nullptr) << name;
    const Status status = field->parse(ConfigOptions(), value, &parsed);
    ASSERT_TRUE(status.ok()) << name << ": " << status.ToString();
    EXPECT_EQ(field->print(parsed), field->print(other)) << name;
  }
}

// A value that differs from the default, by type.
template <typename Struct>
Struct WithOtherValues() {
  Struct options;
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    if (!field.has_text()) continue;
    const std::string old = field.print(options);
    for (const char* text : {"3",
                             "5",
                             "true",
                             "false",
                             "0.125",
                             "rocksdb.ReverseBytewiseComparator",
                             "{id=StringAppendOperator;delimiter=|}",
                             "fixed:3",
                             "ribbonfilter:9:1",
                             "FileChecksumGenCrc32cFactory",
                             "kSkipAnyCorruptedRecords",
                             "WARN_LEVEL",
                             "SEQUENTIAL",
                             "kZSTD",
                             "kCRC32c",
                             "kTwoLevelIndexSearch",
                             "kNoShortening",
                             "kDataBlockBinaryAndHash",
                             "kFlushOnly",
                             "kGrafite",
                             "parallel_threads=7",
                             "{id=BlockBasedTable;block_size=99;}",
                             "{allow_trivial_move=true}",
                             "{allow_compaction=true}",
                             "{partition_pinning=kAll}",
                             "kAll",
                             "kNoCompression:kZSTD",
                             "kCompactionStyleFIFO",
                             "kByCompensatedSize",
                             "kPrefix",
                             "vector:1024",
                             "kCompactionStopStyleSimilarSize"}) {
      Struct changed = options;
      if (field.parse(ConfigOptions(), TrimSpace(text), &changed).ok() &&
          field.print(changed) != old && field.print(changed) != "nullptr") {
        options = changed;
        break;
      }
    }
  }
  return options;
}

TEST(ConvenienceTest, EveryFieldSurvivesARoundTrip) {
  ExpectRoundTrip(DBOptions(), WithOtherValues<DBOptions>());
  ExpectRoundTrip(ColumnFamilyOptions(),
                  WithOtherValues<ColumnFamilyOptions>());
  ExpectRoundTrip(CompressionOptions(), WithOtherValues<CompressionOptions>());
  ExpectRoundTrip(CompactionOptionsUniversal(),
                  WithOtherValues<CompactionOptionsUniversal>());
  ExpectRoundTrip(CompactionOptionsFIFO(),
                  WithOtherValues<CompactionOptionsFIFO>());
  ExpectRoundTrip(MetadataCacheOptions(),
                  WithOtherValues<MetadataCacheOptions>());
  ExpectRoundTrip(BlockBasedTableOptions(),
                  WithOtherValues<BlockBasedTableOptions>());
  ExpectRoundTrip(PlainTableOptions(), WithOtherValues<PlainTableOptions>());
  ExpectRoundTrip(CuckooTableOptions(), WithOtherValues<CuckooTableOptions>());
}

TEST(ConvenienceTest, TableFactoriesOfOtherFormats) {
  ColumnFamilyOptions options;
  const auto set = [&options](const std::string& text) {
    return GetColumnFamilyOptionsFromString(options, text, &options).ToString();
  };
  EXPECT_EQ(set("plain_table_factory={user_key_len=8;encoding_type=kPrefix}"),
            "OK");
  ASSERT_NE(options.table_factory->plain_options(), nullptr);
  EXPECT_EQ(options.table_factory->plain_options()->user_key_len, 8u);
  EXPECT_EQ(options.table_factory->plain_options()->encoding_type, kPrefix);
  // The rest stays.
  EXPECT_EQ(set("table_factory.index_sparseness=3"), "OK");
  EXPECT_EQ(options.table_factory->plain_options()->user_key_len, 8u);
  EXPECT_EQ(set("table_factory={id=CuckooTable;max_search_depth=7}"), "OK");
  ASSERT_NE(options.table_factory->cuckoo_options(), nullptr);
  EXPECT_EQ(options.table_factory->cuckoo_options()->max_search_depth, 7u);
  EXPECT_EQ(set("block_based_table_factory={block_size=8k}"), "OK");
  ASSERT_NE(options.table_factory->GetOptions<BlockBasedTableOptions>(),
            nullptr);
  PlainTableOptions plain;
  EXPECT_TRUE(
      GetPlainTableOptionsFromString(
          plain, "bloom_bits_per_key=3;store_index_in_file=true", &plain)
          .ok());
  EXPECT_EQ(plain.bloom_bits_per_key, 3);
  EXPECT_TRUE(plain.store_index_in_file);
}

TEST(ConvenienceTest, KindsOfMemtables) {
  for (const auto& [text, name] : std::map<std::string, std::string>{
           {"skip_list:16", "SkipListFactory"},
           {"{id=VectorRepFactory;count=1024}", "VectorRepFactory"},
           {"prefix_hash:100", "HashSkipListRepFactory"},
           {"hash_linkedlist", "HashLinkListRepFactory"}}) {
    ColumnFamilyOptions options;
    const Status status =
        GetColumnFamilyOptionsFromString(options, "memtable=" + text, &options);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(options.memtable_factory->Name(), name);
  }
}

TEST(ConvenienceTest, StringsPrintedAreParsedAgain) {
  Options options;
  static_cast<DBOptions&>(options) = WithOtherValues<DBOptions>();
  static_cast<ColumnFamilyOptions&>(options) =
      WithOtherValues<ColumnFamilyOptions>();
  std::string database;
  std::string family;
  ASSERT_TRUE(GetStringFromDBOptions(&database, options).ok());
  ASSERT_TRUE(
      GetStringFromColumnFamilyOptions(ConfigOptions(), options, &family).ok());
  Options parsed;
  const Status status =
      GetOptionsFromString(parsed, database + family, &parsed);
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::string again;
  ASSERT_TRUE(GetStringFromDBOptions(&again, parsed).ok());
  EXPECT_EQ(again, database);
  ASSERT_TRUE(
      GetStringFromColumnFamilyOptions(ConfigOptions(), parsed, &again).ok());
  EXPECT_EQ(again, family);
}

class OddMerge final : public AssociativeMergeOperator {
 public:
  explicit OddMerge(std::string name) : name_(std::move(name)) {}
  const char* Name() const override { return name_.c_str(); }
  bool Merge(const Slice& /*key*/, const Slice* /*existing_value*/,
             const Slice& value, std::string* new_value,
             Logger* /*logger*/) const override {
    *new_value = value.ToString();
    return true;
  }

 private:
  const std::string name_;
};

TEST(ConvenienceTest, ObjectsWithOddNamesSurviveARoundTrip) {
  for (const char* name : {"a;b", "a\\b", "{", "}", " a b ", "a=b", "a#b",
                           "100%", "a%3Bb", "line\nline", "\xc3\xa9", "{a}"}) {
    const NamedComparator comparator(name);
    ColumnFamilyOptions options;
    options.comparator = &comparator;
    options.merge_operator = std::make_shared<OddMerge>(name);
    for (const bool escaped : {true, false}) {
      ConfigOptions config;
      config.ignore_unsupported_options = false;
      config.input_strings_escaped = escaped;
      std::string text;
      ASSERT_TRUE(
          GetStringFromColumnFamilyOptions(config, options, &text).ok());
      ColumnFamilyOptions parsed;
      const Status status =
          GetColumnFamilyOptionsFromString(config, options, text, &parsed);
      EXPECT_TRUE(status.ok()) << name << ": " << status.ToString();
      EXPECT_EQ(parsed.comparator, &comparator);
      EXPECT_EQ(parsed.merge_operator, options.merge_operator) << name;
    }
  }
  ColumnFamilyOptions options;
  options.merge_operator = std::make_shared<OddMerge>("a\\b");
  EXPECT_TRUE(GetColumnFamilyOptionsFromMap(
                  options, {{"merge_operator", "a\\b"}}, &options)
                  .ok())
      << "its name";
}

TEST(ConvenienceTest, NamesAreInOneTableOnly) {
  const auto check = [](const auto& table) {
    for (const MissingOption& missing : table.missing) {
      EXPECT_EQ(table.Find(missing.name), nullptr) << missing.name;
    }
  };
  check(OptionTableOf<DBOptions>());
  check(OptionTableOf<ColumnFamilyOptions>());
  check(OptionTableOf<CompressionOptions>());
  check(OptionTableOf<CompactionOptionsUniversal>());
  check(OptionTableOf<CompactionOptionsFIFO>());
  check(OptionTableOf<BlockBasedTableOptions>());
  for (const auto& field : OptionTableOf<DBOptions>().fields) {
    EXPECT_EQ(OptionTableOf<ColumnFamilyOptions>().Find(field.name), nullptr)
        << "GetOptionsFromString could not tell " << field.name;
  }
}

TEST(ConvenienceTest, MapsAndCodecs) {
  std::unordered_map<std::string, std::string> map;
  ASSERT_TRUE(StringToMap("a=1;b={c=2};a=3", &map).ok());
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map["a"], "3");
  EXPECT_EQ(map["b"], "c=2");
  std::string name;
  ASSERT_TRUE(GetStringFromCompressionType(&name, kZSTD).ok());
  EXPECT_EQ(name, "kZSTD");
  EXPECT_TRUE(
      GetStringFromCompressionType(&name, static_cast<CompressionType>(99))
          .IsInvalidArgument());
  const auto codecs = GetSupportedCompressions();
  EXPECT_EQ(std::count(codecs.begin(), codecs.end(), kSnappyCompression), 1);
}

}  // namespace
}  // namespace tamis
