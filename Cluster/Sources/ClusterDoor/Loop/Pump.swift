/// Two connected sockets, between which bytes move in both directions.
///
/// Bytes are read from one side only while the other side accepts them. So a slow reader costs 64 KB at most.
final class Pump: LoopMember {
  /// The settings of a pump.
  struct Settings {
    var limits: DoorLimits
    /// Whether the far side is a node of this process, which may be busy for any time.
    var isFarLocal: Bool
    /// The check of the bytes from the near side; nil for none.
    var checker: FrameChecker?
    /// Called with the reason if the pump ends a connection.
    var refuse: (_ reason: String) -> Void = { _ in }
    /// Returns the bytes that answer a near side whose far side fails before it has sent anything.
    var failureAnswer: ((_ reason: String) -> [UInt8])?
    /// Called once, when both sides are closed.
    var ended: () -> Void = {}
  }

  /// The number of times that bytes move before other connections get their turn.
  private static let rounds = 16

  private let loop: DoorLoop
  private let near: DoorSocket
  private let far: DoorSocket
  private var settings: Settings
  private var forth: Flow
  private var back: Flow
  private var hasAnswered = false
  private var isClosing = false
  private var isClosed = false

  /// Creates a pump, which ``start()`` begins, with bytes that the near side has sent already.
  init(
    _ loop: DoorLoop, near: DoorSocket, far: DoorSocket, received: [UInt8] = [],
    _ settings: Settings
  ) {
    self.loop = loop
    self.near = near
    self.far = far
    self.settings = settings
    forth = Flow(loop.instant, pending: received)
    back = Flow(loop.instant)
  }

  func start() {
    loop.add(self)
    advance()
  }

  func advance() {
    guard !isClosed else { return }
    for _ in 0..<Self.rounds {
      var hasMoved = false
      move(&hasMoved, isForth: true)
      if isClosed { return }
      move(&hasMoved, isForth: false)
      if isClosed { return }
      guard hasMoved else { return watch() }
    }
    watch()
    loop.postpone(self)
  }

  func tick(_ now: ContinuousClock.Instant) {
    let limits = settings.limits
    if back.isBlocked || isClosing, now - back.progress > limits.stallTime {
      settings.refuse("it accepts no bytes")
      close()
    } else if forth.isBlocked {
      guard !settings.isFarLocal, now - forth.progress > limits.stallTime else { return }
      settings.refuse("the node accepts no bytes")
      close()
    } else if settings.checker?.isInRequest == true, now - forth.progress > limits.frameTime {
      settings.refuse("a request was not continued")
      close()
    } else if settings.checker?.isInTransaction == true, back.progress > forth.progress,
      now - back.progress > limits.transactionTime
    {
      // The node rolls the transaction back, for which all others that write wait.
      settings.refuse("it has sent nothing within a transaction for \(limits.transactionTime)")
      close()
    }
  }

  func end() { close() }

  /// Moves bytes in a direction, as many as one call of the system receives.
  private func move(_ hasMoved: inout Bool, isForth: Bool) {
    if isForth, isClosing { return }
    let instant = loop.instant
    let (source, target) = isForth ? (near, far) : (far, near)
    if isForth ? forth.isBlocked : back.isBlocked {
      let failure =
        isForth ? forth.flush(to: target, instant) : back.flush(to: target, instant)
      if let failure { return lose(isNear: !isForth, failure) }
      guard isForth ? !forth.isBlocked : !back.isBlocked else { return }
      hasMoved = true
    }
    if isClosing { return close(farewell: true) }
    if isForth ? forth.hasEnded : back.hasEnded { return close() }
    switch unsafe source.read(into: loop.piece) {
    case .wait: return
    case .end: lose(isNear: isForth, nil)
    case .failure(let reason): lose(isNear: isForth, reason)
    case .count(let count):
      hasMoved = true
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: loop.piece[..<count])
      if isForth {
        do { try unsafe settings.checker?.check(bytes) } catch {
          settings.refuse("\(error)")
          // A client that has made a mistake learns the reason.
          let failure = FailureFrame.bytes(FailureFrame.notAuthorized, "\(error)")
          _ = unsafe failure.withUnsafeBytes { unsafe near.write($0) }
          return close(farewell: true)
        }
        forth.progress = instant
        if let failure = unsafe forth.send(bytes, to: far) { lose(isNear: false, failure) }
      } else {
        hasAnswered = true
        back.progress = instant
        if let failure = unsafe back.send(bytes, to: near) { lose(isNear: true, failure) }
      }
    }
  }

  /// Ends the connection, after the bytes that one side has sent before its end have reached the other.
  private func lose(isNear: Bool, _ reason: String?) {
    if isNear {
      // The node gets everything that the client has sent.
      guard reason == nil, forth.isBlocked else { return close() }
      forth.hasEnded = true
    } else {
      if !hasAnswered, let answer = settings.failureAnswer {
        let bytes = answer(reason ?? "the node closed the connection")
        _ = unsafe bytes.withUnsafeBytes { unsafe back.send($0, to: near) }
      }
      guard back.isBlocked else { return close(farewell: true) }
      back.hasEnded = true
      isClosing = true
    }
  }

  private func watch() {
    var nearInterest: DoorSocket.Interest = []
    var farInterest: DoorSocket.Interest = []
    if !isClosing {
      if !forth.isBlocked, !forth.hasEnded { nearInterest.insert(.input) }
      if !back.isBlocked, !back.hasEnded { farInterest.insert(.input) }
      if forth.isBlocked { farInterest.insert(.output) }
    }
    if back.isBlocked { nearInterest.insert(.output) }
    loop.watch(near, nearInterest, for: self)
    loop.watch(far, farInterest, for: self)
  }

  /// Closes both sides, the near one perhaps only after it has read everything.
  private func close(farewell: Bool = false) {
    guard !isClosed else { return }
    isClosed = true
    for socket in [near, far] { loop.forget(socket) }
    far.close()
    loop.remove(self)
    settings.ended()
    settings.failureAnswer = nil
    if farewell { Farewell.begin(near, loop) } else { near.close() }
  }
}
