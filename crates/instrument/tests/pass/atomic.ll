; Atomic updates: the slow path reads the old label, computes that of the value left in memory and writes it to the
; shadow. The address is concretized. A cmpxchg selects the label by the comparison with the expected value.
;
; CHECK: define i32 @f(ptr %counter, i32 %n)
; CHECK: atomicrmw add ptr %counter, i32 %n seq_cst
; CHECK-NOT: atomicrmw
; CHECK: @__cairn_concretize(ptr nonnull @cairn.records*
; CHECK: @__cairn_load(i64 *, i32 4,
; CHECK-NEXT: add i32
; CHECK: @__cairn_binary(i32 8195,
; CHECK-NEXT: @__cairn_store(i64 *, i32 4,
; CHECK: define i1 @exchange(ptr %at, i32 %expected, i32 %new)
; CHECK: cmpxchg ptr %at, i32 %expected, i32 %new seq_cst seq_cst
; CHECK-NOT: cmpxchg
; CHECK: @__cairn_concretize(ptr nonnull *@cairn.records*
; CHECK: @__cairn_load(i64 *, i32 4,
; CHECK-NEXT: icmp eq i32
; CHECK: @__cairn_binary(i32 8208,
; CHECK-NEXT: select i1
; CHECK-NEXT: @__cairn_store(i64 *, i32 4,
; CHECK-NOT: @__cairn_lost(ptr nonnull

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @f(ptr %counter, i32 %n) {
  %old = atomicrmw add ptr %counter, i32 %n seq_cst
  ret i32 %old
}
define i1 @exchange(ptr %at, i32 %expected, i32 %new) {
  %pair = cmpxchg ptr %at, i32 %expected, i32 %new seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  ret i1 %done
}
