import Foundation

#if !canImport(Darwin)
  /// Looks at what an archive would consist of, and refuses what an ``ArchiveReader`` cannot read.
  ///
  /// Some of that would even end the process: on Linux `NSKeyedArchiver` traps for several classes
  /// of Foundation.
  final class ArchiveInspector: NSCoder {
    private var refusal: Refusal?
    /// The objects that were looked at, kept so that no other gets the identity of one.
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
        return refuse("\(type(of: value)) could not be read again")
      }
      let identity = ObjectIdentifier(object)
      guard underWay.count < 128, underWay.insert(identity).inserted else {
        return refuse("Its objects are too deep in each other, or in themselves")
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
#endif
