import Sluice

let pool = try ConnectionPool(path: "readinglist.sqlite", readers: 2)
let report = try await Migrations.migrator().migrate(pool)
print("Migrations applied: \(report.applied.count)")
try await pool.close()
