import Foundation
import Synchronization

/// An object with fields of several kinds.
final class ArchivedPerson: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  let name: String
  let age: Int
  var friend: ArchivedPerson?
  let tags: [String]
  let extra: NSObject?

  init(
    _ name: String, age: Int, friend: ArchivedPerson? = nil, tags: [String] = [],
    extra: NSObject? = nil
  ) {
    self.name = name
    self.age = age
    self.friend = friend
    self.tags = tags
    self.extra = extra
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSString(string: name), forKey: "name")
    coder.encode(age, forKey: "age")
    coder.encode(Int32(7), forKey: "int32")
    coder.encode(Int64(age), forKey: "int64")
    coder.encode(Double(age) / 2, forKey: "double")
    coder.encode(Float(0.5), forKey: "float")
    coder.encode(true, forKey: "bool")
    coder.encode(friend, forKey: "friend")
    coder.encode(NSArray(array: tags.map { NSString(string: $0) }), forKey: "tags")
    if let extra { coder.encode(extra, forKey: "extra") }
  }

  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name"),
      let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String],
      coder.decodeInt32(forKey: "int32") == 7, coder.decodeBool(forKey: "bool"),
      coder.decodeFloat(forKey: "float") == 0.5, !coder.containsValue(forKey: "nothing"),
      coder.decodeInteger(forKey: "nothing") == 0
    else { return nil }
    self.name = String(describing: name)
    self.tags = tags
    age = coder.decodeInteger(forKey: "age")
    guard coder.decodeInt64(forKey: "int64") == Int64(age),
      coder.decodeDouble(forKey: "double") == Double(age) / 2
    else { return nil }
    friend = coder.decodeObject(of: ArchivedPerson.self, forKey: "friend")
    extra = nil
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ArchivedPerson else { return false }
    return other.name == name && other.age == age && other.tags == tags && other.friend == friend
  }

  override var hash: Int { name.hashValue }
}

/// An object that counts how many instances were decoded from archives.
final class ArchivedWitness: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  private static let made = Atomic(0)
  static var count: Int { made.load(ordering: .acquiring) }

  override init() {}
  init?(coder: NSCoder) { Self.made.add(1, ordering: .acquiringAndReleasing) }
  func encode(with coder: NSCoder) {}
}

class ArchivedBase: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }

  override init() {}
  required init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
}

final class ArchivedSub: ArchivedBase {}
