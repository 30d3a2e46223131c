"""cgconv - converts and reads profiles and coverage data, by libcgconv.

    import cgconv

    text = cgconv.convert(open("prog.pb.gz", "rb").read(), to="folded")
    with cgconv.Profile("callgrind.out.1") as profile:
        for fn in sorted(profile, key=lambda f: -f.self_cost[0])[:10]:
            print(fn.self_cost[0], fn.name, fn.file)

This module calls the shared library by ctypes and needs no compiler. LIBCGCONV
in the environment is the library's path; else the loader looks for
libcgconv.so.1. Calls of one Profile must not overlap in time; several profiles
may be used by several threads.
"""

import ctypes
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint32
from ctypes import c_uint64, c_void_p

__all__ = ["Error", "Function", "Profile", "convert", "version"]

_ALL_PARTS = 0xFFFFFFFF  # CG_ALL_PARTS of cgconv.h
_CALLS = 1 << 3  # CG_CALLS
_STATUS = {1: "input", 2: "usage", 3: "loss", 4: "output", 5: "limit", 6: "bug"}
_WARNING, _ERROR = 1, 2


class _Slice(ctypes.Structure):
    _fields_ = [("ptr", c_void_p), ("len", c_size_t)]

    def bytes(self):
        return ctypes.string_at(self.ptr, self.len) if self.len else b""

    def __str__(self):
        return self.bytes().decode("utf-8", "surrogateescape")


class _Message(ctypes.Structure):
    _fields_ = [("severity", c_int), ("file", c_char_p), ("line", c_uint64),
                ("column", c_uint64), ("offset", c_uint64),
                ("has_offset", c_bool), ("text", c_char_p)]

    def __str__(self):
        text = self.text.decode("utf-8", "replace")
        if not self.file:
            return text
        place = self.file.decode("utf-8", "replace")
        if self.has_offset:
            place += ":0x%x" % self.offset
        elif self.line:
            place += ":%d" % self.line
            if self.column:
                place += ":%d" % self.column
        return "%s: %s" % (place, text)


class _Event(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("long_name", c_char_p), ("unit", c_char_p),
                ("formula", c_char_p), ("is_signed", c_bool), ("incl", c_int)]


_Reporter = ctypes.CFUNCTYPE(None, c_void_p, POINTER(_Message))
_lib = ctypes.CDLL(os.environ.get("LIBCGCONV", "libcgconv.so.1"))


