/// The facts about the results and parameters of a program, whatever the data is.
struct ProgramFacts: Sendable {
  /// The possible values of the columns of the result.
  var results: [AbstractValue]
  /// The uses of the parameters, by their index from 1 on.
  var parameters: [Int: ParameterUse] = [:]
  /// How many places of the program were looked at to find out.
  var steps = 0
}

/// The values that a parameter is compared with or stored in.
struct ParameterUse: Hashable, Sendable {
  var origins: Set<ColumnReference> = []
  /// The storage classes that it should have where there is no column.
  var kinds: AbstractValue.Kinds = []
  /// The storage classes that it probably has if nothing else says so.
  var hint: AbstractValue.Kinds = []
  /// Whether it can be stored as NULL.
  var takesNull = false
  /// The other parameters that it is compared with.
  var peers: Set<Int> = []

  /// Whether nothing says what it is, but for other parameters.
  var isOpen: Bool { origins.isEmpty && kinds.isEmpty }
}

extension ProgramFacts {
  /// Parameters of which little is known are what those are that they are compared with, or what is hinted at.
  mutating func completeParameters() {
    followPeers()
    for (parameter, use) in parameters where use.isOpen { parameters[parameter]?.kinds = use.hint }
    followPeers()
  }

  private mutating func followPeers() {
    while true {
      let known = parameters
      for (parameter, use) in known where use.isOpen {
        for peer in use.peers {
          guard let other = known[peer] else { continue }
          parameters[parameter]?.origins.formUnion(other.origins)
          parameters[parameter]?.kinds.formUnion(other.kinds)
        }
      }
      if parameters == known { return }
    }
  }
}
