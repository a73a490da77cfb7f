/** The places of documents that series belong to. */

/** A version of an API Specification. */
export interface ServedVersion {
  /** The id of the document. */
  readonly api: string
  /** The key of the version in the document. */
  readonly label: string
}

/** A path of a version. */
export interface ServedPath {
  readonly version: ServedVersion
  /** base_path + path, as written. */
  readonly pattern: string
}

/** The version of what no document serves. */
export const nowhere: ServedVersion = { api: '', label: '' }

/** A path that no document serves. @param pattern one of a few */
export const ownPath = (pattern: string): ServedPath => ({ version: nowhere, pattern })

/** The path of requests without a route. */
export const noPath = ownPath('')

/** The value of a label for all that have no series of their own. */
export const other = '_other'

/** Stands for all versions, where there is no room for a series of each. */
export const anyVersion: ServedVersion = { api: other, label: other }
