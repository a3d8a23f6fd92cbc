"""A kernel with more values at the same time than a thread's stack holds."""

COUNT = 10000
VECTOR = "vector<16xf32>"

print("module {")
print("  llvm.func @overflow(%data: !llvm.ptr<1>) attributes {nvvm.kernel} {")
for i in range(COUNT):
    print(f"    %v{i} = llvm.load volatile %data : !llvm.ptr<1> -> {VECTOR}")
for i in range(COUNT):
    print(f"    llvm.store volatile %v{i}, %data : {VECTOR}, !llvm.ptr<1>")
print("    llvm.return\n  }\n}")
