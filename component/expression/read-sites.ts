/** Where a document reads request-time data: known while it is loaded, for issues about members that cannot exist. */
import type { Site } from './site.ts'

/** By the list of issues: each load has one. */
const sites = new WeakMap<readonly object[], Map<string, Site[]>>()

/** Remembers where a path is read. */
export function noteRead(issues: readonly object[], read: string, site: Site): void {
  let ofLoad = sites.get(issues)
  if (!ofLoad) {
    ofLoad = new Map()
    sites.set(issues, ofLoad)
  }
  const noted = ofLoad.get(read)
  if (noted) noted.push(site)
  else ofLoad.set(read, [site])
}

/**
 * The place where a part of a document reads a path: in the part itself, else in the declarations that it uses.
 * @param at JSON Pointer of the part
 * @param others JSON Pointers of what lies in the part and is not meant
 */
export function siteOfRead(
  issues: readonly object[],
  read: string,
  at: string,
  others: readonly string[] = [],
): Site | undefined {
  const noted = sites.get(issues)?.get(read) ?? []
  const isWithin = (path: string, part: string) => path === part || path.startsWith(`${part}/`)
  return (
    noted.find(
      ({ path }) => isWithin(path, at) && !others.some((other) => isWithin(path, other)),
    ) ?? noted.find(({ path }) => /\/(?:variables|defaults|status_codes)\//.test(path))
  )
}
