; One segment of arithmetic: labels of the parameters are loaded from the thread-local block if the tag is this
; function's, one guard ORs them, and the slow path computes a label for each operation.
;
; CHECK: define i32 @f(
; CHECK-NEXT: load i64, ptr @__cairn_tls
; CHECK-NEXT: icmp eq i64 *, ptrtoint (ptr @f to i64)
; CHECK: br i1 *, !prof
; The fast path is the original code.
; CHECK-NOT: @__cairn_
; CHECK: phi i32 [ 0, *
; CHECK-NEXT: add i32 %a, %b
; CHECK-NEXT: mul i32 *, 3
; CHECK-NEXT: store i32 *, ptr getelementptr inbounds (i8, ptr @__cairn_tls, i64 8)
; CHECK-NEXT: store i64 add (i64 ptrtoint (ptr @f to i64), i64 1), ptr @__cairn_tls
; CHECK-NEXT: ret i32
; The slow path: validate, Add (3) and Mul (5) of 32 bits (32 << 8).
; CHECK: asm "", "=r,0"(i32 %a)
; CHECK: @__cairn_validate_label(i32 32,
; CHECK: asm "", "=r,0"(i32 %b)
; CHECK: @__cairn_validate_label(i32 32,
; CHECK: add i32
; CHECK: @__cairn_binary(i32 8195,
; CHECK: mul i32 *, 3
; CHECK: @__cairn_binary(i32 8197, * i32 0, * i64 3,
; CHECK-NEXT: br label

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @f(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  %product = mul i32 %sum, 3
  ret i32 %product
}
