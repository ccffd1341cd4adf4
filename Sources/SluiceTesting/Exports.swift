// One import is enough: what is tested is made with Sluice.
@_exported public import Sluice
