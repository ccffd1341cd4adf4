// One import is enough: what the engine offers is part of this library.
@_exported public import SluiceCore
