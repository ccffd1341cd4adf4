import Foundation
import Sluice

#if !canImport(Darwin)
  /// A reader of keyed archives that does not trust their bytes.
  ///
  /// On Linux, `NSKeyedUnarchiver` crashes the process if an archive contains a class that was not requested,
  /// even with a failure policy that returns errors. Many Foundation classes crash the process if an archive is
  /// damaged. This reader therefore creates the objects of Foundation classes itself. Objects of all other
  /// classes decode themselves from an ``ArchiveCoder``.
  final class ArchiveReader {
    /// The first error, which a class that decodes itself may have ignored.
    var failure: Refusal?
    private let list: BinaryPropertyList
    /// The index in `list` of the reference to the root object.
    private let root: Int
    /// The index in `list` of each object of the archive.
    private let objects: [Int]
    private var made: [Int: NSObject] = [:]
    private var underWay: Set<Int> = []

    /// Returns the root object of an archive, which must be an instance of one of `classes`.
    static func object(of classes: [AnyClass], in archive: [UInt8]) throws(Refusal) -> NSObject? {
      let reader = try ArchiveReader(archive)
      let object = try reader.value(at: reader.root, of: classes)
      if let failure = reader.failure { throw failure }
      return object
    }

    private init(_ archive: [UInt8]) throws(Refusal) {
      list = try BinaryPropertyList(archive)
      try list.check()
      let parts = try list.fields(at: list.top)
      guard let top = parts["$top"], let contents = parts["$objects"],
        let root = try list.fields(at: top)[NSKeyedArchiveRootObjectKey],
        case .array(let objects) = try list.object(at: contents)
      else { throw Refusal("It is not an archive") }
      self.root = root
      self.objects = objects
    }

    /// Returns the object at an index of `list`, or the object to which a reference there points; nil for null.
    func value(at index: Int, of classes: [AnyClass]) throws(Refusal) -> NSObject? {
      let value: NSObject
      switch try list.object(at: index) {
      case .reference(0): return nil
      case .reference(let number): value = try object(number, of: classes)
      case .bool(let bool): value = NSNumber(value: bool)
      case .integer(let integer): value = NSNumber(value: integer)
      case .unsigned(let integer): value = NSNumber(value: integer)
      case .real(let real): value = NSNumber(value: real)
      case .data(let bytes): value = NSData(data: Data(bytes))
      case .string(let text):
        // Foundation archives a string without its class, so the requested classes decide whether it is mutable.
        let isMutable = classes.contains { $0 == NSMutableString.self }
        value = isMutable ? NSMutableString(string: text) : NSString(string: text)
      case .null, .date, .array, .dictionary: throw Refusal("A value is in the wrong place")
      }
      guard classes.contains(where: value.isKind) else { throw otherClass }
      return value
    }

    /// Returns the objects to which the array at an index of `list` refers.
    func objects(at index: Int?, of classes: [AnyClass]) throws(Refusal) -> [NSObject] {
      guard let index, case .array(let parts) = try list.object(at: index) else {
        throw Refusal("A collection has no contents")
      }
      var objects: [NSObject] = []
      for part in parts {
        guard let object = try value(at: part, of: classes) else {
          throw Refusal("A collection contains null instead of an object")
        }
        objects.append(object)
      }
      return objects
    }

    private func object(_ number: Int, of classes: [AnyClass]) throws(Refusal) -> NSObject {
      if let object = made[number] { return object }
      guard number < objects.count else { throw Refusal("A reference points to a missing object") }
      guard underWay.count < 128, underWay.insert(number).inserted else {
        throw Refusal("Its objects are nested too deeply, or contain themselves")
      }
      defer { underWay.remove(number) }
      let index = objects[number]
      let object: NSObject?
      if case .dictionary = try list.object(at: index) {
        object = try make(list.fields(at: index), of: classes)
      } else {
        object = try value(at: index, of: classes)
      }
      guard let object else { throw Refusal("An object cannot be created") }
      made[number] = object
      return object
    }

    private func make(_ fields: [String: Int], of classes: [AnyClass]) throws(Refusal) -> NSObject?
    {
      guard let name = try className(fields) else { throw Refusal("An object has no class") }
      let coder = ArchiveCoder(self, fields, classes)
      if FoundationClass.names.contains(name) {
        return try FoundationClass.make(name, from: coder)
      }
      // An archive must not run code of a class that was not requested.
      guard let type = archivableClass(named: name), classes.contains(where: type.isSubclass) else {
        throw otherClass
      }
      return type.init(coder: coder)
    }

    private func className(_ fields: [String: Int]) throws(Refusal) -> String? {
      guard let index = fields["$class"],
        case .reference(let number) = try list.object(at: index), number < objects.count,
        let name = try list.fields(at: objects[number])["$classname"],
        case .string(let text) = try list.object(at: name)
      else { return nil }
      return text
    }

    private var otherClass: Refusal {
      Refusal("It contains an object of an unexpected class")
    }
  }
