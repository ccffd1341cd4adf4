import Foundation
import Sluice
import SluiceExtras
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.values)) struct `keyed archives` {
  let db: Connection
  init() throws { db = try Connection() }

  let person = ArchivedPerson(
    "Ada", age: 36, friend: ArchivedPerson("Charles", age: 44), tags: ["x", "ü"])

  @Test func `an archived object is read back with its fields and nested objects`() throws {
    let back = try #require(
      try db.select(.keyedArchive(of: ArchivedPerson.self), .keyedArchive(person)))
    #expect(back == person)
    #expect(back.friend?.name == "Charles")
  }

  @Test func `archived Foundation objects are read back unchanged`() throws {
    let objects: [any NSObject & NSSecureCoding] = [
      NSString(string: "ü\0x"), NSMutableString(string: "x"), NSNumber(value: Int64.min),
      NSNumber(value: UInt64.max), NSNumber(value: -2.5), NSNumber(value: true), NSNull(),
      NSData(data: Data([0, 255])), NSData(), NSMutableData(data: Data([1])),
      NSDate(timeIntervalSinceReferenceDate: -1.5), NSUUID(), NSArray(), NSMutableArray(),
      NSArray(array: [NSString(string: "x"), NSNumber(value: 1), NSArray(array: [NSNull()])]),
      NSSet(array: [NSString(string: "x"), NSNumber(value: 2)]),
      NSDictionary(dictionary: ["x": NSDate(timeIntervalSinceReferenceDate: 0), "y": NSUUID()]),
      NSArray(array: (0..<1000).map { NSNumber(value: $0 % 7) }),
    ]
    for object in objects { try expectReturn(of: object) }
  }

  private func expectReturn<Object: NSObject & NSSecureCoding>(of object: Object) throws {
    let back = try db.select(
      .keyedArchive(
        of: Object.self, containing: NSString.self, NSNumber.self, NSArray.self, NSNull.self,
        NSDate.self, NSUUID.self), .keyedArchive(object))
    #expect(back?.isEqual(object) == true, "\(object)")
  }

  @Test func `an archived URL is read back with its base URL`() throws {
    let base = try #require(URL(string: "https://a/b/"))
    let url = try #require(NSURL(string: "c?d", relativeTo: base))
    let back = try #require(try db.select(.keyedArchive(of: NSURL.self), .keyedArchive(url)))
    #expect(back.absoluteString == "https://a/b/c?d")
    #expect(back.baseURL == base)
  }

  @Test func `an archive written by Foundation can be read`() throws {
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: person, requiringSecureCoding: true)
    #expect(try db.select(.keyedArchive(of: ArchivedPerson.self), .data(archive)) == person)
  }

  @Test func `Foundation can read a stored archive`() throws {
    let archive = try #require(try db.select(.data, .keyedArchive(person)))
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: ArchivedPerson.self, from: archive)
        == person)
  }

  @Test func `reading an archive of another class throws`() {
    let error = failure {
      try db.select(.keyedArchive(of: NSDate.self), .keyedArchive(person))
    }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasPrefix("Column 0 (?) is not an archive of NSDate: ") == true)
    let nested = SQLParameter.keyedArchive(NSArray(array: [NSString(string: "x"), person]))
    #expect(
      failure {
        try db.select(.keyedArchive(of: NSArray.self, containing: NSString.self), nested)
      }?.code == .mismatch)
    #expect(
      failure {
        try db.select(.keyedArchive(of: NSString.self), .keyedArchive(NSNumber(value: 1)))
      }?.code == .mismatch)
  }

  @Test func `reading an archive never instantiates a class that is not allowed`() throws {
    let count = ArchivedWitness.count
    let parameter = SQLParameter.keyedArchive(NSArray(array: [ArchivedWitness()]))
    #expect(
      failure {
        try db.select(.keyedArchive(of: NSArray.self, containing: NSString.self), parameter)
      }?.code == .mismatch)
    #expect(ArchivedWitness.count == count)
    _ = try db.select(.keyedArchive(of: NSArray.self, containing: ArchivedWitness.self), parameter)
    #expect(ArchivedWitness.count == count + 1)
  }

  @Test func `an archived subclass of the requested class can be read`() throws {
    let back = try db.select(
      .keyedArchive(of: ArchivedBase.self), .keyedArchive(ArchivedSub()))
    #expect(back is ArchivedSub)
  }

  @Test(arguments: ["", "x", "bplist00", 7, nil, .blob([0xff])] as [DatabaseValue])
  func `reading a value that is not an archive throws`(value: DatabaseValue) {
    #expect(
      failure { try db.select(.keyedArchive(of: NSString.self), .value(value)) }?.code == .mismatch)
  }

  @Test func `reading a property list that is not an archive throws`() {
    let error = failure {
      try db.select(.keyedArchive(of: NSString.self), .propertyList(["root": "x"]))
    }
    #expect(error?.message == "Column 0 (?) is not an archive of NSString: It is not an archive")
  }

  @Test func `reading a damaged archive returns an object or throws a mismatch`() throws {
    let objects = NSArray(array: [
      person, NSDate(), NSUUID(), NSURL(string: "https://a/b")!, NSData(data: Data([1])),
      NSDictionary(dictionary: ["x": 1]), NSSet(array: ["y"]), NSMutableData(), NSNull(),
    ])
    let archive = try #require(try db.select(.bytes, .keyedArchive(objects)))
    let converter = ColumnValueConverter.keyedArchive(
      of: NSArray.self, containing: ArchivedPerson.self, NSDate.self, NSUUID.self, NSURL.self,
      NSData.self, NSDictionary.self, NSSet.self, NSNull.self, NSString.self, NSNumber.self)
    #expect(try db.select(converter, .bytes(archive))?.count == objects.count)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<3_000 {
      do { _ = try db.select(converter, .bytes(Hostile.damaged(archive, &random))) } catch {
        #expect((error as? SQLiteError)?.code == .mismatch)
      }
    }
  }
}

