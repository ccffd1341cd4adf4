import CSluice

/// Makes what finds the tokens for a table.
struct TokenizerMaker {
  let make: (_ arguments: [String]) throws -> any TokenSource
}

/// What FTS5 calls for each tokenizer of ours.
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

  /// Those of what is no tokenizer.
  static let none = unsafe fts5_tokenizer(
    xCreate: { _, _, _, _ in SQLITE_ERROR }, xDelete: { _ in },
    xTokenize: { _, _, _, _, _, _ in SQLITE_ERROR })
}
