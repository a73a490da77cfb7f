/** The origins of the targets of an upstream: where signed messages to it go. */
import type { Realms } from '#component/realm/realms.ts'
import { isMap } from '#component/syntax/values.ts'
import { upstreamOf } from '#component/upstreams/settings.ts'

/** @returns undefined where the realm has no such upstream; that of a socket is its path */
export function upstreamOrigins(
  realms: Pick<Realms, 'realm'>,
  realm_uri: string,
  name: string,
): readonly string[] | undefined {
  const upstreams = realms.realm(realm_uri)?.info.upstreams
  const written = isMap(upstreams) && Object.hasOwn(upstreams, name) ? upstreams[name] : undefined
  if (!isMap(written)) return undefined
  return upstreamOf(name, written).targets.map(({ socketPath, url, origin }) =>
    socketPath === undefined ? origin.text : url,
  )
}
