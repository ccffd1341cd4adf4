import Sluice
func go(_ q: ConnectionQueue) throws -> ConnectionQueue {
  try q.syncTransaction { c, cmd in let o = c; c = try Connection(); return try ConnectionQueue(opening: { o }) }.value }
func go2(_ q: ConnectionQueue) throws -> ConnectionQueue {
  try q.sync { c in let s = try c.prepare(sql: "SELECT 1"); let o = c; c = try Connection(); let n = try ConnectionQueue(opening: { o }); _ = try s.step(); return n } }
