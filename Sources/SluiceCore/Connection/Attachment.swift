/// What a module above the engine keeps with a connection, which only carries it.
package struct Attachment: Hashable, Sendable {
  package let object: any AnyObject & Sendable

  package init(_ object: any AnyObject & Sendable) { self.object = object }

  package static func == (first: Attachment, second: Attachment) -> Bool {
    first.object === second.object
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}
