; A call with labelled arguments: the caller stores their labels and the tag, and takes the result's label only if the
; callee has set the tag to its address plus 1. A callee of the same unit needs no report.
;
; CHECK: define i32 @caller(i32 %a, i8 %c)
; CHECK: store i32 *, ptr getelementptr inbounds (i8, ptr @__cairn_tls, i64 72)
; CHECK-NEXT: store i32 *, ptr getelementptr inbounds (i8, ptr @__cairn_tls, i64 76)
; CHECK-NEXT: store i64 ptrtoint (ptr @callee to i64), ptr @__cairn_tls
; CHECK-NEXT: call i32 @callee(i32 %a, i8 %c)
; CHECK-NEXT: load i64, ptr @__cairn_tls
; CHECK-NEXT: icmp ne i64 *, add (i64 ptrtoint (ptr @callee to i64), i64 1)
; CHECK-NEXT: load i32, ptr getelementptr inbounds (i8, ptr @__cairn_tls, i64 8)
; CHECK-NOT: @__cairn_uninstrumented(
; CHECK: define i32 @callee(i32 %x, i8 %y)
; CHECK: icmp eq i64 *, ptrtoint (ptr @callee to i64)
; CHECK: load i32, ptr getelementptr inbounds (i8, ptr @__cairn_tls, i64 72)
; CHECK-NEXT: select i1 *, i32 *, i32 0
; CHECK: store i64 add (i64 ptrtoint (ptr @callee to i64), i64 1), ptr @__cairn_tls
; CHECK: @__cairn_cast(i32 8218,
; CHECK: @__cairn_binary(i32 8195,

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @caller(i32 %a, i8 %c) {
  %result = call i32 @callee(i32 %a, i8 %c)
  %more = add i32 %result, 1
  ret i32 %more
}
define i32 @callee(i32 %x, i8 %y) noinline {
  %wide = zext i8 %y to i32
  %sum = add i32 %x, %wide
  ret i32 %sum
}
