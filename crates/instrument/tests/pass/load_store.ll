; A load and a store at addresses that may be labelled. Both guards test a summary byte first (0x70000000 + line) and
; read the shadow (0x100000000000 + 4 * address) out of line. The store closes the segment of the symbolic load, whose
; slow path copies the object as it was before.
;
; CHECK: define void @f(ptr %from, ptr %to)
; CHECK: load i32, ptr %from
; CHECK: lshr i64 *, 6
; CHECK: and i64 *, 32767
; CHECK: or disjoint i64 *, 1879048192
; CHECK: load i8, ptr
; CHECK: br i1 *, !prof
; CHECK-NOT: @__cairn_
; CHECK: store i32 *, ptr %to
; CHECK: load i8, ptr
; CHECK: br i1 *, !prof
; CHECK: ret void
; The slow path of the load, then its shadow check.
; CHECK: @__cairn_symbolic_load(ptr nonnull @cairn.records*, i64 4, i64
; CHECK: @__cairn_binary(i32 8195,
; CHECK-NOT: @__cairn_
; CHECK: add nuw nsw i64 *, 17592186044416
; CHECK: load i128, ptr
; The slow path of the store.
; CHECK: @__cairn_symbolic_store(ptr nonnull @cairn.records*
; CHECK-NEXT: @__cairn_store(i64 *, i32 4, i32 *

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @f(ptr %from, ptr %to) {
  %value = load i32, ptr %from
  %more = add i32 %value, 1
  store i32 %more, ptr %to
  ret void
}
