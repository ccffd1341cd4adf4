import Sluice
@MainActor final class VM { var n = 0
  func go(_ q: ConnectionQueue) throws {
    try q.sync { c in try c.addFunction("f") { (x: Int) in self.n += 1; return self.n } } } }
