import Sluice
struct S: ~Copyable { let c: Connection }
func go(_ q: ConnectionQueue, _ r: ConnectionReadQueue) throws {
  let old = try q.sync { c -> Int in let o = c; c = try Connection(); try r.sync { d in d = o }; return 1 } ; _ = old }
