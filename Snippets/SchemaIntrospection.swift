// Schema introspection.

// snippet.hide
import Sluice

let connection = try Connection()
try connection.execute(
  sql: """
    CREATE TABLE team(id INTEGER PRIMARY KEY);
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, team REFERENCES team);
    CREATE VIEW adult AS SELECT * FROM person
    """)
// snippet.show
for table in try connection.tables() where table.kind == .table {
  print(table.name, table.isStrict ? "is strict" : "")
  for column in try connection.columns(of: table.name) {
    print(
      "  ", column.name, column.declaredType ?? "", column.isNotNull ? "NOT NULL" : ""
    )
  }
  for index in try connection.indexes(of: table.name) where index.isUnique {
    print(
      "  no two rows have the same", index.terms.map { $0.column ?? "expression" })
  }
  for key in try connection.foreignKeys(of: table.name) {
    print("  refers to", key.referencedTable, "by", key.columns)
  }
}
for trigger in try connection.schemaObjects(.trigger, database: "main") {
  print(trigger.table, trigger.sql)
}
