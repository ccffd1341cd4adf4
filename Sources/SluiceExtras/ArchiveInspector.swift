import Foundation
import Sluice

#if !canImport(Darwin)
  /// A coder that rejects objects that an ``ArchiveReader`` could not read from an archive.
  ///
  /// Some of these objects would even crash the process: on Linux, `NSKeyedArchiver` traps for several Foundation
  /// classes.
  final class ArchiveInspector: NSCoder {
    private var refusal: Refusal?
    /// The inspected objects, retained so that no later object has the same identity.
    private var seen: [ObjectIdentifier: NSObject] = [:]
    private var underWay: Set<ObjectIdentifier> = []

    static func inspect(_ object: NSObject) throws(Refusal) {
      let inspector = ArchiveInspector()
      inspector.inspect(object)
      if let refusal = inspector.refusal { throw refusal }
    }

    private func inspect(_ value: Any?) {
      guard refusal == nil, let value else { return }
      guard let object = value as AnyObject as? NSObject, isReadable(object) else {
        return refuse("\(type(of: value)) could not be read from an archive")
      }
      let identity = ObjectIdentifier(object)
      guard underWay.count < 128, underWay.insert(identity).inserted else {
        return refuse("Its objects are nested too deeply, or contain themselves")
      }
      if seen.updateValue(object, forKey: identity) == nil { inspectContent(of: object) }
      underWay.remove(identity)
    }

    private func inspectContent(of object: NSObject) {
      switch object {
      case let array as NSArray: for element in array { inspect(element) }
      case let set as NSSet: for element in set { inspect(element) }
      case let dictionary as NSDictionary:
        for (key, value) in dictionary {
          inspect(key)
          inspect(value)
        }
      default:
        guard !isOfFoundation(object), let object = object as? any NSSecureCoding else { return }
        object.encode(with: self)
      }
    }

    private func isReadable(_ object: NSObject) -> Bool {
      let type: AnyClass = object.classForKeyedArchiver ?? object.classForCoder
      if let name = NSKeyedArchiver.classNameForClass(type) {
        return archivableClass(named: name) != nil
      }
      let name = String(reflecting: type)
      guard name.hasPrefix("Foundation.") else {
        return archivableClass(named: name).map { $0 == type } ?? false
      }
      return object is NSNumber
        ? !(object is NSDecimalNumber)
        : FoundationClass.names.contains(String(name.dropFirst("Foundation.".count)))
    }

    private func isOfFoundation(_ object: NSObject) -> Bool {
      String(reflecting: object.classForCoder).hasPrefix("Foundation.")
    }

    private func refuse(_ reason: String) { refusal = refusal ?? Refusal(reason) }
    private func refuseValueWithoutKey() { refuse("It has values without keys") }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }

    override func encode(_ object: Any?, forKey key: String) { inspect(object) }
    override func encodeConditionalObject(_ object: Any?, forKey key: String) { inspect(object) }
    override func encode(_ value: Bool, forKey key: String) {}
    override func encode(_ value: Int, forKey key: String) {}
    override func encode(_ value: Int32, forKey key: String) {}
    override func encode(_ value: Int64, forKey key: String) {}
    override func encode(_ value: Float, forKey key: String) {}
    override func encode(_ value: Double, forKey key: String) {}
    override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {}

    override func encode(_ object: Any?) { refuseValueWithoutKey() }
    override func encode(_ data: Data) { refuseValueWithoutKey() }
    override func encodePropertyList(_ list: Any) { refuseValueWithoutKey() }
  }

  typealias ArchivableClass = any (NSObject & NSSecureCoding).Type

  /// Returns the class that an archive names; nil for a Foundation class or a class without secure coding.
  func archivableClass(named name: String) -> ArchivableClass? {
    if let type = NSKeyedUnarchiver.class(forClassName: name) { return archivable(type) }
    // Anything except the names of a module and a class could be interpreted as a mangled name.
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
    guard parts.count == 2, isPlain else { return nil }
    return NSClassFromString(name).flatMap(archivable)
  }

  private func archivable(_ type: AnyClass) -> ArchivableClass? {
    guard !String(reflecting: type).hasPrefix("Foundation"), let type = type as? ArchivableClass,
      type.supportsSecureCoding
    else { return nil }
    return type
  }
#endif
