/** The parts of a process that their rooms make: what each gets of the others. */

import { SharedSchemas } from '#component/compile/schemas/shared-schemas.ts'
import { compileSettings } from '#component/compile/settings.ts'
import { Examples } from '#component/examples/examples.ts'
import type { PolicySharing } from '#component/policies/serve.ts'
import { LiveConsole } from './console/live-console.ts'
import { type Documents, openDocuments } from './documents/open-documents.ts'
import { rehearsalPorts } from './explain/rehearsal-ports.ts'
import { openLoginQuestions } from './logins/login-questions.ts'
import { ProcedureLists } from './procedures/procedure-lists.ts'
import type { Needs } from './process-parts.ts'
import type { Address } from './serving.ts'
import { Tracing } from './tracing/tracing.ts'
import { UpstreamLists } from './upstream-lists.ts'

export const openAddress = ({ config }: Needs<'config'>): Address => ({
  base: config.gateway.public_base_url?.replace(/\/$/, '') ?? '',
})

export const openSchemas = ({ context }: Needs<'context'>): SharedSchemas =>
  new SharedSchemas(context)

export function openExamples({ context, schemas }: Needs<'context' | 'schemas'>): Examples {
  const { config, clock, node, yieldTurn } = context
  return new Examples({
    compile: {
      ...compileSettings(config),
      schemas: { validators: schemas.validators },
    },
    rehearsal: rehearsalPorts(config, node),
    ...{ clock, yieldTurn },
  })
}

/** The documents of the store are served when it resolves. */
export async function startDocuments(
  parts: Needs<
    'context' | 'own' | 'pool' | 'registrar' | 'router' | 'schemas' | 'serving' | 'sync'
  >,
): Promise<Documents> {
  const { context, own, pool, registrar, router, schemas, serving, sync } = parts
  const sessions = { own, pool, registrar }
  const documents = openDocuments(context, router, sessions, serving, schemas, sync)
  await documents.registry.start()
  return documents
}

export const openSharing = ({
  context: { clock },
  own: session,
  serving,
  sync,
}: Needs<'context' | 'own' | 'serving' | 'sync'>): PolicySharing =>
  serving.policies.share({ sync, session, clock })

export const openConsole = ({
  context,
  ...parts
}: Needs<'context' | 'own' | 'registry' | 'sync'>): LiveConsole => new LiveConsole(context, parts)

export const openLoginLists = ({ context, serving, sync }: Needs<'context' | 'serving' | 'sync'>) =>
  openLoginQuestions(context, serving.authentication.keptLogins, sync)

/** The lists of upstreams, which nodes ask each other for. */
export const openUpstreamLists = ({
  context: { node },
  serving,
  sync,
}: Needs<'context' | 'serving' | 'sync'>) => new UpstreamLists(serving.upstreams.table, node, sync)

export const openProcedureLists = ({
  context: { node },
  registrar,
  sync,
}: Needs<'context' | 'registrar' | 'sync'>) => new ProcedureLists(registrar, node, sync)

export function startTracing({
  context,
  ...parts
}: Needs<'context' | 'registry' | 'schemas' | 'serving' | 'sync'>): Tracing {
  const tracing = new Tracing(context, parts)
  tracing.start()
  return tracing
}
