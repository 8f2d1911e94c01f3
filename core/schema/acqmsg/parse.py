# SPDX-License-Identifier: Apache-2.0
"""`.msg` text -> Message. Pure: knows one file, not its neighbours."""

import re

from .words import (
    C_WORDS, FLOATS, INT_RANGE, KINDS, MsgError, RE_CONSTANT, RE_FIELD, RE_PACKAGE, RE_TYPE,
    REFUSED, nearest, parse_float, parse_int,
)

ANNOTATIONS = {  # name -> number of arguments
    "unit": 1, "interp": 1, "invalid": 1, "max": 1, "length": 1, "npz": 1, "constant": 0, "tail": 0,
}
MAX_LINE = 2000
MAX_FILE = 256 * 1024
MAX_FIELDS = 512

RE_TYPEREF = re.compile(
    r"(?P<base>[A-Za-z_][A-Za-z0-9_/]*(?:/[A-Za-z0-9_]+)*)(?P<text><=[0-9]+)?"
    r"(?P<array>\[(?:<=[0-9]+|[0-9]+)?\])?\Z"
)


class Field:
    """A member as written; layout.py adds offsets."""

    def __init__(self, path, line, ros, base, name):
        self.path, self.line = path, line
        self.ros = ros  # the type as ROS text without bounds
        self.base = base  # a word of KINDS, or 'package/Type'
        self.name = name
        self.arity = "ONE"
        self.max = 1  # elements
        self.length = None  # bytes of a string, without the NUL
        self.constant = self.tail = False
        self.unit = self.interp = self.npz = self.doc = None
        self.invalid = None
        self.type = None  # Message, once resolved
        self.annotated = {}

    def fail(self, message):
        raise MsgError(self.path, self.line, "%s: %s" % (self.name, message))

    @property
    def is_string(self):
        return self.base == "string"

    @property
    def is_struct(self):
        return "/" in self.base


class Constant:
    def __init__(self, line, ros, name, value):
        self.line, self.ros, self.name, self.value = line, ros, name, value
        self.doc = None


class Message:
    def __init__(self, path, package, name):
        self.path, self.package, self.name = path, package, name
        self.c_name = name  # '@c_name' in the side file, where C has the word already
        self.ros = "%s/%s" % (package, name)
        self.doc = None
        self.fields = []
        self.constants = []
        self.lines = []  # of the ros2msg text
        self.nested = False  # '@nested': lives inside other types only, keeps its header
        self.has_header = False


def parse_annotations(path, line, text):
    """'@max 4 @unit m how far' -> ({'max': '4', 'unit': 'm'}, 'how far')."""
    found, rest = {}, []
    words = text.split()
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        if not word.startswith("@") or len(word) == 1:
            rest.append(word)
            continue
        name = word[1:]
        if name not in ANNOTATIONS:
            raise MsgError(path, line, "unknown annotation '%s'%s" % (
                word, nearest(name, ANNOTATIONS)))
        if name in found:
            raise MsgError(path, line, "annotation '%s' is given twice" % word)
        if ANNOTATIONS[name]:
            if i == len(words) or words[i].startswith("@"):
                raise MsgError(path, line, "annotation '%s' needs a value" % word)
            found[name] = words[i]
            i += 1
        else:
            found[name] = True
    return found, " ".join(rest)


def apply_annotations(field, found):
    """Puts what parse_annotations found on the field; the last to come wins."""
    for key, value in found.items():
        field.annotated[key] = value
        if key in ("max", "length"):
            number = parse_int(value)
            if number is None or not 1 <= number <= 65536:
                field.fail("@%s is '%s'; a number from 1 to 65536 is needed" % (key, value))
            apply_bound(field, key, number)
        elif key == "interp":
            if value not in ("linear", "slerp", "hold"):
                field.fail("@interp is '%s'; linear, slerp or hold is needed" % value)
            field.interp = value
        elif key == "invalid":
            field.invalid = float("nan") if value == "nan" else parse_float(value)
            if field.invalid is None:
                field.fail("@invalid is '%s'; a number or nan is needed" % value)
        elif key in ("unit", "npz"):
            if not re.match(r"[!-~\u00b0\u00b5\u00b2\u00b3\u03a9]{1,32}\Z", value) or (
                    '"' in value or "\\" in value):
                field.fail("@%s is '%s'; at most 32 printable characters, no quotes" % (key, value))
            setattr(field, key, value)
        else:
            setattr(field, key, value)


