# SPDX-License-Identifier: Apache-2.0
"""Where everything lies: in the C struct, and in CDR."""

from .words import KINDS, RESERVED, STRUCT_LIMIT, MsgError


def round_up(value, align):
    return (value + align - 1) // align * align


class Op:
    """One AcqCdrOp."""

    def __init__(self, code, **values):
        self.code = code
        self.open = False  # may still grow
        for key in ("align", "offset", "bytes", "count", "count_offset", "max", "n_ops"):
            setattr(self, key, values.get(key, 0))


class Layout:
    """Of one message; made once, dependencies first."""

    def __init__(self, message, layouts):
        self.message = message
        self.layouts = layouts
        self.size, self.align = 0, 1
        self.members = []  # (c declaration, name, offset) of the struct
        self.constants = []
        self.tail = None
        self.ops = []
        self.cdr_max = 4
        for field in message.fields[1 if message.has_header else 0:]:
            self.place(field)
        self.close()
        self.depth = self.measure_depth()
        self.first_align, self.packed = self.prove_packed()
        self.make_ops()

    def element(self, field):
        """-> (bytes, alignment) of one element in the struct"""
        if field.is_struct:
            inner = self.layouts[field.type.ros]
            return inner.size, inner.align
        if field.is_string:
            return field.length + 1, 1
        return KINDS[field.base][1], KINDS[field.base][1]

    def add(self, name, size, align):
        offset = round_up(self.size, align)
        self.size = offset + size
        self.align = max(self.align, align)
        self.members.append((name, offset))
        return offset

    def place(self, field):
        field.offset = field.count_offset = field.stride = 0
        if field.constant:
            field.index = len(self.constants)
            self.constants.append(field)
            return
        if field.tail:
            self.tail = field
            field.stride = 1 if field.is_string else KINDS[field.base][1]
            return
        size, align = self.element(field)
        field.stride = size
        if field.arity == "SEQUENCE":
            field.count_offset = self.add("n_" + field.name, 4, 4)
        field.offset = self.add(field.name, size * field.max, align)
        if self.size > STRUCT_LIMIT:
            field.fail("the struct has %d bytes with this field; at most %d are allowed: lower "
                       "@max, or make the field the @tail" % (self.size, STRUCT_LIMIT))

    def close(self):
        names = [name for name, _ in self.members]
        for field in self.message.fields:
            if field.arity == "SEQUENCE" and names.count("n_" + field.name) > 1:
                field.fail("its count 'n_%s' is a field already" % field.name)
        self.end = self.size
        self.size = round_up(self.size, self.align)
        if self.size == 0:  # header and tail only
            self.size, self.align = 8, 8
            self.end = 8
            self.members.append(("reserved_", 0))
        # 16: so that a tail of floats is ready for vector loads
        self.tail_offset = round_up(self.size, 16) if self.tail else self.size

    def measure_depth(self):
        """Arrays around the innermost scalar at most: ACQ_LEAF_MAX_DIMS."""
        deepest = 0
        for field in self.message.fields:
            depth = field.arity != "ONE"
            if field.is_struct:
                depth += self.layouts[field.type.ros].depth
            if depth > 4:
                field.fail("arrays in arrays, %d deep; at most 4 are allowed" % depth)
            deepest = max(deepest, depth)
        return int(deepest)

    def scalars(self):
        """The (offset, bytes) of every scalar, or None when there are strings or sequences."""
        found = []
        for field in self.message.fields:
            if field.is_string or field.arity == "SEQUENCE" or field.constant or field.tail:
                return None
            inner = [(0, field.stride)]
            if field.is_struct:
                inner = self.layouts[field.type.ros].scalars()
                if inner is None:
                    return None
            if len(inner) * field.max + len(found) > STRUCT_LIMIT:
                return None
            for i in range(field.max):
                found += [(field.offset + i * field.stride + off, size) for off, size in inner]
        return found

    def prove_packed(self):
        """No padding, and the first scalar has the greatest alignment: then CDR, which aligns
        scalars and not structs, has the same bytes wherever the struct begins."""
        if self.message.has_header:
            return 0, False
        scalars = self.scalars()
        if not scalars:
            return 0, False
        at = 0
        for offset, size in scalars:
            if offset != at:
                return scalars[0][1], False
            at += size
        return scalars[0][1], at == self.size and scalars[0][1] == self.align

    # --- CDR ---

    def make_ops(self):
        if self.message.has_header:
            self.ops.append(Op("HEADER"))
            self.cdr_max += 3 + 8 + 4 + 1
        self.walk(self.message, 0, self.ops)
        self.cdr_max += self.worst(self.ops)

    def copy(self, ops, align, offset, size):
        last = ops[-1] if ops else None
        if (last and last.code == "COPY" and last.open and last.offset + last.bytes == offset
                and align <= last.align and last.bytes % align == 0):
            last.bytes += size
            return
        op = Op("COPY", align=align, offset=offset, bytes=size)
        op.open = True
        ops.append(op)

    def walk(self, message, base, ops):
        first = 1 if message.has_header else 0
        for field in message.fields[first:]:
            if field.constant:
                ops.append(Op("CONSTANT", count=field.index))
            elif field.tail:
                ops.append(Op("TAIL_STRING" if field.is_string else "TAIL",
                              align=field.stride, bytes=field.stride))
            elif field.arity == "ONE":
                self.walk_one(field, base + field.offset, ops)
            else:
                self.walk_many(field, base, ops)

    def walk_one(self, field, offset, ops):
        if field.is_struct:
            self.walk(field.type, offset, ops)
        elif field.is_string:
            ops.append(Op("STRING", offset=offset, bytes=field.stride))
        else:
            self.copy(ops, field.stride, offset, field.stride)

    def walk_many(self, field, base, ops):
        offset = base + field.offset
        inner = self.layouts[field.type.ros] if field.is_struct else None
        flat = inner.packed if inner else not field.is_string
        align = inner.first_align if inner else field.stride
        if flat and field.arity == "FIXED":
            self.copy(ops, align, offset, field.stride * field.max)
            return
        op = Op("SEQ" if flat else "SEQ_STRUCT", align=align if flat else 0, offset=offset,
                bytes=field.stride, max=field.max, count_offset=base + field.count_offset)
        if field.arity == "FIXED":
            op = Op("ARRAY_STRUCT", offset=offset, bytes=field.stride, count=field.max)
        ops.append(op)
        if flat:
            return
        body = []
        if inner:
            self.walk(field.type, 0, body)
        else:
            body.append(Op("STRING", bytes=field.stride))
        op.n_ops = len(body)
        for one in body:
            one.open = False  # what follows must not melt into the loop
        ops += body

    def worst(self, ops):
        total, i = 0, 0
        while i < len(ops):
            op = ops[i]
            i += 1
            if op.code == "COPY":
                total += op.align - 1 + op.bytes
            elif op.code == "SEQ":
                total += 3 + 4 + op.align - 1 + op.bytes * op.max
            elif op.code in ("SEQ_STRUCT", "ARRAY_STRUCT"):
                times = op.max if op.code == "SEQ_STRUCT" else op.count
                total += 7 + times * self.worst(ops[i:i + op.n_ops])
                i += op.n_ops
            elif op.code == "STRING":
                total += 7 + op.bytes
            elif op.code in ("TAIL", "TAIL_STRING"):
                total += 7 + op.align - 1 + 1
        return total


