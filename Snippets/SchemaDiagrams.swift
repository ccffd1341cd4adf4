// A schema as a picture.

// snippet.hide
import Foundation
// snippet.show
import SluiceData

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)
let connection = try Connection()
try connection.execute(
  sql: """
    CREATE TABLE customer(id INTEGER PRIMARY KEY);
    CREATE TABLE "order"(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer);
    CREATE TABLE order_line(id INTEGER PRIMARY KEY, "order" INTEGER REFERENCES "order")
    """)
// snippet.show
let diagram = try connection.schemaDiagram()
try Data(diagram.svg.utf8).write(to: URL(filePath: "schema.svg"))
// snippet.hide
print(diagram.mermaid)
// snippet.show
let orders = try connection.schemaDiagram(of: ["customer", "order", "order_line"])
let all = try connection.schemaDiagram(includesViews: true)
// snippet.hide
guard orders == diagram, all == diagram else { fatalError() }
