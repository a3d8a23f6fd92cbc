"""Plans whose image for the emulator is not what the compiler makes.

The image is one small kernel with the arguments of the plan's, of 64 threads. A
case is a plan, a change of it, arguments, a status and words of the message.
"""

MODULE = """module {{
  gpu.module @kernels {{
    {globals}
    llvm.func @{name}(%x: !llvm.ptr, %w: !llvm.ptr, %y: !llvm.ptr) attributes {{{attributes}}} {{
      {body}
      {end}
    }}
  }}
}}
"""


def put_image(plan, content):
    kinds = [image["kind"] for image in plan.header["images"]]
    plan.images[kinds.index("nvvm")] = content


def raw(content):
    return "plain", lambda plan: put_image(plan, content)


def kernel(body, globals="", attributes="nvvm.kernel", name="main_0", end="llvm.return"):
    text = MODULE.format(body=body, globals=globals, attributes=attributes, name=name, end=end)

    def change(plan):
        put_image(plan, text.encode())
        plan.header["launches"][0]["kernel"] = name

    return "plain", change


def refused(image, *words):
    return (*image, [], 2, ["image ", *words])


def fault(image, *words):
    return (*image, [], 3, ["kernel main_0: ", *words])


def runs(image):
    return (*image, [], 0, ["kernel     main_0"])


SHARED = "llvm.mlir.global internal @s() {addr_space = 3 : i32} : !llvm.array<16 x i8>"
LOCAL = """%one = llvm.mlir.constant(1 : i32) : i32
      %a = llvm.alloca %one x i32 : (i32) -> !llvm.ptr"""
LOOP = "llvm.br ^loop\n    ^loop:\n      {body}\n      llvm.br ^loop\n    ^end:"
POLL = LOOP.format(body="%v = llvm.load volatile %y : !llvm.ptr -> i32")
FILL = """%s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %c = llvm.mlir.constant(0 : i8) : i8
      %n = llvm.mlir.constant({bytes} : i64) : i64
      "llvm.intr.memset"(%s, %c, %n) <{{isVolatile = false}}> : (!llvm.ptr<3>, i8, i64) -> ()"""
STEP = """%s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %i = llvm.mlir.constant({bytes} : i32) : i32
      %c = llvm.mlir.constant(0 : i32) : i32
      %p = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      llvm.store %c, %p : i32, !llvm.ptr<3>"""
# A tensor map as the emulator keeps it would begin with anything the kernel likes.
MAP = """%c = llvm.mlir.constant(0 : i32) : i32
      %s = llvm.mlir.addressof @m : !llvm.ptr<3>
      %d = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr
      nvvm.cp.async.bulk.tensor.global.shared.cta %w, %s, box[%c, %c] : !llvm.ptr, !llvm.ptr<3>"""

