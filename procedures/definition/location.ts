/** Paths of managed objects over HTTP. */

/** The path of one member of a collection; the name is escaped as one segment. */
export const pathOf = (collection: 'api_specs' | 'realms' | 'api_keys', name: string): string =>
  `/${collection}/${encodeURIComponent(name)}`
