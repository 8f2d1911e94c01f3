# SPDX-License-Identifier: Apache-2.0
"""Layouts -> docs/messages.md."""

HEAD = """# Message types

Every stream has one of these types. They are ROS 2 message types: the files say `cdr` and `ros2msg`, so that every
viewer reads them. This table is made by `acq-msg-gen` from `schemas/`; do not edit it.

- *storage*: bytes of the C struct; `+ tail` when a variable part follows it.
- *between samples*: what the resampler does: `linear`, `slerp`, `hold`.
- A `header` is not in the struct: it is written from the frame.
- *constant* fields are declared once per stream, and written into every message.
"""


def cell(text):
    return (text or "").replace("|", "\\|")


def notes(field):
    found = []
    if field.constant:
        found.append("constant")
    elif field.tail:
        found.append("tail")
    elif field.arity == "SEQUENCE":
        found.append("at most %d" % field.max)
    if field.is_string and field.length:
        found.append("at most %d bytes" % field.length)
    if field.invalid is not None:
        found.append("%g means no measurement" % field.invalid)
    if field.npz == ".":
        found.append("the stream's own array in NPZ")
    elif field.npz == "-":
        found.append("not in NPZ")
    elif field.npz:
        found.append("`%s` in NPZ" % field.npz)
    if field.doc:
        found.append(field.doc)
    return "; ".join(found)


def table(packages, layouts):
    out = [HEAD]
    for package in packages:
        out.append("\n## %s\n" % package.name)
        for message in sorted(package.messages, key=lambda one: one.name):
            out.append(one_type(package, message, layouts[message.ros]))
    return "".join(out)


def one_type(package, message, layout):
    out = ["\n### %s\n\n" % message.ros]
    if message.doc:
        out.append(cell(message.doc) + "\n\n")
    out.append("`%s`, %d bytes%s\n\n" % (
        package.c_type(message), layout.size, " + tail" if layout.tail else ""))
    out.append("| field | type | unit | between samples | notes |\n|---|---|---|---|---|\n")
    for field in message.fields:
        if field is message.fields[0] and message.has_header:
            out.append("| `header` | `std_msgs/Header` | | | from the frame |\n")
            continue
        out.append("| `%s` | `%s` | %s | %s | %s |\n" % (
            field.name, field.ros, cell(field.unit), field.interp, cell(notes(field))))
    if message.constants:
        out.append("\n| constant | type | value |\n|---|---|---|\n")
        for constant in message.constants:
            out.append("| `%s` | `%s` | %s |\n" % (constant.name, constant.ros, constant.value))
    return "".join(out)
