import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `optional properties` {
  struct Place: Codable, Model, Equatable {
    static let table = ModelTable("place", key: \Place.id)
    var id: Int64?
    var mark: UUID?
    var page: URL?
    var seen: Date?
    var data: Data?
  }

  @Test func `conditions and updates of optional values use the connection's strategies`() throws {
    let db = try Connection()
    db.codingStrategies = CodingStrategies(
      dates: .millisecondsSince1970, data: .base64, uuids: .bytes)
    try db.createTable(of: Place.self)
    let place = try db.insert(
      Place(
        mark: UUID(), page: URL(string: "a:b"), seen: Date(timeIntervalSince1970: 12.5),
        data: Data([1, 2])))
    let conditions: [Condition<Place>] = [
      \.mark == place.mark, \.page == place.page, \.seen == place.seen, \.data == place.data,
      .in(\.mark, [place.mark]), .column("mark", .equal, place.mark),
      .column("seen", .is, place.seen), .column("data", in: [place.data]),
    ]
    for condition in conditions { #expect(try db.fetch(Place.where(condition)) == [place]) }
    let other = UUID()
    try db.update(Place.all, .set(\.mark, to: other), .column("data", to: Data([3])))
    #expect(try db.fetch(Place.all).map(\.mark) == [other])
    #expect(try db.count(Place.where(\.data == Data([3]) && \.mark == other)) == 1)
    try db.update(Place.all, .set(\.mark, to: nil))
    #expect(try db.count(Place.where(\.mark == nil)) == 1)
  }
}
