// Models use the API of `Sluice`, so re-exporting it makes one import enough.
@_exported public import Sluice
