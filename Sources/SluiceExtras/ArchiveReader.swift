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
