/** Explains requests to documents, with the settings of a gateway that has none, and one user. */
import { hostPolicy } from '#component/action/connections/origin.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { Explainer, type ExplainerPorts } from '#component/explain/explanation/explainer.ts'
import type { Explanation } from '#component/explain/explanation/explanation.ts'
import { nobody } from '#component/explain/stand-ins.ts'
import type { Route } from '#component/gateway/api.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { TrustedProxies } from '#http/peer.ts'
import { rehearsedHttp } from '#http/rehearsal/rehearsed-http.ts'

const compile = { callTimeout: 30_000 }

const compiled = (document: JsonMap) => {
  const { api, issues } = compileDocument(document, compile)
  if (!api || issues.length > 0) throw new TypeError(JSON.stringify(issues))
  return api
}

const tableOf = (documents: readonly JsonMap[]) =>
  RoutingTable.build<Route>(documents.flatMap((document) => compiled(document).entries)).table

/** The lines of the log. */
export const logged: unknown[][] = []

const portsOf = (documents: readonly JsonMap[]): ExplainerPorts => ({
  compile,
  documents: {
    table: () => tableOf(documents),
    documents: () => documents,
    conflicts: () => [],
    served: async (id) => documents.find((document) => document.id === id),
    async tryOut(document) {
      const { id } = compiled(document as JsonMap)
      const all = [document as JsonMap, ...documents.filter((one) => one.id !== id)]
      return { id, document: document as JsonMap, warnings: [], table: tableOf(all) }
    },
  },
  rehearsal: {
    http: rehearsedHttp(new TrustedProxies([])),
    codec: { decode: decodeBody, encode: encodeBody },
    cors: { allow_origin: '*', allow_methods: 'GET', allow_headers: 'content-type', max_age: 600 },
    hosts: hostPolicy([]),
    allowedDynamicUris: [],
    viaName: 'node',
    tellsLimits: true,
  },
  schemes: nobody,
  userOf: (_realm, { authid }) =>
    authid === 'ada'
      ? { user: { username: 'ada', groups: ['staff'], meta: {} }, roles: ['staff', 'admin'] }
      : undefined,
  callees: async () => 1,
  secretNames: ['iban'],
  clock: { now: () => 0 },
  log: { info: (...line: unknown[]) => void logged.push(line) },
})

/** The explanation of a request. @param within the only realm whose documents may be seen */
export const explained = (
  asked: JsonMap,
  documents: readonly JsonMap[],
  within?: string,
  changes: Partial<ExplainerPorts> = {},
): Promise<Explanation> =>
  new Explainer({ ...portsOf(documents), ...changes }).explain(asked, {
    by: 'a test',
    ...(within !== undefined && { within }),
  })
