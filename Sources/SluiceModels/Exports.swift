// One import is enough: models are made with what Sluice offers.
@_exported public import Sluice
