import Sluice
final class Box { var n = 0 }
func go(_ q: ConnectionQueue) throws { let b = Box()
    try q.sync { c in try c.addFunction("f") { (x: Int) in b.n += 1; return b.n } }
    b.n += 1 }
