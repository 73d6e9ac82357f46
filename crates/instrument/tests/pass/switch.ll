; A switch: the decision records the value of the operand; each distinct successor is one side.
;
; CHECK: @cairn.coverage* = internal global [3 x i8] zeroinitializer, section "cairn_cov"
; CHECK: define void @f(i8 %c)
; CHECK: br i1 *, !prof
; CHECK: switch i8 %c, label %other [
; CHECK-NEXT: i8 97, label %letter
; CHECK-NEXT: i8 98, label %letter
; CHECK-NEXT: i8 48, label %digit
; CHECK: letter:
; CHECK-NEXT: asm sideeffect "1: movb $$1
; CHECK: digit:
; CHECK-NEXT: asm sideeffect "1: movb $$1
; CHECK: other:
; CHECK-NEXT: asm sideeffect "1: movb $$1
; CHECK: @__cairn_validate_label(i32 8,
; CHECK-NEXT: @__cairn_branch(ptr nonnull @cairn.records*

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @f(i8 %c) {
  switch i8 %c, label %other [
    i8 97, label %letter
    i8 98, label %letter
    i8 48, label %digit
  ]
letter:
  call void @cairn_letter()
  ret void
digit:
  call void @cairn_digit()
  ret void
other:
  ret void
}
declare void @cairn_letter()
declare void @cairn_digit()
