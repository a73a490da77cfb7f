/** Rehearses requests to one document, with the settings of a gateway that has none. */
import { hostPolicy } from '#component/action/connections/origin.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import type { Rehearsal, RehearsalPorts, Rehearsed } from '#component/explain/rehearsal.ts'
import { Rehearser } from '#component/explain/rehearsal.ts'
import { nobody } from '#component/explain/stand-ins.ts'
import { watchPath } from '#component/explain/watched-path.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { TrustedProxies } from '#http/peer.ts'
import { rehearsedHttp } from '#http/rehearsal/rehearsed-http.ts'

/** Settings by default. */
export const ports: RehearsalPorts = {
  http: rehearsedHttp(new TrustedProxies([])),
  codec: { decode: decodeBody, encode: encodeBody },
  cors: { allow_origin: '*', allow_methods: 'GET', allow_headers: 'content-type', max_age: 600 },
  hosts: hostPolicy([]),
  allowedDynamicUris: [],
  viaName: 'node',
}

export const compilePorts = { callTimeout: 30_000 }

/** Compiles the document, finds the path of the request, and rehearses it on that path alone, with a recorder. */
export async function rehearse(
  document: JsonMap,
  asked: Partial<Rehearsed> & Pick<Rehearsed, 'request'>,
  settings: Partial<RehearsalPorts> = {},
): Promise<Rehearsal> {
  const { api, issues } = compileDocument(document, compilePorts)
  if (!api) throw new TypeError(JSON.stringify(issues))
  const rehearsed = { schemes: nobody, id: 'an-id', now: 0, seed: 'seed', ...asked }
  const all = { ...ports, ...settings }
  const { table } = RoutingTable.build(api.entries)
  const whole = await new Rehearser(table, all).run(rehearsed)
  if (!whole.match) return whole
  const watched = watchPath(document, whole.match.entry.path, compilePorts)
  if (!watched) return whole
  return await new Rehearser(watched.table, all, watched.recorder).run(rehearsed)
}