def apply_bound(field, key, number):
    if key == "length":
        if not field.is_string:
            field.fail("@length is for strings")
        field.length = number
    elif field.arity == "SEQUENCE":
        field.max = number
    elif field.is_string and field.arity == "ONE":
        field.length = number
    else:
        field.fail("@max is for T[] and string; this is neither")


def split_comment(line):
    """A '#' inside a quoted constant is text."""
    quote = None
    for i, char in enumerate(line):
        if quote:
            if char == quote and line[i - 1] != "\\":
                quote = None
        elif char in "\"'" and "=" in line[:i]:
            quote = char
        elif char == "#":
            return line[:i].rstrip(), line[i + 1:].strip()
    return line.rstrip(), None


class Parser:
    def __init__(self, path, package, name):
        self.msg = Message(path, package, name)
        self.path = path
        self.line = 0
        self.names = {}
        self.block = []  # comment lines since the last blank line
        self.top = True  # still in the comment that describes the type

    def fail(self, message):
        raise MsgError(self.path, self.line, message)

    def run(self, text):
        if len(text) > MAX_FILE:
            self.line = 1
            self.fail("the file has %d bytes; at most %d are allowed" % (len(text), MAX_FILE))
        for raw in text.split("\n"):
            self.line += 1
            self.one_line(raw.rstrip("\r"))
        while self.msg.lines and not self.msg.lines[-1]:
            self.msg.lines.pop()
        if not self.msg.fields:
            self.fail("no field: a type needs at least one")
        first = self.msg.fields[0]
        self.msg.has_header = (first.name == "header" and first.base == "std_msgs/Header"
                               and first.arity == "ONE" and not self.msg.nested)
        return self.msg

    def one_line(self, raw):
        if len(raw) > MAX_LINE:
            self.fail("the line has %d characters; at most %d are allowed" % (len(raw), MAX_LINE))
        if any(ord(c) < 32 and c != "\t" for c in raw) or "\x7f" in raw:
            self.fail("a control character; only printable text and tabs are allowed")
        code, comment = split_comment(raw.expandtabs(4))
        if not code.strip():
            self.comment_line(comment)
            return
        self.top = False
        words = code.strip()
        match = re.match(r"([^\s=]+)\s+([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)\Z", words)
        if match:
            self.constant(match.group(1), match.group(2), match.group(3), comment)
        else:
            self.field(words, comment)

    def comment_line(self, comment):
        if comment is None:
            self.block = []
            self.top = self.top and not self.msg.lines
            if self.msg.lines:
                self.msg.lines.append("")
            return
        if comment == "@nested":
            self.msg.nested = True
            return
        self.msg.lines.append(("# " + comment).rstrip())
        if self.top:
            self.msg.doc = ((self.msg.doc or "") + " " + comment).strip()
        else:
            self.block.append(comment)

    def type_reference(self, text):
        """-> (base, bounded string, arity, max)"""
        match = RE_TYPEREF.match(text)
        if not match:
            self.fail("'%s' is not a type: write T, T[], T[4] or T[<=4]" % text)
        base, length, array = match.group("base", "text", "array")
        if base in REFUSED:
            self.fail("type '%s' is not supported: %s" % (base, REFUSED[base]))
        if base not in KINDS:
            base = self.struct_name(base)
        if length and base != "string":
            self.fail("'%s': only a string has a bound before the brackets" % text)
        if array is None:
            return base, length, "ONE", 1
        inside = array[1:-1]
        if inside == "":
            return base, length, "SEQUENCE", None
        count = parse_int(inside.lstrip("<="))
        if count is None or not 1 <= count <= 65536:
            self.fail("'%s': an array has 1 to 65536 elements" % text)
        return base, length, "SEQUENCE" if inside.startswith("<=") else "FIXED", count

    def struct_name(self, base):
        parts = base.split("/")
        if len(parts) == 3 and parts[1] == "msg":
            parts = [parts[0], parts[2]]
        if len(parts) == 1:
            parts = ["std_msgs" if base == "Header" else self.msg.package, base]
        if len(parts) != 2 or not RE_PACKAGE.match(parts[0]) or not RE_TYPE.match(parts[1]):
            self.fail("unknown type '%s'%s" % (base, nearest(base, KINDS)))
        return "/".join(parts)

    def claim(self, name):
        if name in self.names:
            self.fail("'%s' is there already, in line %d" % (name, self.names[name]))
        self.names[name] = self.line

    def constant(self, ros, name, value, comment):
        base, _, arity, _ = self.type_reference(ros)
        if base not in KINDS or arity != "ONE":
            self.fail("a constant is a number, a bool or a string, not '%s'" % ros)
        if not RE_CONSTANT.match(name):
            self.fail("'%s' is no name for a constant: capitals, digits and _ are" % name)
        self.claim(name)
        constant = Constant(self.line, base, name, self.constant_value(base, value.strip()))
        if comment:
            constant.doc = parse_annotations(self.path, self.line, comment)[1] or None
        self.msg.constants.append(constant)
        self.emit_line("%s %s=%s" % (base, name, value.strip()), comment)

    def constant_value(self, base, text):
        if base == "string":
            if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
                text = text[1:-1]
            return text
        if base == "bool":
            if text.lower() not in ("true", "false", "0", "1"):
                self.fail("'%s' is no bool: true or false is needed" % text)
            return int(text.lower() in ("true", "1"))
        if base in FLOATS:
            value = parse_float(text)
            if value is None:
                self.fail("'%s' is no finite number" % text)
            return value
        value, (low, high) = parse_int(text), INT_RANGE[base]
        if value is None or not low <= value <= high:
            self.fail("'%s' is no %s: %d to %d" % (text, base, low, high))
        return value

    def field(self, text, comment):
        words = text.split(None, 2)
        if len(words) < 2:
            self.fail("'%s' is neither 'type name' nor 'TYPE NAME=value'" % text)
        base, length, arity, count = self.type_reference(words[0])
        name = words[1]
        if not RE_FIELD.match(name):
            self.fail("'%s' is no name for a field: small letters, digits and single _ are" % name)
        if name in C_WORDS:
            self.fail("'%s' is a word of C; choose another name" % name)
        if len(name) > 64:
            self.fail("the name has %d characters; at most 64 are allowed" % len(name))
        self.claim(name)
        if len(self.msg.fields) >= MAX_FIELDS:
            self.fail("more than %d fields" % MAX_FIELDS)
        ros = base + {"ONE": "", "SEQUENCE": "[]", "FIXED": "[%s]" % count}[arity]
        field = Field(self.path, self.line, ros, base, name)
        field.arity, field.max = arity, count
        if length:
            apply_annotations(field, {"length": length[2:]})
        self.annotate(field, comment)
        self.msg.fields.append(field)
        self.emit_line("%s %s" % (ros, name), comment)

    def annotate(self, field, comment):
        if comment:
            found, doc = parse_annotations(self.path, self.line, comment)
            apply_annotations(field, found)
            field.doc = doc or None
        if not field.doc and self.block:
            field.doc = " ".join(self.block)
        self.block = []

    def emit_line(self, code, comment):
        # Some readers look for '=' before they look for '#'.
        if comment and ("=" in comment or code.startswith("string ") and "=" in code):
            self.msg.lines.append("# " + comment)
            comment = None
        self.msg.lines.append(code + ("  # " + comment if comment else ""))


def parse_message(path, package, name, text):
    return Parser(path, package, name).run(text)


def parse_side_file(path, text):
    """annotations.ini -> {'package/Type': {'field': (line, 'annotations')}}"""
    sections, current = {}, None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            current = line[1:-1]
            if not line.endswith("]") or current.count("/") != 1:
                raise MsgError(path, number, "'%s' is no section: [package/Type] is" % line)
            if current in sections:
                raise MsgError(path, number, "section [%s] is there twice" % current)
            sections[current] = {}
            continue
        name, equals, value = line.partition("=")
        name = name.strip()
        if not equals or current is None:
            raise MsgError(path, number, "'%s' is no 'field = @annotation' in a section" % line)
        if name in sections[current]:
            raise MsgError(path, number, "'%s' is annotated twice" % name)
        sections[current][name] = (number, value.strip())
    return sections
