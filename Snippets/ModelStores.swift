// A place where models are kept, known to all that are kept there.

// snippet.hide
import SluiceModels

// snippet.show
enum App {
  static let store = ModelStore(creating: Note.self) {
    try ConnectionQueue(label: "app")
  }
}

struct Note: Codable, StoredModel {
  static let table = ModelTable("note", key: \Note.id)
  static var store: ModelStore { App.store }
  var id: Int64?
  var text: String
}

// A transaction: all of it, or nothing if it throws.
let note = try await Note.write { connection in
  try connection.insert(Note(text: "Buy milk"))
}
let notes = try await Note.read { connection in
  try connection.fetch(Note.order(by: \.text))
}
// snippet.hide
guard note.id == 1, notes.map(\.text) == ["Buy milk"] else { fatalError() }
