/** How two versions of a document are named: by their hashes; without the second one the current version is meant. */
import { type Mirror, type Procedure, texts } from '#procedures/definition/procedure.ts'

/** The parameters: the name of the document, `from`, and `to`, which may be left out. */
export const versionPair = (name: 'id' | 'uri'): Procedure['parameters'] => [
  ...texts(name, 'from'),
  { name: 'to', type: 'string', isOptional: true },
]

/** The REST paths. @param document `/realms/:uri` */
export const versionPairMirrors = (document: `/${string}`): readonly Mirror[] => [
  { method: 'GET', path: `${document}/versions/:from/diff` },
  { method: 'GET', path: `${document}/versions/:from/diff/:to` },
]
