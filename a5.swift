import Sluice
func go(_ q: ConnectionQueue) throws { var out: Connection?; var s: Statement?
    try q.sync { c in out = c; s = try c.prepare(sql: "SELECT 1") }
    print(out as Any, s as Any) }
