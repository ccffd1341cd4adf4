/// The facts about the results and parameters of a program, which are true for any data.
struct ProgramFacts: Sendable {
  /// The possible values of the result columns.
  var results: [AbstractValue]
  /// The uses of the parameters, by index starting at 1.
  var parameters: [Int: ParameterUse] = [:]
  /// The reason for which the results can have any value; nil if the analysis has succeeded.
  var obstacle: String?
  /// The number of program points that were visited to determine the facts.
  var steps = 0
}

/// The known uses of a parameter: comparisons with values and columns, and storage in columns.
struct ParameterUse: Hashable, Sendable {
  var origins: Set<ColumnReference> = []
  /// The storage classes that the parameter should have if no column determines them.
  var kinds: AbstractValue.Kinds = []
  /// The storage classes that the parameter probably has, if nothing else determines them.
  var hint: AbstractValue.Kinds = []
  /// Whether the parameter is stored where NULL is allowed, or compared by IS with a value that may be NULL.
  var takesNull = false
  /// The other parameters with which this parameter is compared.
  var peers: Set<Int> = []

  /// Whether the type of the parameter is unknown, or depends only on other parameters.
  var isOpen: Bool { origins.isEmpty && kinds.isEmpty }
}

extension ProgramFacts {
  /// Completes parameters of unknown type from the parameters with which they are compared, or else from hints.
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
