/** Explains a request by one document, without a gateway: every user exists, and has the roles that are named. */

import type { Invocation } from '#component/cli/command.ts'
import { readEnvironment } from '#component/cli/validate.ts'
import { systemClock } from '#component/clock.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { compileSettings } from '#component/compile/settings.ts'
import { InvalidSpecError } from '#component/errors.ts'
import { Explainer } from '#component/explain/explanation/explainer.ts'
import type { Explanation } from '#component/explain/explanation/explanation.ts'
import { nobody } from '#component/explain/stand-ins.ts'
import type { Route } from '#component/gateway/api.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { Validators } from '#component/schema/validators.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { explanationPorts } from '#component/wiring/explain/rehearsal-ports.ts'

/**
 * Explains a request.
 * @throws InvalidSpecError for a document that does not load, or a wrong question
 */
export async function explainAlone(
  asked: JsonMap,
  document: unknown,
  environment: Invocation['environment'],
): Promise<Explanation> {
  const config = readEnvironment(environment)
  const compile = {
    ...compileSettings(config),
    schemas: { validators: new Validators() },
  }
  const { api, issues } = compileDocument(document, compile)
  const { table, clashes } = RoutingTable.build<Route>(api?.entries ?? [])
  const taken = clashes.map(({ path, otherPath }) => ({
    path,
    message: `the route matches the same requests as ${otherPath}`,
  }))
  if (!api || issues.length + taken.length > 0) throw new InvalidSpecError([...issues, ...taken])
  const documents = [document as JsonMap] // what compiles is a map
  const explainer = new Explainer({
    compile,
    documents: {
      table: () => table,
      documents: () => documents,
      conflicts: () => [],
      served: async () => documents[0],
      tryOut: () => Promise.reject(new TypeError('the document is there already')),
    },
    rehearsal: explanationPorts(config, 'wamp-gateway'),
    schemes: nobody,
    userOf: (_realm, { authid, authroles = [] }) => ({
      user: { username: authid, groups: authroles, meta: {} },
      roles: authroles,
    }),
    callees: async () => null,
    secretNames: config.explain.redact,
    clock: systemClock,
    log: { info: () => undefined },
  })
  return explainer.explain(asked, { by: 'the command line' })
}
