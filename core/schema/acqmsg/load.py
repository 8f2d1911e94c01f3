# SPDX-License-Identifier: Apache-2.0
"""Finds packages and types on disk, and hooks them together."""

import os

from .parse import apply_annotations, parse_annotations, parse_message, parse_side_file
from .words import (
    FLOATS, INT_RANGE, KINDS, MsgError, RE_PACKAGE, RE_TYPE, camel, nearest, snake,
)

# Their C names begin with the prefix of the library; all others with their own package.
HOUSE_PACKAGES = (
    "builtin_interfaces", "std_msgs", "geometry_msgs", "sensor_msgs", "nav_msgs", "tf2_msgs",
    "diagnostic_msgs", "acq_msgs",
)


class Package:
    def __init__(self, name, folder, prefix):
        self.name, self.folder, self.prefix = name, folder, prefix
        self.messages = []  # in dependency order

    def c_type(self, message):
        return self.prefix + message.c_name

    def c_symbol(self, message):
        return "%s_%s" % (snake(self.prefix), snake(message.c_name))


def read_text(path):
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise MsgError(path, 1, "cannot be read: %s" % error.strerror)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[:error.start].count(b"\n") + 1
        raise MsgError(path, line, "byte 0x%02x is not UTF-8" % data[error.start])


class Loader:
    """Loads packages on demand; a package is a folder with a `msg` folder inside."""

    def __init__(self, roots, prefix):
        self.roots, self.prefix = roots, prefix
        self.packages = {}
        self.types = {}  # 'package/Type' -> Message
        self.raw = {}  # the same, not yet resolved
        self.side = {}
        self.inputs = []  # files and folders, for the depfile
        self.stack = []
        for root in roots:
            path = os.path.join(root, "annotations.ini")
            if os.path.exists(path):
                self.inputs.append(path)
                for name, fields in parse_side_file(path, read_text(path)).items():
                    self.side.setdefault(name, (path, fields))

    def find_folder(self, name):
        for root in self.roots:
            folder = os.path.join(root, name)
            if os.path.isdir(os.path.join(folder, "msg")):
                return folder
        return None

    def open_package(self, name):
        """Reads the files of a package without resolving their types."""
        if name in self.packages:
            return self.packages[name]
        folder = self.find_folder(name)
        if not folder:
            return None
        prefix = self.prefix if name in HOUSE_PACKAGES else camel(
            name[:-5] if name.endswith("_msgs") else name)
        package = Package(name, folder, prefix)
        self.packages[name] = package
        msg_folder = os.path.join(folder, "msg")
        self.inputs.append(msg_folder)
        for entry in sorted(os.listdir(msg_folder)):
            if not entry.endswith(".msg"):
                continue
            path = os.path.join(msg_folder, entry)
            type_name = entry[:-4]
            if not RE_TYPE.match(type_name) or len(type_name) > 64:
                raise MsgError(path, 1, "a type is called like 'HandSkeleton', at most 64 letters")
            self.inputs.append(path)
            message = parse_message(path, name, type_name, read_text(path))
            self.raw[message.ros] = message
        return package

    def load(self, name):
        """-> Package with every type resolved, dependencies first."""
        if not RE_PACKAGE.match(name):
            raise MsgError(name, 1, "a package is called like 'acq_msgs'")
        package = self.open_package(name)
        if not package:
            raise MsgError(name, 1, "no folder '%s/msg' below %s" % (name, ", ".join(self.roots)))
        for ros in sorted(self.raw):
            if self.raw[ros].package == name:
                self.resolve(ros, None)
        if not package.messages:
            raise MsgError(os.path.join(package.folder, "msg"), 1, "no .msg file here")
        return package

    def resolve(self, ros, user):
        if ros in self.types:
            return self.types[ros]
        package = self.open_package(ros.split("/")[0])
        if ros not in self.raw:
            hint = nearest(ros, self.raw) if package else "; no such package below " + ", ".join(
                self.roots)
            user.fail("unknown type '%s'%s" % (ros, hint))
        if ros in self.stack:
            user.fail("'%s' contains itself: %s" % (ros, " -> ".join(self.stack + [ros])))
        message = self.raw[ros]
        self.stack.append(ros)
        self.annotate(message)
        for field in message.fields:
            if field.is_struct:
                field.type = self.resolve(field.base, field)
        check(message)
        self.stack.pop()
        self.types[ros] = message
        package.messages.append(message)
        return message

    def annotate(self, message):
        path, lines = self.side.get(message.ros, (None, {}))
        names = {field.name: field for field in message.fields}
        for name, (line, text) in lines.items():
            if name == "@nested":
                message.nested = True
                message.has_header = False
                continue
            if name == "@c_name":
                if not RE_TYPE.match(text):
                    raise MsgError(path, line, "'%s' is no name for a C type" % text)
                message.c_name = text
                continue
            if name not in names:
                raise MsgError(path, line, "%s has no field '%s'%s" % (
                    message.ros, name, nearest(name, names)))
            found, doc = parse_annotations(path, line, text)
            field = names[name]
            try:
                apply_annotations(field, found)
            except MsgError as error:
                raise MsgError(path, line, str(error).split(": ", 1)[1])
            if doc:
                field.doc = doc

    def closure(self, message):
        """The types that a message needs, each once, in order of first use."""
        found = []

        def visit(one):
            for field in one.fields:
                if field.type and field.type not in found:
                    found.append(field.type)
                    visit(field.type)

        visit(message)
        return found


