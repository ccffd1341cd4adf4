import Sluice
func go(_ q: ConnectionQueue, _ q2: ConnectionQueue) throws {
    try q.sync { c in try q2.sync { d in let s = try d.prepare(sql: "SELECT 1"); try c.addFunction("g") { (x: Int) in try s.first(.column(.int))! } } } }
