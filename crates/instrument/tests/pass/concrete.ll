; Functions without symbolic values. The first, which only this unit calls, is unchanged; the second gets coverage stores
; and the labels of its concrete result, but no guard and no slow path.
;
; CHECK: define internal void @pause()
; CHECK-NEXT: call void asm sideeffect "pause", ""()
; CHECK-NEXT: ret void
; CHECK-NEXT: }
; CHECK: define i32 @count()
; CHECK-NOT: @__cairn_
; CHECK-NOT: !prof
; CHECK: %more = add i32
; CHECK-NEXT: %next = add i32 *, 1
; CHECK-NEXT: %again = icmp ult i32 %next, 10
; CHECK-NEXT: br i1 %again, label
; CHECK: done:
; CHECK-NEXT: asm sideeffect "1: movb $$1
; CHECK-NEXT: call void @pause()
; CHECK-NEXT: store i32 0, ptr getelementptr inbounds (i8, ptr @__cairn_tls, i64 8)
; CHECK-NEXT: store i64 add (i64 ptrtoint (ptr @count to i64), i64 1), ptr @__cairn_tls
; CHECK-NEXT: ret i32 %more
; CHECK-NOT: !prof !
; CHECK: asm sideeffect "1: movb $$1
; CHECK-NEXT: br label %loop
; CHECK-NEXT: }

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define internal void @pause() noinline {
  call void asm sideeffect "pause", ""()
  ret void
}

define i32 @count() {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi i32 [ 0, %0 ], [ %more, %loop ]
  %more = add i32 %sum, %i
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 10
  br i1 %again, label %loop, label %done
done:
  call void @pause()
  ret i32 %more
}
