; A select is a decision: the slow path records it and takes the label of the selected value. The side's coverage byte
; is at a computed address, so its store is the variant with a register.
;
; CHECK: define i32 @f(i32 %a, i32 %b)
; CHECK: icmp ult i32 %a, %b
; CHECK: getelementptr i8, ptr @cairn.coverage
; CHECK-NEXT: asm sideeffect "1: {disp32} movb $$1, 0(%rax)*cairn_edge
; CHECK: br i1 *, !prof
; CHECK: phi i32 [ 0,
; CHECK: ret i32
; CHECK: icmp ult i32
; CHECK: @__cairn_binary(i32 8210,
; CHECK: @__cairn_branch(ptr nonnull @cairn.records*, i32 *, i64 *)
; CHECK-NEXT: select i1 *, i32 *, i32
; CHECK-NEXT: br label

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @f(i32 %a, i32 %b) {
  %less = icmp ult i32 %a, %b
  %least = select i1 %less, i32 %a, i32 %b
  ret i32 %least
}
