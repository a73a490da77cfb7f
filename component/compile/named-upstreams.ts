/** What is warned of at an action that names an upstream of the realm: it loads, since the realm may be loaded later. */
import type { Issue } from '#component/errors.ts'
import type { CompiledAction } from './compile-action.ts'

/** Whether a realm has an upstream of a name. */
export type HasUpstream = (realm_uri: string, name: string) => boolean

/** @param hasUpstream absent: names are not checked */
export function namedUpstreams(
  actions: readonly CompiledAction[],
  {
    realm_uri,
    hasUpstream,
  }: { readonly realm_uri: string; readonly hasUpstream: HasUpstream | undefined },
): Issue[] {
  if (hasUpstream === undefined) return []
  return actions.flatMap(({ plan, pathOf }) => {
    const named = plan.kind.reaches?.named?.field
    const name = named === undefined ? undefined : plan.fixed[named]
    if (named === undefined || typeof name !== 'string' || hasUpstream(realm_uri, name)) return []
    const message = `${realm_uri} has no upstream ${JSON.stringify(name)} in info.upstreams: every request gets 503`
    return [{ path: pathOf(named), message }]
  })
}
