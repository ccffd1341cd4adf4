import Foundation

extension Finding: Encodable {
  /// The finding as one line of JSON.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(workload, forKey: "workload")
    try line.encode(name, forKey: "name")
    try line.encode(rounded(c), forKey: Key(stringValue: "c_\(unit.rawValue)"))
    try line.encode(rounded(sluice), forKey: Key(stringValue: "sluice_\(unit.rawValue)"))
    try line.encode(rounded(ratio), forKey: "ratio")
    try line.encode(ratios.map(rounded).min(), forKey: "min")
    try line.encode(ratios.map(rounded).max(), forKey: "max")
    try line.encode(target, forKey: "target")
    try line.encode(isMet, forKey: "met")
    try line.encode(count, forKey: "count")
    try line.encode(ratios.count, forKey: "rounds")
    try line.encode(SQLite.version, forKey: "sqlite")
    try line.encode(SQLite.mutexMode, forKey: "mutex")
  }

  private func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

  private struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
  }
}