def _call(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_version = _call("cg_version", c_char_p)
_formats = _call("cg_formats", c_void_p)
_new = _call("cg_job_new", c_void_p, c_void_p, _Reporter, c_void_p)
_free = _call("cg_job_free", None, c_void_p)
_add_input = _call("cg_job_add_input", c_int, c_void_p, c_char_p)
_add_memory = _call("cg_job_add_memory", c_int, c_void_p, c_char_p, _Slice)
_add_object = _call("cg_job_add_object", c_int, c_void_p, c_char_p)
_set_from = _call("cg_job_set_from", c_int, c_void_p, c_char_p)
_set_to = _call("cg_job_set_to", c_int, c_void_p, c_char_p)
_set_option = _call("cg_job_set_option", c_int, c_void_p, c_char_p, c_char_p)
_set_strict = _call("cg_job_set_strict", None, c_void_p, c_bool)
_to_memory = _call("cg_job_set_output_memory", None, c_void_p)
_read = _call("cg_job_read", c_int, c_void_p, POINTER(c_void_p))
_derive = _call("cg_job_derive", c_int, c_void_p, c_uint32)
_write = _call("cg_job_write", c_int, c_void_p)
_output = _call("cg_job_output", _Slice, c_void_p)
_fn_count = _call("cg_fn_count", c_size_t, c_void_p)
_fn_name = _call("cg_fn_name", _Slice, c_void_p, c_uint32)
_fn_file = _call("cg_fn_file", c_uint32, c_void_p, c_uint32)
_fn_object = _call("cg_fn_object", c_uint32, c_void_p, c_uint32)
_file_path = _call("cg_file_path", _Slice, c_void_p, c_uint32)
_object_path = _call("cg_object_path", _Slice, c_void_p, c_uint32)
_event_count = _call("cg_event_count", c_size_t, c_void_p)
_get_event = _call("cg_get_event", POINTER(_Event), c_void_p, c_size_t)
_sums_new = _call("cg_sums_new", c_void_p, c_void_p, c_uint32, c_bool)
_sums_free = _call("cg_sums_free", None, c_void_p)
_sum_self = _call("cg_sum_self", c_uint64, c_void_p, c_uint32, c_size_t)
_sum_inclusive = _call("cg_sum_inclusive", c_uint64, c_void_p, c_uint32, c_size_t)
_sum_calls = _call("cg_sum_calls_in", c_uint64, c_void_p, c_uint32)

class Error(Exception):
    """A conversion failed: the message is cgconv's, kind is "input" (it is
    malformed), "usage", "loss", "output", "limit" or "bug"."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status
        self.kind = _STATUS.get(status, "bug")


def version():
    """Returns the version of the library."""
    return _version().decode()


class _Job:
    """A job of the library, with the messages that it reports."""

    def __init__(self):
        self.errors, self.warnings = [], []
        self._kept = []  # what the library points to
        self._reporter = _Reporter(self._report)
        self.pointer = _new(_formats(), self._reporter, None)
        if not self.pointer:
            raise Error(5, "out of memory")

    def _report(self, _, message):
        message = message.contents
        if message.severity == _ERROR:
            self.errors.append(str(message))
        elif message.severity == _WARNING:
            self.warnings.append(str(message))

    def check(self, status):
        if status:
            raise Error(status, "\n".join(self.errors) or "status %d" % status)

    def set(self, from_, exe, options):
        if from_:
            self.check(_set_from(self.pointer, from_.encode()))
        for path in [exe] if isinstance(exe, (str, os.PathLike)) else exe or ():
            self.check(_add_object(self.pointer, os.fsencode(path)))
        for name, value in options.items():
            if isinstance(value, bool):
                value = "yes" if value else "no"
            self.check(_set_option(self.pointer, name.replace("_", "-").encode(),
                                   str(value).encode()))

    def add(self, source, name):
        """Adds an input: bytes with a name, or a path."""
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
            path = os.fsencode(name)
            self._kept.append(data)
            pointer = ctypes.cast(ctypes.c_char_p(data), c_void_p)
            slice_ = _Slice(pointer.value, len(data))
            self.check(_add_memory(self.pointer, path, slice_))
        else:
            path = os.fsencode(source)
        self.check(_add_input(self.pointer, path))

    def free(self):
        if self.pointer:
            _free(self.pointer)
        self.pointer = None


def convert(*sources, to, from_=None, exe=None, name="input", strict=False,
            **options):
    """Returns the sources, merged, as bytes in the format to.

    A source is bytes or a path. from_ is the format of all of them (default:
    detected), exe one or more executables with symbols, options those of the
    formats: table="calls". Losses are an error with strict.
    """
    job = _Job()
    try:
        job.set(from_, exe, {})
        job.check(_set_to(job.pointer, to.encode()))
        job.set(None, None, options)
        _set_strict(job.pointer, strict)
        _to_memory(job.pointer)
        for i, source in enumerate(sources):
            job.add(source, name if i == 0 else "%s.%d" % (name, i + 1))
        job.check(_read(job.pointer, None))
        job.check(_write(job.pointer))
        return _output(job.pointer).bytes()
    finally:
        job.free()


class Function:
    """A function of a profile: costs are tuples in the order of its events."""

    __slots__ = ("name", "file", "object", "self_cost", "inclusive_cost", "calls")

    def __init__(self, name, file, object_, self_cost, inclusive_cost, calls):
        self.name = name
        self.file = file      # "": unknown
        self.object = object_
        self.self_cost = self_cost
        self.inclusive_cost = inclusive_cost
        self.calls = calls    # from other functions

    def __repr__(self):
        return "<Function %s %r>" % (self.name, self.self_cost)


def _number(cost, signed):
    return cost - (1 << 64) if signed and cost >> 63 else cost


class Profile:
    """The functions of one or more profiles, which are merged."""

    _job = _sums = None

    def __init__(self, *sources, from_=None, exe=None, name="input", **options):
        self._job = _Job()
        try:
            self._job.set(from_, exe, options)
            for i, source in enumerate(sources):
                self._job.add(source, name if i == 0 else "%s.%d" % (name, i + 1))
            graph = c_void_p()
            self._job.check(_read(self._job.pointer, byref(graph)))
            self._graph = graph
            self._job.check(_derive(self._job.pointer, _CALLS))
            self._sums = _sums_new(graph, _ALL_PARTS, True)
            if not self._sums:
                raise Error(5, "\n".join(self._job.errors) or "out of memory")
        except BaseException:
            self.close()
            raise

    @property
    def events(self):
        """The names of the events, such as ["Ir"]."""
        return [event.name.decode("utf-8", "surrogateescape")
                for event in self._events()]

    @property
    def warnings(self):
        """What the library has warned of, as a list of texts."""
        return list(self._job.warnings)

    def _events(self):
        if not self._sums:
            raise ValueError("the profile is closed")
        return [_get_event(self._graph, i).contents
                for i in range(_event_count(self._graph))]

    def __iter__(self):
        """Yields all functions."""
        signed = [event.is_signed for event in self._events()]

        def costs(get, fn):
            return tuple(_number(get(self._sums, fn, i), negative)
                         for i, negative in enumerate(signed))

        for fn in range(1, _fn_count(self._graph) + 1):
            if not self._sums:
                raise ValueError("the profile is closed")
            yield Function(
                str(_fn_name(self._graph, fn)),
                str(_file_path(self._graph, _fn_file(self._graph, fn))),
                str(_object_path(self._graph, _fn_object(self._graph, fn))),
                costs(_sum_self, fn),
                costs(_sum_inclusive, fn),
                _sum_calls(self._sums, fn))

    def close(self):
        """Frees the profile; it cannot be used any more."""
        if self._sums:
            _sums_free(self._sums)
        self._sums = None
        if self._job:
            self._job.free()

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
