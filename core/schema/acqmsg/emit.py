# SPDX-License-Identifier: Apache-2.0
"""Layouts -> one C header and one C file per package."""

from .load import HOUSE_PACKAGES, kind_of
from .words import KINDS

LICENSE = "/* SPDX-License-Identifier: Apache-2.0 */\n"


def quote(text):
    """A C string literal; octal escapes, since hex ones swallow what follows."""
    if text is None:
        return "NULL"
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in '"\\' or char == "?":
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append("\\%03o" % byte)
    return '"%s"' % "".join(out)


def comment(text):
    # Nor may a comment hold a trigraph, which compilers warn of.
    return text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")


def real(value):
    if value != value:
        return "__builtin_nan (\"\")"
    return repr(float(value))


def ros2msg(loader, message):
    """The schema text of MCAP: the type, then everything it needs, each once."""
    parts = ["\n".join(message.lines) + "\n"]
    for inner in loader.closure(message):
        if inner.package == "builtin_interfaces":
            continue  # built into every reader
        parts.append("%s\nMSG: %s\n%s\n" % ("=" * 80, inner.ros, "\n".join(inner.lines)))
    return "".join(parts)


class Emitter:
    def __init__(self, loader, package, layouts, api):
        self.loader, self.package, self.layouts, self.api = loader, package, layouts, api
        self.members = {  # types that live inside others
            field.type.ros for m in loader.types.values() for field in m.fields if field.type}

    def owner(self, message):
        return self.loader.packages[message.package]

    def c_type(self, message):
        return self.owner(message).c_type(message)

    def symbol(self, message):
        return self.owner(message).c_symbol(message)

    # --- header ---

    def includes(self):
        needed = []
        for message in self.package.messages:
            for field in message.fields:
                if field.type and field.type.package not in needed + [self.package.name]:
                    needed.append(field.type.package)
        house = [n for n in sorted(needed) if n in HOUSE_PACKAGES]
        lines = ["#include <acq/msgs/%s.h>" % n for n in house]
        lines += ['#include "%s.h"' % n for n in sorted(needed) if n not in house]
        return lines

    def header(self):
        out = [LICENSE, "/* Made by acq-msg-gen from %s; changes here are lost. */\n"
               % self.package.name, "#pragma once\n\n",
               "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n",
               "#include <acq/acq-schema.h>\n#include <acq/acq-stream.h>\n"]
        out += [line + "\n" for line in self.includes()]
        out.append("\nG_BEGIN_DECLS\n")
        for message in self.package.messages:
            out.append("\n" + self.one_header(message))
        out.append("\nG_END_DECLS\n")
        return "".join(out)

    def one_header(self, message):
        layout = self.layouts[message.ros]
        ctype, symbol = self.c_type(message), self.symbol(message)
        out = [self.doc_block(message, ctype)]
        out.append(self.values(message, symbol.upper()))
        out.append(self.struct(message, layout, ctype, symbol))
        out.append(self.asserts(layout, ctype))
        out.append("\n%s const AcqSchema %s_schema;\n" % (self.api, symbol))
        if message.has_header or message.ros not in self.members:
            out.append(self.begin(message, layout, ctype, symbol))
        return "".join(out)

    def doc_block(self, message, ctype):
        out = ["/**\n * %s:\n" % ctype]
        for field in message.fields[1 if message.has_header else 0:]:
            if not (field.constant or field.tail):
                unit = " [%s]" % field.unit if field.unit else ""
                out.append(" * @%s: %s%s\n" % (
                    field.name, comment(field.doc or field.ros), comment(unit)))
        out.append(" *\n * `%s/msg/%s`" % (message.package, message.name))
        if message.doc:
            out.append(". " + comment(message.doc))
        out.append("\n */\n")
        return "".join(out)

    def values(self, message, upper):
        ints, others = [], []
        for constant in message.constants:
            name = "%s_%s" % (upper, constant.name)
            if constant.ros == "string":
                others.append("#define %s %s\n" % (name, quote(constant.value)))
            elif isinstance(constant.value, float):
                others.append("#define %s (%r)\n" % (name, constant.value))
            elif -(2**31) <= constant.value < 2**31:
                # The smallest int has no literal of its own.
                text = "-2147483647 - 1" if constant.value == -(2**31) else str(constant.value)
                ints.append("  %s = %s,\n" % (name, text))
            else:
                others.append("#define %s %s\n" % (name, self.big(constant.value)))
        if ints:
            others.insert(0, "enum {\n%s};\n" % "".join(ints))
        for field in message.fields:
            if field.constant or field.tail or field.is_struct and field.arity == "ONE":
                continue
            if field.arity == "SEQUENCE" or field.is_string and field.arity == "ONE":
                number = field.max if field.arity == "SEQUENCE" else field.length
                others.append("#define %s_%s_MAX %d\n" % (upper, field.name.upper(), number))
        return "".join(others)

    @staticmethod
    def big(value):
        if value == -(2**63):
            return "(-G_GINT64_CONSTANT (9223372036854775807) - 1)"
        return "G_G%sINT64_CONSTANT (%d)" % ("" if value < 2**63 else "U", value)

    def struct(self, message, layout, ctype, symbol):
        out = ["typedef struct {\n"]
        for field in message.fields[1 if message.has_header else 0:]:
            if field.constant or field.tail:
                continue
            base = self.c_type(field.type) if field.is_struct else KINDS[field.base][2]
            dims = ""
            if field.arity == "SEQUENCE":
                out.append("  uint32_t n_%s;\n" % field.name)
            if field.arity != "ONE":
                dims = "[%d]" % field.max
            if field.is_string:
                dims += "[%d]" % field.stride
            out.append("  %s %s%s;\n" % (base, field.name, dims))
        if layout.members[-1][0] == "reserved_":
            out.append("  uint64_t reserved_; /* everything is in the tail */\n")
        out.append("} %s;\n" % ctype)
        return "".join(out)

    def asserts(self, layout, ctype):
        out = ['_Static_assert (sizeof (%s) == %d, "size of %s");\n' % (ctype, layout.size, ctype)]
        for name, offset in layout.members:
            out.append('_Static_assert (offsetof (%s, %s) == %d, "%s");\n' % (
                ctype, name, offset, name))
        return "".join(out)

    def begin(self, message, layout, ctype, symbol):
        if not layout.tail:
            return (
                "\nstatic inline %s *\n%s_begin (AcqStream *stream, AcqFrame **frame)\n{\n"
                "  return (%s *) acq_stream_begin (stream, &%s_schema, frame);\n}\n"
                % (ctype, symbol, ctype, symbol))
        field = layout.tail
        element = "char" if field.is_string else KINDS[field.base][2]
        return (
            "\n/* @n: elements of `%s`, which is the tail. */\n"
            "static inline %s *\n%s_begin (AcqStream *stream, gsize n, AcqFrame **frame)\n{\n"
            "  return (%s *) acq_stream_begin_sized (stream, &%s_schema, n * sizeof (%s), frame);\n"
            "}\n"
            "\nstatic inline %s *\n%s_tail (%s *self)\n{\n"
            "  return (%s *) (void *) ((guint8 *) self + %d);\n}\n"
            % (field.name, ctype, symbol, ctype, symbol, element, element, symbol, ctype, element,
               layout.tail_offset))

    # --- source ---

    def source(self):
        out = [LICENSE, "/* Made by acq-msg-gen from %s; changes here are lost. */\n"
               % self.package.name]
        house = self.package.name in HOUSE_PACKAGES
        out.append("#include %s\n" % (
            "<acq/msgs/%s.h>" % self.package.name if house else '"%s.h"' % self.package.name))
        for message in self.package.messages:
            out.append("\n" + self.one_source(message))
        return "".join(out)

    def one_source(self, message):
        layout, symbol = self.layouts[message.ros], self.symbol(message)
        out = []
        fields = message.fields[1 if message.has_header else 0:]
        out.append("static const AcqField %s_fields[] = {\n" % symbol)
        out += [self.field(message, layout, one) for one in fields]
        out.append("};\n\nstatic const AcqCdrOp %s_ops[] = {\n" % symbol)
        for op in layout.ops:
            values = ["ACQ_CDR_" + op.code]
            for key in ("align", "offset", "bytes", "count", "count_offset", "max", "n_ops"):
                if getattr(op, key):
                    values.append(".%s = %d" % (key, getattr(op, key)))
            out.append("  { %s },\n" % ", ".join(values))
        out.append("};\n")
        if message.constants:
            out.append("\nstatic const AcqEnumValue %s_values[] = {\n" % symbol)
            out += ["  { %s },\n" % self.value(one) for one in message.constants]
            out.append("};\n")
        out.append(self.schema(message, layout, symbol, fields))
        return "".join(out)

    def field(self, message, layout, field):
        values = [quote(field.name), "ACQ_KIND_" + kind_of(field), "ACQ_ARITY_" + field.arity,
                  "ACQ_INTERP_" + field.interp.upper()]
        flags = [name for name, on in (
            ("ACQ_FIELD_CONSTANT", field.constant), ("ACQ_FIELD_TAIL", field.tail),
            ("ACQ_FIELD_HAS_INVALID", field.invalid is not None)) if on]
        values.append(" | ".join(flags) or "0")
        if field.constant:
            values.append(".constant = %d" % field.index)
        for key in ("offset", "count_offset", "stride"):
            if getattr(field, key):
                values.append(".%s = %d" % (key, getattr(field, key)))
        values.append(".max = %d" % (0 if field.tail else field.max or 0))
        if field.type:
            values.append(".type = &%s_schema" % self.symbol(field.type))
        for key in ("unit", "npz", "doc"):
            if getattr(field, key):
                values.append(".%s = %s" % (key, quote(getattr(field, key))))
        if field.invalid is not None:
            values.append(".invalid = " + real(field.invalid))
        return "  { %s },\n" % ", ".join(values)

    @staticmethod
    def value(constant):
        kind = KINDS[constant.ros][0]
        if constant.ros == "string":
            rest = ".text = " + quote(constant.value)
        elif isinstance(constant.value, float):
            rest = ".real = %r" % constant.value
        else:
            big = constant.value if constant.value < 2**63 else constant.value - 2**64
            rest = ".value = %s" % Emitter.big(big)
        return "%s, ACQ_KIND_%s, %s" % (quote(constant.name), kind, rest)

    def schema(self, message, layout, symbol, fields):
        lines = ros2msg(self.loader, message).split("\n")
        text = "\n".join("      " + quote(line + "\n") for line in lines[:-1])
        tail = "NULL"
        if layout.tail:
            tail = "&%s_fields[%d]" % (symbol, fields.index(layout.tail))
        n_values = len(message.constants)
        rows = [
            ("name", quote("%s/msg/%s" % (message.package, message.name))),
            ("text", "\n" + text), ("doc", quote(message.doc)), ("size", layout.size),
            ("align", layout.align), ("tail_offset", layout.tail_offset), ("tail", tail),
            ("has_header", "TRUE" if message.has_header else "FALSE"),
            ("is_packed", "TRUE" if layout.packed else "FALSE"), ("cdr_max", layout.cdr_max),
            ("fields", symbol + "_fields"), ("n_fields", len(fields)),
            ("n_constants", len(layout.constants)), ("ops", symbol + "_ops"),
            ("n_ops", len(layout.ops)), ("values", symbol + "_values" if n_values else "NULL"),
            ("n_values", n_values),
        ]
        body = "".join("  .%s = %s,\n" % row for row in rows)
        return "\nconst AcqSchema %s_schema = {\n%s};\n" % (symbol, body)


def umbrella_header(packages):
    lines = ["#include <acq/msgs/%s.h>\n" % package.name for package in packages]
    return LICENSE + "/* Made by acq-msg-gen: every message type of libacq. */\n#pragma once\n\n" \
        + "".join(lines)


def umbrella_source(packages):
    """The table behind acq_schema_lookup, sorted by name."""
    rows = sorted(("%s/msg/%s" % (p.name, m.name), p.c_symbol(m))
                  for p in packages for m in p.messages)
    return "".join([
        LICENSE, "/* Made by acq-msg-gen: the table of every message type of libacq. */\n",
        '#include <acq/msgs/acq-msgs-all.h>\n#include "schema/acq-schema-private.h"\n\n',
        "const AcqSchema *const acq_schema_table[] = {\n",
        "".join("  &%s_schema,\n" % symbol for _, symbol in rows),
        "};\nconst guint acq_schema_table_length = G_N_ELEMENTS (acq_schema_table);\n"])
