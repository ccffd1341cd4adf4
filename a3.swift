import Sluice
actor A { var n = 0
  func go(_ q: ConnectionQueue) throws {
    func inc() -> Int { n += 1; return n }
    try q.sync { c in try c.addFunction("f") { (x: Int) in inc() } } } }
