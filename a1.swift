import Sluice
@MainActor final class VM { var n = 0
  func make() throws -> ConnectionQueue {
    let c = try Connection()
    try c.addFunction("f") { (x: Int) in self.n += 1; return self.n }
    return try ConnectionQueue(opening: { c }) } }
