import SluiceModels

struct Book: Codable, Model {
  static let table = ModelTable("book", key: \Book.id)
  var id: Int64?
  var title: String
}

let connection = try Connection(path: CommandLine.arguments[1])
guard try connection.fetch(Book.self, key: 1)?.title == "Middlemarch" else { fatalError() }
