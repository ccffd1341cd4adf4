import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `declared types of columns` {
  enum Color: String, Codable, CaseIterable { case red, green }
  enum Level: Int, Codable, CaseIterable { case low, high }

  struct Thing: Codable, Model, Equatable {
    @TaskLocal static var table = ModelTable("thing", key: \Thing.id)
    var id: Int64?
    var date = Date(timeIntervalSince1970: 5000)
    var uuid = UUID()
    var data = Data([49])
    var isOn = true
    var color = Color.green
    var level: Level? = .high
    var count = 7
    var size = 2.0
    var text = "12"
    var amount: Decimal = 3
    var list = [1]
  }

  private typealias Property = PartialKeyPath<Thing> & Sendable

  /// The types that can be declared for each property.
  private static let allowed: [(name: String, any Property, [ColumnType])] = [
    ("date", \.date, [.text, .any]),
    ("uuid", \.uuid, [.text, .any]),
    ("data", \.data, [.blob, .any]),
    ("isOn", \.isOn, [.integer, .any]),
    ("color", \.color, [.text, .any]),
    ("level", \.level, [.integer, .any]),
    ("count", \.count, [.integer, .any]),
    ("size", \.size, [.real, .integer, .any]),
    ("text", \.text, [.text, .any]),
    ("amount", \.amount, [.text, .real, .integer, .any]),
    ("list", \.list, [.text, .any]),
  ]

  private func table(
    _ property: any Property, _ type: ColumnType, isStrict: Bool
  ) -> ModelTable<Thing, Int64> {
    isStrict
      ? ModelTable("thing", key: \Thing.id, .column(property, .type(type)), .strict)
      : ModelTable("thing", key: \Thing.id, .column(property, .type(type)))
  }

  @Test(arguments: [false, true])
  func `a table is created only if its columns store and return the values of their properties`(
    _ isStrict: Bool
  ) throws {
    for (name, property, types) in Self.allowed {
      for type in ColumnType.allCases {
        try Thing.$table.withValue(table(property, type, isStrict: isStrict)) {
          let db = try Connection()
          let error = failure { try db.createTable(of: Thing.self) }
          // A number with a fraction cannot be stored in an INTEGER column of a STRICT table.
          guard types.contains(type), !(isStrict && name == "size" && type == .integer) else {
            #expect(error?.code == .misuse, "\(name) \(type)")
            return
          }
          #expect(error == nil, "\(name) \(type)")
          guard error == nil else { return }
          let thing = try db.insert(Thing())
          #expect(try db.fetch(Thing.all) == [thing], "\(name) \(type)")
        }
      }
    }
  }
}
