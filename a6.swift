import Sluice
func go(_ q: ConnectionQueue, _ q2: ConnectionQueue) throws {
    try q.sync { c in try q2.sync { d in swap(&c, &d) } } }