#if !canImport(Darwin)
  extension `keyed archives` {
    @Test func `archiving an object that cannot be read back throws`() {
      let objects: [any NSObject & NSSecureCoding] = [
        NSDecimalNumber(string: "1.5"), NSLocale(localeIdentifier: "de"),
        NSArray(array: [NSOrderedSet(), NSString(string: "x")]),
        NSArray(array: [NSDecimalNumber.one]), NSError(domain: "x", code: 1),
        ArchivedPerson("x", age: 1, extra: NSDecimalNumber.one),
        ArchivedPerson("x", age: 1, extra: Outer.Inner()),
      ]
      for object in objects {
        let error = failure { try db.select(.value, parameter(object)) }
        #expect(error?.code == .mismatch)
        #expect(error?.message.hasSuffix(" could not be read from an archive") == true)
      }
    }

    private func parameter(_ object: some NSObject & NSSecureCoding) -> SQLParameter {
      .keyedArchive(object)
    }

    /// A nested class has no name that an archive can store.
    enum Outer {
      final class Inner: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }
        override init() {}
        init?(coder: NSCoder) {}
        func encode(with coder: NSCoder) {}
      }
    }

    @Test func `archiving objects with a reference cycle throws`() {
      let (first, second) = (ArchivedPerson("x", age: 1), ArchivedPerson("y", age: 2))
      first.friend = second
      second.friend = first
      #expect(failure { try db.select(.value, .keyedArchive(first)) }?.code == .mismatch)
      first.friend = nil
    }

    @Test func `reading an archive with a reference cycle throws`() throws {
      // Changing one byte redirects a reference to object 1, which can create a cycle.
      let person = ArchivedPerson("x", age: 1, friend: ArchivedPerson("y", age: 2))
      let archive = try #require(try db.select(.bytes, .keyedArchive(person)))
      var circles = 0
      for index in archive.indices where archive[index] == 0x80 && index + 1 < archive.count {
        var changed = archive
        changed[index + 1] = 1
        let error = failure {
          try db.select(.keyedArchive(of: ArchivedPerson.self), .bytes(changed))
        }
        if error?.message.hasSuffix("or contain themselves") == true { circles += 1 }
      }
      #expect(circles > 0)
    }
  }
#endif
