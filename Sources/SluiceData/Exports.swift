// Code that moves data also needs the API of `Sluice`; with this export, one import is enough.
@_exported public import Sluice
