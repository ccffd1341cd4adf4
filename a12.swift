import Sluice
struct E: Error { let c: Connection }
func go(_ q: ConnectionQueue) throws { try q.sync { c in throw E(c: c) } }
