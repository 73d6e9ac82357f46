; A call of a function that may be uninstrumented. Unless the cache of instrumented functions has it, the memory behind
; the pointer is searched for labels before the call; after it the labels are reported if no tag was set.
;
; CHECK: define i32 @f(ptr %data, i32 %n)
; CHECK: lshr i64 ptrtoint (ptr @checksum to i64), 1
; CHECK-NEXT: and i64 *, 1016
; CHECK: icmp ne i64 *, ptrtoint (ptr @checksum to i64)
; CHECK-NEXT: br i1 *, !prof
; CHECK: store i64 ptrtoint (ptr @checksum to i64), ptr @__cairn_tls
; CHECK-NEXT: call i32 @checksum(ptr %data, i32 %n)
; CHECK: icmp ne i64 *, add (i64 ptrtoint (ptr @checksum to i64), i64 1)
; CHECK: br i1 *, !prof
; CHECK: ptrtoint ptr %data to i64
; CHECK-NEXT: @__cairn_reachable_label(i32 0,
; CHECK: @__cairn_uninstrumented(ptr nonnull @cairn.records*, i64 ptrtoint (ptr @checksum to i64), i32

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @f(ptr %data, i32 %n) {
  %result = call i32 @checksum(ptr %data, i32 %n)
  ret i32 %result
}
declare i32 @checksum(ptr, i32)
