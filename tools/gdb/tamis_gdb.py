# SPDX-License-Identifier: Apache-2.0
"""Pretty-printers for gdb: Slice, Status, internal keys, blocks, table metadata.

    (gdb) source tools/gdb/tamis_gdb.py
    (gdb) print status
    $1 = Corruption: table 000012.sst: block at offset 0
    (gdb) tamis-internal-key slice
    "apple" seq:7 Put

They read the program's memory and call none of its functions, so they also work
on a core file.
"""

import gdb
import gdb.printing

# table/internal_key.h
VALUE_TYPES = {
    0x00: "Delete", 0x01: "Put", 0x02: "Merge", 0x07: "SingleDelete",
    0x0f: "DeleteRange", 0x11: "BlobIndex", 0x14: "DeleteWithTimestamp",
    0x16: "WideColumnEntity", 0x18: "PutWithPreferredSeqno",
}
TRAILER_BYTES = 8
SHOWN_BYTES_MAX = 64


def quoted(data):
    """Printable bytes as they are, others as \\xNN; long ones cut."""
    text = "".join(chr(b) if 0x20 <= b < 0x7f and b not in (0x22, 0x5c)
                   else "\\x%02x" % b for b in data[:SHOWN_BYTES_MAX])
    rest = len(data) - SHOWN_BYTES_MAX
    return '"%s"' % text + (" and %d bytes more" % rest if rest > 0 else "")


def memory(address, size):
    if size == 0:
        return b""
    return bytes(gdb.selected_inferior().read_memory(int(address), int(size)))


def slice_bytes(value):
    return memory(value["data_"], value["size_"])


def string_bytes(value):
    """The contents of a std::string of libstdc++."""
    return memory(value["_M_dataplus"]["_M_p"], value["_M_string_length"])


def internal_key(data):
    if len(data) < TRAILER_BYTES:
        return quoted(data) + " (shorter than an internal key)"
    trailer = int.from_bytes(data[-TRAILER_BYTES:], "little")
    kind = trailer & 0xff
    return "%s seq:%d %s" % (quoted(data[:-TRAILER_BYTES]), trailer >> 8,
                             VALUE_TYPES.get(kind, "type 0x%02x" % kind))


class SlicePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return quoted(slice_bytes(self.value))


class StatusPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        code = str(self.value["code_"])
        text = code.split("::")[-1].lstrip("k")
        if text == "Ok":
            return "OK"
        subcode = str(self.value["subcode_"]).split("::")[-1].lstrip("k")
        if subcode != "None":
            text += " (%s)" % subcode
        message = self.value["message_"]["_M_ptr"]
        if int(message) != 0:
            text += ": " + string_bytes(message.dereference()).decode(
                "utf-8", "backslashreplace")
        return text


class ParsedInternalKeyPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        kind = int(self.value["type"])
        return "%s seq:%d %s" % (quoted(slice_bytes(self.value["user_key"])),
                                 int(self.value["sequence"]),
                                 VALUE_TYPES.get(kind, "type 0x%02x" % kind))


class LookupKeyPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return internal_key(memory(self.value["data_"], self.value["size_"]))


def varint32(data, at):
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7f) << shift
        if byte < 0x80:
            return result, at
        shift += 7


class BlockPartsPrinter:
    """The entries of a block whose values lie within its entries."""

    ENTRIES_MAX = 200

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "block of %d bytes of entries, %d restarts" % (
            int(self.value["entries_end"]), int(self.value["num_restarts"]))

    def children(self):
        if int(self.value["values_begin"]) != 0:
            return
        data = memory(self.value["data"], self.value["entries_end"])
        at, key = 0, b""
        for count in range(self.ENTRIES_MAX):
            if at >= len(data):
                return
            offset = at
            try:
                shared, at = varint32(data, at)
                non_shared, at = varint32(data, at)
                value_size, at = varint32(data, at)
            except IndexError:
                yield "[%d]" % count, "cut at offset %d" % offset
                return
            key = key[:shared] + data[at:at + non_shared]
            at += non_shared
            yield "[%d]" % count, "%s = %s" % (
                quoted(key), quoted(data[at:at + value_size]))
            at += value_size


class BlockBufferPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "block of %d bytes at %s" % (
            int(self.value["size_"]),
            self.value["data_"].format_string(symbols=False, format="x"))


class FileMetaDataPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "table %d, %d bytes, [%s .. %s]" % (
            int(self.value["number"]["value_"]), int(self.value["size"]),
            internal_key(string_bytes(self.value["smallest"])),
            internal_key(string_bytes(self.value["largest"])))


class InternalKeyCommand(gdb.Command):
    """tamis-internal-key SLICE: the user key, sequence number and type in it."""

    def __init__(self):
        super().__init__("tamis-internal-key", gdb.COMMAND_DATA,
                         gdb.COMPLETE_EXPRESSION)

    def invoke(self, expression, _from_tty):
        value = gdb.parse_and_eval(expression)
        print(internal_key(slice_bytes(value)))


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("tamis")
    for name, printer in (
            ("Slice", SlicePrinter),
            ("Status", StatusPrinter),
            ("ParsedInternalKey", ParsedInternalKeyPrinter),
            ("LookupKey", LookupKeyPrinter),
            ("BlockParts", BlockPartsPrinter),
            ("BlockBuffer", BlockBufferPrinter),
            ("FileMetaData", FileMetaDataPrinter)):
        collection.add_printer(name, "^tamis::%s$" % name, printer)
    return collection


InternalKeyCommand()
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(),
                                     replace=True)