#endif

#if !canImport(Darwin)
  /// A coder with the archived fields of one object, from which that object decodes itself.
  ///
  /// A missing field is decoded as nil or 0. A field of another type than requested is also decoded as nil or 0,
  /// but the archive is then rejected, even if the object ignores the field.
  final class ArchiveCoder: NSCoder {
    private let reader: ArchiveReader
    private let fields: [String: Int]
    private let classes: [AnyClass]

    init(_ reader: ArchiveReader, _ fields: [String: Int], _ classes: [AnyClass]) {
      self.reader = reader
      self.fields = fields
      self.classes = classes
    }

    /// Returns the objects of a collection, which must be instances of the allowed classes.
    func objects(forKey key: String) throws(Refusal) -> [NSObject] {
      try reader.objects(at: fields[key], of: classes)
    }

    func data(forKey key: String) -> Data? {
      decodeObject(of: NSData.self, forKey: key).map { Data(referencing: $0) }
    }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var allowedClasses: [AnyClass]? { classes }
    override var decodingFailurePolicy: DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { reader.failure }

    override func failWithError(_ error: any Error) {
      reader.failure = reader.failure ?? error as? Refusal ?? Refusal("\(error)")
    }

    override func containsValue(forKey key: String) -> Bool { fields[key] != nil }

    override func decodeObject<Object>(of type: Object.Type, forKey key: String) -> Object?
    where Object: NSObject, Object: NSCoding {
      decodeObject(of: [type], forKey: key) as? Object
    }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
      guard reader.failure == nil, let index = fields[key] else { return nil }
      do { return try reader.value(at: index, of: classes ?? self.classes) } catch {
        failWithError(error)
        return nil
      }
    }

    override func decodeObject(forKey key: String) -> Any? {
      decodeObject(of: classes, forKey: key)
    }

    override func decodePropertyList(forKey key: String) -> Any? {
      decodeObject(
        of: [
          NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self,
        ], forKey: key)
    }

    override func decodeBool(forKey key: String) -> Bool { number(key, \.boolValue) ?? false }
    override func decodeInteger(forKey key: String) -> Int { number(key, Int.init) ?? 0 }
    override func decodeInt64(forKey key: String) -> Int64 { number(key, Int64.init) ?? 0 }
    override func decodeInt32(forKey key: String) -> Int32 { number(key, Int32.init) ?? 0 }
    override func decodeCInt(forKey key: String) -> Int32 { decodeInt32(forKey: key) }
    override func decodeDouble(forKey key: String) -> Double { number(key, \.doubleValue) ?? 0 }
    override func decodeFloat(forKey key: String) -> Float { number(key, \.floatValue) ?? 0 }

    override func withDecodedUnsafeBufferPointer<Result>(
      forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
      guard let data = data(forKey: key) else { return try body(nil) }
      return try unsafe [UInt8](data).withUnsafeBufferPointer { try unsafe body($0) }
    }

    override func withDecodedUnsafeBytes<Result>(
      forKey key: String, body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
      guard let data = data(forKey: key) else { return try body(nil) }
      return try unsafe data.withUnsafeBytes { try unsafe body($0) }
    }

    override func decodeObject() -> Any? { withoutKey() }
    override func decodePropertyList() -> Any? { withoutKey() }
    override func decodeData() -> Data? { withoutKey() }

    private func withoutKey<Value>() -> Value? {
      failWithError(Refusal("It has values without keys"))
      return nil
    }

    private func number<Value>(_ key: String, _ convert: (NSNumber) -> Value?) -> Value? {
      guard let number = decodeObject(of: NSNumber.self, forKey: key) else { return nil }
      guard let value = convert(number) else {
        failWithError(Refusal("A number is out of range"))
        return nil
      }
      return value
    }
  }
#endif
