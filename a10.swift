import Sluice
final class G: @unchecked Sendable { }
struct Out: Sendable { let get: @Sendable () throws -> Int }
func go(_ q: ConnectionQueue) throws -> Out {
  try q.sync { c in let s = try c.prepare(sql: "SELECT 1"); return Out(get: { try s.first(.column(.int))! }) } }