def is_quaternion(message):
    kinds = {field.base for field in message.fields if field.arity == "ONE"}
    return (message.name.startswith("Quaternion") and len(kinds) == 1 and kinds <= set(FLOATS)
            and [field.name for field in message.fields] == ["x", "y", "z", "w"])


def check(message):
    """Everything that can be wrong with fields once their types are known."""
    tails = [field for field in message.fields if field.tail]
    if len(tails) > 1:
        tails[1].fail("a second @tail; '%s' is one already" % tails[0].name)
    for index, field in enumerate(message.fields):
        if index == 0 and message.has_header:
            continue
        check_storage(field)
        check_interp(field)
        check_invalid(field)
    if all(f.constant for f in message.fields[1 if message.has_header else 0:]):
        message.fields[0].fail("nothing but constants: a type needs a field that varies")


def check_storage(field):
    if field.constant and field.tail:
        field.fail("@constant and @tail exclude each other")
    if field.constant:
        if field.is_struct:
            field.fail("@constant is for numbers, strings and arrays of them")
        return
    if field.tail:
        if field.is_struct or field.base == "bool" or not (
                field.arity == "SEQUENCE" or field.is_string and field.arity == "ONE"):
            field.fail("@tail is for T[] of numbers, or a string")
        if field.is_string and field.arity != "ONE":
            field.fail("@tail is for T[] of numbers, or a string")
        return
    if field.arity == "SEQUENCE" and field.max is None:
        field.fail("T[] needs @max, @constant or @tail, in the comment behind it or in "
                   "annotations.ini")
    if field.is_string and field.length is None:
        field.fail("a string needs %s (bytes of text), @constant or @tail, in the comment behind it "
                   "or in annotations.ini" % ("@max" if field.arity == "ONE" else "@length"))
    if field.is_struct:
        check_member(field)


def check_member(field):
    inner = field.type
    if inner.has_header:
        field.fail("%s begins with a header of its own, which is not in its struct: mark the type "
                   "'# @nested', or in annotations.ini" % inner.ros)
    for member in inner.fields:
        if member.constant or member.tail:
            field.fail("%s has a @%s field '%s', so it cannot be inside another type" % (
                inner.ros, "constant" if member.constant else "tail", member.name))


def check_interp(field):
    quaternion = field.type is not None and is_quaternion(field.type)
    if field.interp is None:
        if quaternion:
            field.interp = "slerp"
        elif field.is_struct or field.base in FLOATS:
            field.interp = "linear"
        else:
            field.interp = "hold"
    if field.constant:
        field.interp = "hold"
    if field.interp == "slerp" and not quaternion:
        field.fail("@interp slerp is for a Quaternion type with x, y, z, w; this is %s" % field.ros)
    if field.interp == "linear" and not (field.is_struct or field.base in FLOATS):
        field.fail("@interp linear is for float32, float64 and types; %s is held" % field.ros)


def check_invalid(field):
    if field.invalid is None:
        return
    if field.is_struct or field.is_string or field.base == "bool":
        field.fail("@invalid is for numbers")
    if field.base in INT_RANGE:
        low, high = INT_RANGE[field.base]
        if field.invalid != field.invalid or field.invalid != int(field.invalid) or not (
                low <= field.invalid <= high):
            field.fail("@invalid %g is no %s" % (field.invalid, field.base))


def kind_of(field):
    return "STRUCT" if field.is_struct else KINDS[field.base][0]
