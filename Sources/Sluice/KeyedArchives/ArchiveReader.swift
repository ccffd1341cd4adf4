import Foundation

#if !canImport(Darwin)
  /// Reads keyed archives, of which no byte is trusted.
  ///
  /// On Linux `NSKeyedUnarchiver` ends the process for an archive that holds a class that was not
  /// asked for, whatever its policy for failures, and so do many classes of Foundation for one
  /// that is damaged. So these are made here, and all others get an ``ArchiveCoder``.
  final class ArchiveReader {
    /// What was refused first, which a class need not care about that is made of it.
    var failure: Refusal?
    private let list: BinaryPropertyList
    /// Where in the list the object is that holds all others, and where all are.
    private let root: Int
    private let objects: [Int]
    private var made: [Int: NSObject] = [:]
    private var underWay: Set<Int> = []

    /// The object that an archive holds, which is of one of `classes`.
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

    /// What an index of the list holds, itself or by reference; nil for what stands for nothing.
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
        // Foundation writes no class for text.
        let isMutable = classes.contains { $0 == NSMutableString.self }
        value = isMutable ? NSMutableString(string: text) : NSString(string: text)
      case .null, .date, .array, .dictionary: throw Refusal("It has a value in a wrong place")
      }
      guard classes.contains(where: value.isKind) else { throw otherClass }
      return value
    }

    /// The objects that an index of the list holds by reference.
    func objects(at index: Int?, of classes: [AnyClass]) throws(Refusal) -> [NSObject] {
      guard let index, case .array(let parts) = try list.object(at: index) else {
        throw Refusal("It has a collection without content")
      }
      var objects: [NSObject] = []
      for part in parts {
        guard let object = try value(at: part, of: classes) else {
          throw Refusal("It has a collection of nothing")
        }
        objects.append(object)
      }
      return objects
    }

    private func object(_ number: Int, of classes: [AnyClass]) throws(Refusal) -> NSObject {
      if let object = made[number] { return object }
      guard number < objects.count else { throw Refusal("It refers to nothing") }
      guard underWay.count < 128, underWay.insert(number).inserted else {
        throw Refusal("Its objects are too deep in each other, or in themselves")
      }
      defer { underWay.remove(number) }
      let index = objects[number]
      let object: NSObject?
      if case .dictionary = try list.object(at: index) {
        object = try make(list.fields(at: index), of: classes)
      } else {
        object = try value(at: index, of: classes)
      }
      guard let object else { throw Refusal("It has an object that cannot be made") }
      made[number] = object
      return object
    }

    private func make(_ fields: [String: Int], of classes: [AnyClass]) throws(Refusal) -> NSObject?
    {
      guard let name = try className(fields) else { throw Refusal("It has an object of no class") }
      let coder = ArchiveCoder(self, fields, classes)
      if FoundationClass.names.contains(name) {
        return try FoundationClass.make(name, from: coder)
      }
      // A class gets to run only if it is one of those that were asked for.
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
      Refusal("It holds an object of another class than was asked for")
    }
  }
#endif
