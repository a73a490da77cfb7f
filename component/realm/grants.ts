/** What the grants of a realm allow, and which URIs are nobody's but the gateway's. */
import type { Grant, Resource } from './model.ts'

/** What registrations and subscriptions name; `exact` for everything else. */
export type Match = 'exact' | 'prefix' | 'wildcard'

/** Does every component of a pattern that is not empty equal the other's? */
function fits(pattern: string, uri: string): boolean {
  const wanted = pattern.split('.')
  const components = uri.split('.')
  if (wanted.length !== components.length) return false
  return wanted.every((component, index) => component === '' || component === components[index])
}

/** What every URI that a wildcard pattern matches begins with. */
function fixedStart(pattern: string): string {
  if (pattern.startsWith('.')) return ''
  const gap = pattern.indexOf('..')
  return gap < 0 ? pattern : pattern.slice(0, gap + 1)
}

/** Does the resource hold every URI that is meant? */
function covers(resource: Resource, uri: string, match: Match): boolean {
  switch (resource.match) {
    case 'exact':
      return match === 'exact' && resource.uri === uri
    case 'prefix':
      return (match === 'wildcard' ? fixedStart(uri) : uri).startsWith(resource.uri)
    case 'wildcard':
      return match !== 'prefix' && fits(resource.uri, uri)
  }
}

/** Does one of the grants give this permission to somebody with these roles? */
export function isGranted(
  grants: readonly Grant[],
  roles: readonly string[],
  permission: string,
  uri: string,
  match: Match,
): boolean {
  return grants.some(
    (grant) =>
      grant.permissions.has(permission) &&
      (grant.roles.has('all') || roles.some((role) => grant.roles.has(role))) &&
      grant.resources.some((resource) => covers(resource, uri, match)),
  )
}

const reservedStarts = ['service.', 'wamp.'] as const

/** Could the pattern match a URI under `service.` or `wamp.`? Those are the gateway's and the router's. */
export function isReserved(uri: string, match: Match): boolean {
  return reservedStarts.some((start) => {
    if (match === 'exact') return uri.startsWith(start)
    if (match === 'prefix') return uri.startsWith(start) || start.startsWith(uri)
    return uri === '' || uri.startsWith('.') || uri.startsWith(start)
  })
}
