// A model store: one database for several models.

// snippet.hide
import SluiceModels

// snippet.show
enum Store {
  static let shared = ModelStore(creating: Note.self) {
    try ConnectionQueue(label: "app")
  }
}

struct Note: Codable, StoredModel {
  static let table = ModelTable("note", key: \Note.id)
  static var store: ModelStore { Store.shared }
  var id: Int64?
  var text: String
}

// A write is a transaction: an error rolls back all of its changes.
let note = try await Note.write { connection in
  try connection.insert(Note(text: "Buy milk"))
}
let notes = try await Note.read { connection in
  try connection.fetch(Note.order(by: \.text))
}
// snippet.hide
guard note.id == 1, notes.map(\.text) == ["Buy milk"] else { fatalError() }