CASES = {
    # What runs.
    "nothing to do": runs(kernel("")),
    "attributes for other compilers": runs(
        kernel("", attributes='nvvm.kernel, garbageCollector = "none", section = "x", passthrough = ["noinline"]')
    ),
    # Calls.
    "call through a pointer": refused(
        kernel("llvm.call %x() : !llvm.ptr, () -> ()"), "'llvm.call' op through a pointer is not emulated"
    ),
    "call of a function of the host": refused(
        kernel("llvm.call @system(%x) : (!llvm.ptr) -> ()", "llvm.func @system(!llvm.ptr)"),
        "'llvm.call' op of 'system' is not emulated",
    ),
    "call of a copy without checks": refused(
        kernel(
            "%n = llvm.mlir.constant(8 : i64) : i64\n"
            "%r = llvm.call @memcpy(%y, %x, %n) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr",
            "llvm.func @memcpy(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr",
        ),
        "'llvm.call' op of 'memcpy' is not emulated",
    ),
    "call with another type": refused(
        kernel("%r = llvm.call @expf() : () -> i64", "llvm.func @expf() -> i64"),
        "of 'expf' expects a plain call with 1 arguments and a result of type 'f32'",
    ),
    "recursion": refused(
        kernel("llvm.call @main_0(%x, %w, %y) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()"),
        "'llvm.call' op of 'main_0' is not emulated",
    ),
    "device function": refused(
        kernel("", "llvm.func @f() {\n      llvm.return\n    }"), "'f' is no kernel: device functions must be inlined"
    ),
    "kernel in the place of a host function": refused(
        kernel("", name="expf"), "'expf' has a name that no kernel can have"
    ),
    "inline assembly": refused(
        kernel('llvm.inline_asm has_side_effects "syscall", "" : () -> ()'), 'is not emulated: "syscall"'
    ),
    "intrinsic by name": refused(
        kernel('llvm.call_intrinsic "llvm.x86.sse2.pause"() : () -> ()'), "is not emulated: llvm.x86.sse2.pause"
    ),
    "function that the host lacks": (
        *kernel("%c = llvm.mlir.constant(1.0 : f32) : f32\n%r = llvm.intr.cosh(%c) : (f32) -> f32\n"
               "llvm.store %r, %y : f32, !llvm.ptr"),
        [],
        2,
        ["no code for kernel 'main_0': Symbols not found", "cosh"],
    ),
    # Addresses.
    "address of a function": refused(
        kernel("%f = llvm.mlir.addressof @memcpy : !llvm.ptr", "llvm.func @memcpy()"),
        "'llvm.mlir.addressof' op of 'memcpy' is not emulated: kernels take addresses of their shared arrays only",
    ),
    "variable in global memory": refused(
        kernel("", "llvm.mlir.global internal @g() : i32"), "'g' is no array in shared memory without contents"
    ),
    "constructor": refused(
        kernel("", "llvm.mlir.global_ctors ctors = [], priorities = [], data = []"),
        "'llvm.mlir.global_ctors' op is not emulated: a module has kernels and shared arrays",
    ),
    "the emulator's memory": refused(
        kernel("%p = llvm.addrspacecast %x : !llvm.ptr to !llvm.ptr<200>"), "of type '!llvm.ptr<200>', which is not emulated"
    ),
    "address from a number": refused(
        kernel("%n = llvm.mlir.constant(4096 : i64) : i64\n%p = llvm.inttoptr %n : i64 to !llvm.ptr"),
        "'llvm.inttoptr' op is emulated for the number of a shared address only",
    ),
    "number of an address": refused(
        kernel("%n = llvm.ptrtoint %x : !llvm.ptr to i64\nllvm.store %n, %y : i64, !llvm.ptr"),
        "'llvm.ptrtoint' op is emulated for addresses of shared memory only",
    ),
    "address as a result": refused(
        kernel("llvm.store %x, %y : !llvm.ptr, !llvm.ptr"), "'llvm.store' op of pointers is not emulated"
    ),
    "address from memory": refused(
        kernel("%p = llvm.load %x : !llvm.ptr -> !llvm.ptr"), "'llvm.load' op of pointers is not emulated"
    ),
    "local variable": refused(kernel(LOCAL), "'llvm.alloca' op is not known to the emulator"),
    # Types.
    "index beyond 2^31": refused(
        kernel("%a = llvm.mlir.undef : !llvm.array<4294967296 x i8>\n"
               "%e = llvm.extractvalue %a[4294967295] : !llvm.array<4294967296 x i8>"),
        ":6:27: expected a number of at most 31 bits in a list, got 4294967295",
    ),
    "position beyond 2^32": refused(
        kernel("%a = llvm.mlir.undef : !llvm.struct<(i32, i32)>\n"
               "%e = llvm.extractvalue %a[4294967296] : !llvm.struct<(i32, i32)>"),
        "expected a number of at most 31 bits in a list, got 4294967296",
    ),
    "position beyond 2^32 in an attribute": refused(
        kernel("%a = llvm.mlir.undef : !llvm.struct<(i32, i32)>\n"
               '%e = "llvm.extractvalue"(%a) <{position = array<i64: 0x100000000>}> '
               ": (!llvm.struct<(i32, i32)>) -> i32"),
        "expected a number of at most 31 bits in a list, got 0x100000000",
    ),
    "large aggregate": refused(
        kernel("%a = llvm.mlir.undef : !llvm.array<4294967296 x i8>"),
        "has a value of type '!llvm.array<4294967296 x i8>', which is not emulated",
    ),
    "deep types": refused(
        kernel("%a = llvm.mlir.undef : " + "!llvm.array<1 x " * 100000 + "i8" + ">" * 100000),
        "expected brackets that are nested 256 deep at most, got one more",
    ),
    "wide integer": refused(
        kernel("%a = llvm.mlir.constant(1 : i4096) : i4096\n%b = llvm.udiv %a, %a : i4096"), "'i4096', which is not emulated"
    ),
    "float of the host": refused(
        kernel("%a = llvm.mlir.zero : f80"), "'f80', which is not emulated"
    ),
    "vector of no length": refused(
        kernel("%a = llvm.mlir.zero : vector<[4]xf32>"), "which is not emulated"
    ),
    "other bits": refused(
        kernel("%a = llvm.mlir.constant(1 : i32) : i32\n%b = llvm.bitcast %a : i32 to f64"), "as many bits"
    ),
    "alignment": refused(
        kernel("%a = llvm.load %x {alignment = 3 : i64} : !llvm.ptr -> i32"), "alignment"
    ),
    "residents": refused(
        kernel("", attributes="nvvm.kernel, nvvm.minctasm = 0 : i32"), "nvvm.minctasm = 0: expected 1 to 32"
    ),
    "result of a kernel": refused(
        raw(b"module {\n  llvm.func @main_0() -> i32 attributes {nvvm.kernel} {\n"
            b"    %c = llvm.mlir.constant(1 : i32) : i32\n    llvm.return %c : i32\n  }\n}\n"),
        "returns a value",
    ),
    # Text.
    "no module": refused(raw(b"llvm.func @main_0("), "expected"),
    "nonsense": refused(raw(b"\x7fELF\x00\x01"), ""),
    "bytecode": refused(raw(b"ML\xefR\x06"), "expected the text of a module, got bytecode"),
    "op of another dialect": refused(kernel('"other.op"() : () -> ()'), "'other.op' op is not known to the emulator"),
    "long name": refused(kernel('"a.%s"() : () -> ()' % ("b" * 1000000)), "bytes left out"),
    # While it runs.
    "trap": fault(kernel('"llvm.intr.trap"() : () -> ()'), "llvm.intr.trap at", "the kernel stops itself"),
    "unreachable": fault(kernel("", end="llvm.unreachable"), "llvm.unreachable at", "is reached"),
    "division by zero": fault(
        kernel("%z = llvm.mlir.constant(0 : i32) : i32\n%v = llvm.load %x : !llvm.ptr -> i32\n"
               "%m = llvm.and %v, %z : i32\n%q = llvm.udiv %v, %m : i32\nllvm.store %q, %y : i32, !llvm.ptr"),
        "division by zero",
    ),
    "empty loop": fault(kernel(LOOP.format(body="")), "livelock"),
    "loop that waits": fault(kernel(POLL), "livelock"),
    "behind a shared array": fault(kernel(STEP.format(bytes=20000), SHARED), "out-of-bounds shared write of 4 bytes"),
    "in front of a shared array": fault(kernel(STEP.format(bytes=-16), SHARED), "shared"),
    "2^32 bytes and some": fault(kernel(FILL.format(bytes=2**32 + 8), SHARED), "out-of-bounds shared write"),
    "2^64 bytes": fault(kernel(FILL.format(bytes=-1), SHARED), "out-of-bounds shared write"),
    "2^63 bytes of a buffer": fault(
        kernel("%n = llvm.mlir.constant(9223372036854775807 : i64) : i64\n"
               '"llvm.intr.memcpy"(%y, %x, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()'),
        "out-of-bounds global load of 9223372036854775807 bytes",
    ),
    "tensor map of its own": fault(
        kernel(MAP, "llvm.mlir.global internal @m() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<256 x i8>"),
        "tensor map",
    ),
}
