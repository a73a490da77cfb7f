/** Decides by the grants of a realm which actions are allowed; URIs under `wamp.` and `service.` are reserved (behaviour §6). */
import type { Grant, Realm, Resource } from '#component/realm/documents/model.ts'
import {
  isMatched,
  isReservedUri,
  type Match,
  reservedPrefixes,
} from '#component/syntax/wamp-uri.ts'

/** The text that every URI that matches a wildcard pattern begins with. */
function fixedStart(pattern: string): string {
  if (pattern.startsWith('.')) return ''
  const gap = pattern.indexOf('..')
  return gap < 0 ? pattern : pattern.slice(0, gap + 1)
}

/** Whether the resource covers every URI that the pattern matches. */
function covers(resource: Resource, uri: string, match: Match): boolean {
  switch (resource.match) {
    case 'exact':
      return match === 'exact' && resource.uri === uri
    case 'prefix':
      return (match === 'wildcard' ? fixedStart(uri) : uri).startsWith(resource.uri)
    case 'wildcard':
      return match !== 'prefix' && isMatched(uri, resource.uri, 'wildcard')
  }
}

/** Whether a pattern could match a URI that begins so. */
function reaches(uri: string, match: Match, start: string): boolean {
  if (match === 'exact') return uri.startsWith(start)
  if (match === 'prefix') return uri.startsWith(start) || start.startsWith(uri)
  return uri === '' || uri.startsWith('.') || uri.startsWith(start)
}

/** Whether the pattern could match a URI under `service.` or `wamp.`: those belong to the gateway and the router. */
export const isReserved = (uri: string, match: Match): boolean =>
  reservedPrefixes.some((start) => reaches(uri, match, start))

/**
 * Whether one of the grants gives this permission to a session with these roles.
 * @param mustBeNamed only resources whose own URI begins with `service.` or `wamp.` count
 */
export function isGranted(
  grants: readonly Grant[],
  roles: readonly string[],
  permission: string,
  uri: string,
  match: Match,
  mustBeNamed = false,
): boolean {
  return grants.some(
    (grant) =>
      grant.permissions.has(permission) &&
      (grant.roles.has('all') || roles.some((role) => grant.roles.has(role))) &&
      grant.resources.some(
        (resource) => covers(resource, uri, match) && (!mustBeNamed || isReservedUri(resource.uri)),
      ),
  )
}

/**
 * Whether the realm permits an action on every URI that is meant. Reserved URIs need a grant that names them: one whose own
 * URI begins with `service.` or `wamp.`. A pattern that could match them needs such a grant beside its own. All other
 * URIs are open where the realm is unrestricted.
 */
export function isPermitted(
  { isUnrestricted, grants }: Pick<Realm, 'isUnrestricted' | 'grants'>,
  roles: readonly string[],
  permission: string,
  uri: string,
  match: Match,
): boolean {
  if (isReservedUri(uri)) return isGranted(grants, roles, permission, uri, match, true)
  if (!isUnrestricted && !isGranted(grants, roles, permission, uri, match)) return false
  if (match === 'exact') return true
  return reservedPrefixes.every(
    (start) =>
      !reaches(uri, match, start) || isGranted(grants, roles, permission, start, 'prefix', true),
  )
}
