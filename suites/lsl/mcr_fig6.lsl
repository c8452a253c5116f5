; Huang and Huang, "Maximal causality reduction for TSO and PSO" (2016), figure 6: an object (x, y) that is made and seen by another thread
; before it is, on pso only. With one iteration. `palisade constraints` prints the formulas of figure 7.
;
; expect sc,tso forbidden
; expect pso allowed
program "figure 6"
language IR

global x = 5:i32
global y = 5:i32
global z = 5:i32

function P0() {
  b0:
    store &z, 0:i32 plain
    store &x, 0:i32 plain
    store &y, 0:i32 plain
    store &x, 2:i32 plain
    store &y, 3:i32 plain
    store &z, 1:i32 plain
    return
}

function P1() {
  registers z, a, b
  b0:
    %z := load &z plain
    branch %z, b1, b2
  b1:
    %a := load &x plain
    %b := load &y plain
    jump b2
  b2:
    return
}

thread P0 = @P0()
thread P1 = @P1()

exists 1:%z == 1:i32 and 1:%a == 0:i32
