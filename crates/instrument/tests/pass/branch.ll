; A branch on a comparison that nothing else uses: comparison and decision are one call on the slow path, with the
; result in the top bit of the operation word (Slt is 22, 32 << 8 | 22 = 8214). Each side gets a coverage store.
;
; CHECK: define void @f(i32 %a)
; CHECK: icmp slt i32 %a, 10
; CHECK: br i1 *, !prof
; CHECK: br i1 *, label %then, label
; CHECK: asm sideeffect "1: movb $$1, ${0:c}(%rip)*cairn_edge*@cairn.coverage
; CHECK: then:
; CHECK-NEXT: asm sideeffect "1: movb $$1, ${0:c}(%rip)*cairn_edge*@cairn.coverage
; CHECK: call void @cairn_visited()
; CHECK: @__cairn_validate_label(i32 32,
; CHECK: icmp slt i32 *, 10
; CHECK-NEXT: select i1 *, i32 -2147475434, i32 8214
; CHECK-NEXT: @__cairn_decide(ptr nonnull @cairn.records*, i32 0, i64 *, i64 10)
; CHECK-NOT: @__cairn_branch(ptr nonnull

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @f(i32 %a) {
  %small = icmp slt i32 %a, 10
  br i1 %small, label %then, label %done
then:
  call void @cairn_visited()
  br label %done
done:
  ret void
}
declare void @cairn_visited()
