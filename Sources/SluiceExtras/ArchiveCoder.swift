import Foundation
import Sluice

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
