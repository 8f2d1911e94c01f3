# SPDX-License-Identifier: Apache-2.0
"""The words of the language: kinds, names, and the one kind of error."""

import difflib
import re


class MsgError(Exception):
    """A mistake of the person who wrote the file; always says where."""

    def __init__(self, path, line, message):
        super().__init__("%s:%d: %s" % (path, line, message))


# ROS name -> (AcqKind, bytes, C type)
KINDS = {
    "bool": ("BOOL", 1, "bool"),
    "int8": ("I8", 1, "int8_t"),
    "uint8": ("U8", 1, "uint8_t"),
    "byte": ("U8", 1, "uint8_t"),
    "char": ("U8", 1, "uint8_t"),
    "int16": ("I16", 2, "int16_t"),
    "uint16": ("U16", 2, "uint16_t"),
    "int32": ("I32", 4, "int32_t"),
    "uint32": ("U32", 4, "uint32_t"),
    "int64": ("I64", 8, "int64_t"),
    "uint64": ("U64", 8, "uint64_t"),
    "float32": ("F32", 4, "float"),
    "float64": ("F64", 8, "double"),
    "string": ("STRING", 0, "char"),
}

INT_RANGE = {
    "int8": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "byte": (0, 2**8 - 1),
    "char": (0, 2**8 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}

FLOATS = ("float32", "float64")

# Known to ROS, but not to a flat payload.
REFUSED = {
    "wstring": "write string: text is UTF-8 here",
    "time": "write builtin_interfaces/Time",
    "duration": "write builtin_interfaces/Duration",
    "long double": "write float64",
}

STRUCT_LIMIT = 16 * 1024

RE_PACKAGE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
RE_TYPE = re.compile(r"[A-Z][A-Za-z0-9]*\Z")
RE_FIELD = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
RE_CONSTANT = re.compile(r"[A-Z]([A-Z0-9_]*[A-Z0-9])?\Z")
RE_INT = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|[0-9]+)\Z")
RE_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")

# What a member of a C struct must not be called.
C_WORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while bool true false asm typeof linux unix errno and or not xor
    class delete explicit export friend mutable namespace new operator private protected public
    template this throw try using virtual stdin stdout stderr""".split()
)

# Words of libacq itself, which no type with its prefix may take.
RESERVED = frozenset(
    """Arity CdrInput CdrMessage CdrOp Clock Constants ConstantsBuilder Consumer EnumValue Error Field
    Frame Graph Harness HostClock Interp Kind Link Node Option Pipeline Plugin Pool Port Registry
    Schema Side Sink Snapshot Source Stream Take Transform VendorLibrary""".split()
)


def nearest(word, words):
    """' (did you mean X?)' or nothing."""
    found = difflib.get_close_matches(word, sorted(words), 1)
    return " (did you mean '%s'?)" % found[0] if found else ""


def snake(camel):
    text = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", camel)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text).lower()


def camel(package):
    return "".join(part.capitalize() for part in package.split("_"))


def parse_int(text):
    """The value, or None. Base 10 or 16; a leading zero is decimal, as in ROS."""
    if not RE_INT.match(text) or len(text) > 40:
        return None
    return int(text, 16 if "x" in text.lower() else 10)


def parse_float(text):
    """The finite value, or None."""
    if not RE_FLOAT.match(text) or len(text) > 60:
        return None
    value = float(text)
    return value if abs(value) <= 1.7976931348623157e308 else None
