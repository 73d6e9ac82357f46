; A variadic call: the caller passes the address of a constant with the location of each argument. It has 3 pieces: the
; int 2 in the first register, n in the second (at 8), x in the first vector register (at 48); the labels are in slots
; 0, 1 and 2. The callee moves the labels to the shadow before its own va_start.
;
; CHECK: @cairn.variadic.*c"\00\00\00\00\03\00\00\00\00\00\00\00\04\00\00\00\00\00\00\00\08\00\00\00\04\00\00\00\01\00\00\000\00\00\00\08\00\00\00\02\00\00\00"
; CHECK: define void @caller(i32 %n, double %x)
; CHECK: store i32 0, ptr getelementptr inbounds (i8, ptr @__cairn_tls, i64 72)
; CHECK: store i64 ptrtoint (ptr @cairn.variadic.
; CHECK-NEXT: store i64 ptrtoint (ptr @sum to i64), ptr @__cairn_tls
; CHECK-NEXT: call void (i32, ...) @sum(i32 2, i32 %n, double %x)
; CHECK: define void @sum(i32 %count, ...)
; CHECK: call void @llvm.va_start.p0(ptr nonnull %5)
; CHECK-NEXT: call void @__cairn_va_enter(ptr nonnull %5, i64 ptrtoint (ptr @sum to i64), i64 0)
; CHECK: call void @__cairn_clear(i64 *, i64 24)
; CHECK-NEXT: call void @llvm.va_start.p0(ptr nonnull %1)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @caller(i32 %n, double %x) {
  call void (i32, ...) @sum(i32 2, i32 %n, double %x)
  ret void
}
define void @sum(i32 %count, ...) {
  %list = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  ret void
}
declare void @llvm.va_start.p0(ptr)
