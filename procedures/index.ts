/** The table of management procedures, and their WAMP face. */
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { type InvocationHandler, type Session, WampError } from '#component/wamp/session.ts'
import { deleteApiSpec } from './delete-api-spec.ts'
import { getApiSpec } from './get-api-spec.ts'
import { getApiSpecInfo } from './get-api-spec-info.ts'
import { getRealm } from './get-realm.ts'
import { listApiSpecVersions } from './list-api-spec-versions.ts'
import { listApiSpecs } from './list-api-specs.ts'
import { listRealms } from './list-realms.ts'
import { loadApiSpec } from './load-api-spec.ts'
import { loadRealm } from './load-realm.ts'
import { argumentsOfCall, type Management, type Procedure, perform } from './procedure.ts'
import { registryStatus } from './registry-status.ts'
import { rollbackApiSpec } from './rollback-api-spec.ts'
import { validateApiSpec } from './validate-api-spec.ts'

/** Every management procedure. */
export const procedures: readonly Procedure[] = [
  loadApiSpec,
  validateApiSpec,
  getApiSpec,
  getApiSpecInfo,
  listApiSpecs,
  deleteApiSpec,
  listApiSpecVersions,
  rollbackApiSpec,
  loadRealm,
  getRealm,
  listRealms,
  registryStatus,
]

/** The ERROR of a failed procedure: args `[message]`, kwargs the same body as over HTTP (architecture: Errors). */
function errorOf(cause: unknown, uri: string, log: Pick<Log, 'error'>): WampError {
  if (cause instanceof ServiceError) {
    return new WampError(
      cause.uri,
      { args: [cause.message], kwargs: { ...cause.toJSON() } },
      { cause },
    )
  }
  log.error({ err: cause, procedure: uri }, 'a procedure failed')
  const hidden = new ServiceError('service.error.internal', 'the procedure failed')
  return new WampError(
    hidden.uri,
    { args: [hidden.message], kwargs: { ...hidden.toJSON() } },
    { cause },
  )
}

/** Who called, as far as the router says so. */
const callerOf = (details: Readonly<Record<string, unknown>>): string =>
  typeof details.caller_authid === 'string'
    ? `authid ${details.caller_authid}`
    : `session ${typeof details.caller === 'number' ? details.caller : 'unknown'}`

const endpoint =
  (procedure: Procedure, management: Management, log: Pick<Log, 'error'>): InvocationHandler =>
  async ({ args, kwargs }, { details }) => {
    try {
      const values = argumentsOfCall(procedure, args, kwargs)
      const { value } = await perform(procedure, management, values, { by: callerOf(details) })
      return { args: [value], kwargs: {} }
    } catch (cause) {
      throw errorOf(cause, procedure.uri, log)
    }
  }

/** Registers every procedure; nodes share them in turn. */
export async function registerAll(
  session: Pick<Session, 'register'>,
  management: Management,
  log: Pick<Log, 'error'>,
): Promise<void> {
  await Promise.all(
    procedures.map((procedure) =>
      session.register(procedure.uri, endpoint(procedure, management, log), {
        invoke: 'roundrobin',
      }),
    ),
  )
}
