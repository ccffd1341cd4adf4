import Sluice
protocol P { var conn: Connection? { get set } }
final class B { var c: Connection? }
func go(_ q: ConnectionQueue) throws { 
  let b = B()
  try q.sync { c in try c.addFunction("f") { [c] (x: Int) in b.c = c; return 1 } ; try c.execute(sql: "SELECT f(1)") }
  try b.c?.execute(sql: "SELECT 1") }
