import CSluice

/// The closure that creates a table's tokenizer.
struct TokenizerMaker {
  let make: (_ arguments: [String]) throws -> any TokenSource
}

/// The FTS5 callbacks that every tokenizer in Swift shares.
enum TokenizerModule {
  static let functions = unsafe fts5_tokenizer(
    xCreate: { slot, arguments, count, result in
      let box = unsafe Box<FTS5Slot<TokenizerMaker>>.at(slot)
      let words = (0..<Int(count)).map { unsafe String(cString: arguments![$0]!) }
      do {
        let source = try box.state.within(.tokenizer) {
          guard let maker = box.value.content else {
            throw SQLiteError(.error, "no such tokenizer: \(box.value.name)")
          }
          return try maker.make(words)
        }
        unsafe result?.pointee = OpaquePointer(Box(source, box.state).retained())
        return SQLITE_OK
      } catch {
        box.state.keepFailure(error)
        return SQLITE_ERROR
      }
    },
    xDelete: { instance in
      guard let instance = unsafe instance else { return }
      let box = unsafe UnsafeMutableRawPointer(instance)
      unsafe Box<any TokenSource>.at(box).value.end()
      unsafe releaseBox(box)
    },
    xTokenize: { instance, context, flags, text, count, callback in
      guard let instance = unsafe instance, let callback = unsafe callback, count >= 0 else {
        return SQLITE_ERROR
      }
      let start = unsafe UnsafeRawPointer(text)?.assumingMemoryBound(to: UInt8.self)
      let text = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count))
      return unsafe Box<any TokenSource>.with(UnsafeMutableRawPointer(instance)) { box in
        var state = unsafe TokenSinkState(text, callback, context)
        do {
          try box.state.within(.tokenizer) {
            try unsafe withUnsafeMutablePointer(to: &state) {
              try unsafe box.value.tokenize(text, flags, into: FTS5TokenSink($0))
            }
          }
        } catch {
          if state.code == SQLITE_OK {
            box.state.keepFailure(error)
            return SQLITE_ERROR
          }
        }
        return state.code
      }
    })

  /// The callbacks of an FTS5 entry that only stores a context and is not a tokenizer.
  static let none = unsafe fts5_tokenizer(
    xCreate: { _, _, _, _ in SQLITE_ERROR }, xDelete: { _ in },
    xTokenize: { _, _, _, _, _, _ in SQLITE_ERROR })
}

/// The tokenizer of one table.
protocol TokenSource {
  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into tokens: borrowing FTS5TokenSink
  ) throws

  /// Deletes the C tokenizer now, even if this object is still retained.
  func end()
}

/// A token source that consists of one tokenizer.
struct WholeTokenizer<Tokenizer: FTS5Tokenizer>: TokenSource {
  let tokenizer: Tokenizer

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into tokens: borrowing FTS5TokenSink
  ) throws {
    try unsafe tokenizer.tokenize(text.span, reason: FTS5TokenizeReason(flags), into: tokens)
  }

  func end() {}
}

/// A token source that consists of a filter and its base tokenizer.
struct FilteredTokenizer<Filter: FTS5TokenFilter>: TokenSource {
  let filter: Filter
  let base: KnownTokenizer

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into tokens: borrowing FTS5TokenSink
  ) throws {
    let reason = FTS5TokenizeReason(flags)
    try unsafe base.tokenize(text, flags) { token in
      try unsafe filter.filter(token, in: text.span, reason: reason, into: tokens)
    }
  }

  func end() { base.end() }
}

/// A token source that calls a closure with a string.
struct StringTokenizer: TokenSource {
  let tokens: (String) throws -> [FTS5Token]

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into sink: borrowing FTS5TokenSink
  ) throws {
    let repaired = unsafe RepairedText(text)
    for var token in try tokens(repaired.text) {
      token.range = repaired.original(token.range)
      try sink.add(token)
    }
  }

  func end() {}
}

extension FTS5TokenizeReason {
  fileprivate init(_ flags: Int32) {
    self =
      if flags & FTS5_TOKENIZE_AUX != 0 { .auxiliary } else if flags & FTS5_TOKENIZE_DOCUMENT != 0 {
        .document
      } else if flags & FTS5_TOKENIZE_PREFIX != 0 { .prefix } else { .query }
  }
}

/// A tokenizer that is registered with FTS5 under a name, created for one table.
@safe struct KnownTokenizer {
  private let functions: fts5_tokenizer
  private let instance: OpaquePointer?
  private let state: ConnectionState

