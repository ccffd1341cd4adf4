import Sluice
func go(_ q: ConnectionQueue) async throws { 
  try await q.perform { c in Task { try c.execute(sql: "SELECT 1") }; return () } }