def lay_out(loader, package):
    """Layouts of a package and of everything it needs."""
    layouts = {}
    for message in loader.types.values():  # in order of resolution: dependencies first
        layouts[message.ros] = Layout(message, layouts)
    check_names(loader, package)
    return layouts


def identifiers(package, message):
    """The C identifiers that a message claims."""
    symbol, ctype = package.c_symbol(message), package.c_type(message)
    yield ctype, 1
    for end in ("schema", "begin", "tail"):
        yield "%s_%s" % (symbol, end), 1
    for constant in message.constants:
        yield "%s_%s" % (symbol.upper(), constant.name), constant.line
    for field in message.fields:
        if field.arity == "SEQUENCE" or field.is_string:
            yield "%s_%s_MAX" % (symbol.upper(), field.name.upper()), field.line


def check_names(loader, package):
    claimed = {}
    for message in loader.types.values():
        owner = loader.packages[message.package]
        if owner.prefix == "Acq" and message.c_name in RESERVED:
            raise MsgError(message.path, 1, "'%s' is a word of libacq: rename the type, or give it "
                           "a '@c_name' in annotations.ini" % owner.c_type(message))
        for name, line in identifiers(owner, message):
            if name in claimed and claimed[name] is not message:
                raise MsgError(message.path, line, "the C name '%s' belongs to %s already" % (
                    name, claimed[name].ros))
            if name in claimed and line > 1:
                raise MsgError(message.path, line, "the C name '%s' is there twice" % name)
            claimed[name] = message