  /// Creates a tokenizer from words: its name, followed by its arguments.
  init(_ words: [String], _ registry: FTS5Registry, _ state: ConnectionState) throws {
    guard let name = words.first else {
      throw SQLiteError(.misuse, "A token filter needs the name of the tokenizer that it filters")
    }
    for word in words { try refuseNUL(in: word, "The name or an argument of a tokenizer") }
    // A filter that names itself as its base would cause endless recursion.
    guard registry.constructions < 20 else {
      throw SQLiteError(.misuse, "Tokenizers are nested too deeply; one may filter itself")
    }
    registry.constructions += 1
    defer { registry.constructions -= 1 }
    var context: UnsafeMutableRawPointer?
    var functions = fts5_tokenizer()
    let api = unsafe registry.api
    guard unsafe api.pointee.xFindTokenizer(api, name, &context, &functions) == SQLITE_OK else {
      throw SQLiteError(.error, "no such tokenizer: \(name)")
    }
    var instance: OpaquePointer?
    let create = unsafe functions.xCreate
    let code = unsafe Self.withCStrings(words.dropFirst()) { arguments in
      unsafe create?(context, arguments.baseAddress, Int32(arguments.count), &instance)
    }
    guard code == SQLITE_OK else {
      throw state.failure(
        SQLiteError(
          ResultCode(rawValue: code ?? SQLITE_ERROR), "error in tokenizer constructor: \(name)"))
    }
    self.functions = functions
    unsafe self.instance = instance
    self.state = state
  }

  /// Calls `body` with each token of a text.
  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, _ body: (FTS5Token) throws -> Void
  ) throws {
    let start = unsafe UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    let code = try unsafe TokenRelay.run(body) { relay, callback in
      unsafe functions.xTokenize?(instance, relay, flags, start, Int32(text.count), callback)
        ?? SQLITE_ERROR
    }
    guard code == SQLITE_OK else {
      throw state.failure(SQLiteError(ResultCode(rawValue: code), "The tokenizer failed"))
    }
  }

  func end() { unsafe functions.xDelete?(instance) }

  /// Calls `body` with C strings for the texts.
  private static func withCStrings<T>(
    _ texts: ArraySlice<String>,
    _ body: (UnsafeMutableBufferPointer<UnsafePointer<CChar>?>) -> T
  ) -> T {
    let lists = texts.map(\.utf8CString)
    return unsafe Array(lists.joined()).withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for list in lists {
        unsafe pointers.append(next)
        unsafe next = next.map { unsafe $0 + list.count }
      }
      return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0) }
    }
  }
}

/// Text in which U+FFFD replaces invalid UTF-8, with a mapping from its ranges to the original bytes.
struct RepairedText {
  let text: String
  /// For each U+FFFD: its end in the text, and the shift from later offsets in the text to the original offsets.
  private var repairs: [(end: Int, shift: Int)] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    // `string` throws only if the bytes are not UTF-8.
    if let text = unsafe try? string(bytes.baseAddress, bytes.count) {
      self.text = text
      return
    }
    var scalars = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var rest = unsafe bytes.makeIterator()
    var end = 0
    var shift = 0
    while true {
      switch unsafe parser.parseScalar(from: &rest) {
      case .valid(let character):
        scalars.append(Unicode.UTF8.decode(character))
        end += character.count
      case .error(let length):
        scalars.append("\u{fffd}")
        end += Self.width
        shift += length - Self.width
        repairs.append((end, shift))
      case .emptyInput:
        text = String(scalars)
        return
      }
    }
  }

  /// The number of UTF-8 bytes of U+FFFD.
  private static let width = 3

  /// Returns the range of the original bytes that corresponds to a range of the text.
  fileprivate func original(_ range: Range<Int>) -> Range<Int> {
    guard !repairs.isEmpty else { return range }
    let start = original(range.lowerBound)
    return start..<max(start, original(range.upperBound))
  }

  fileprivate func original(_ offset: Int) -> Int {
    var low = 0
    var high = repairs.count
    while low < high {
      let middle = (low + high) / 2
      if repairs[middle].end <= offset { low = middle + 1 } else { high = middle }
    }
    let moved = offset &+ (low == 0 ? 0 : repairs[low - 1].shift)
    // An offset inside a replacement maps to the beginning of that replacement.
    guard low < repairs.count, offset > repairs[low].end - Self.width else { return moved }
    return repairs[low].end - Self.width &+ (low == 0 ? 0 : repairs[low - 1].shift)
  }
}
