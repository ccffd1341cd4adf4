import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `classes as models` {
  @Test func `a computed property of a class has no column`() throws {
    class Named: Codable, @unchecked Sendable {
      let name: String
      init(_ name: String) { self.name = name }
    }
    final class Tag: Named, Model, @unchecked Sendable {
      static let table = ModelTable("tag", key: \Tag.name)
      var nick = "x"
      var shown: String { nick.isEmpty ? name : nick }
      var other: String {
        get { nick }
        set { nick = newValue }
      }

      override init(_ name: String) { super.init(name) }

      required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        nick = try values.decode(String.self, forKey: .nick)
        try super.init(from: decoder)
      }

      override func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Keys.self)
        try values.encode(name, forKey: .name)
        try values.encode(nick, forKey: .nick)
      }

      private enum Keys: CodingKey { case name, nick }
    }
    let db = try Connection.with(Tag.self)
    try db.insert(Tag("a"))
    #expect(failure { try db.fetch(Tag.where(\.shown == "x")) }?.code == .range)
    #expect(failure { try db.update(Tag.all, .set(\.other, to: "y")) }?.code == .range)
    try db.update(Tag.where(\.name == "a"), .set(\.nick, to: "y"))
    #expect(try db.strings("SELECT nick FROM tag") == ["y"])
  }
}
