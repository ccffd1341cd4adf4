import Sluice
func go(_ q: ConnectionQueue) throws -> ConnectionQueue {
  try q.sync { c in let o = c; c = try Connection(); return try ConnectionQueue(opening: { o }) } }
