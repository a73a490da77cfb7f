/** The table of management procedures, and their WAMP face. */
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { type InvocationHandler, type Session, WampError } from '#component/wamp/session.ts'
import { argumentsOfCall } from './arguments.ts'
import { changePassword } from './change-password.ts'
import { deleteApiSpec } from './delete-api-spec.ts'
import { deleteRealm } from './delete-realm.ts'
import { getApiSpec } from './get-api-spec.ts'
import { getApiSpecInfo } from './get-api-spec-info.ts'
import { getRealm } from './get-realm.ts'
import { issueApiKey } from './issue-api-key.ts'
import { issueTicket } from './issue-ticket.ts'
import { listApiSpecVersions } from './list-api-spec-versions.ts'
import { listApiSpecs } from './list-api-specs.ts'
import { listRealms } from './list-realms.ts'
import { loadApiSpec } from './load-api-spec.ts'
import { loadRealm } from './load-realm.ts'
import { type Asking, type Management, type Procedure, perform } from './procedure.ts'
import { registryStatus } from './registry-status.ts'
import { revokeAll } from './revoke-all.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { revokeTicket } from './revoke-ticket.ts'
import { rollbackApiSpec } from './rollback-api-spec.ts'
import { rotateRealmKeys } from './rotate-realm-keys.ts'
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
  deleteRealm,
  changePassword,
  issueApiKey,
  revokeApiKey,
  revokeAll,
  rotateRealmKeys,
  issueTicket,
  revokeTicket,
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

/** What a caller with a role may do where the router lets everybody call who may: a reader reads. */
const accessOf = (authrole: unknown, procedure: Procedure): Asking['access'] => {
  if (authrole === 'spec_reader') return 'read'
  return authrole === 'spec_loader' || procedure.access !== 'self' ? 'load' : undefined
}

/** Who called, as far as the router says so; that the caller may call is the router's to decide. */
function askingOf(
  { caller, caller_authid, caller_authrole }: Readonly<Record<string, unknown>>,
  procedure: Procedure,
  realm_uri: string,
): Asking {
  const access = accessOf(caller_authrole, procedure)
  if (typeof caller_authid !== 'string') {
    return { by: `session ${typeof caller === 'number' ? caller : 'unknown'}`, access }
  }
  const by = `${caller_authid}@${realm_uri}`
  return { by, access, caller: { realm_uri, authid: caller_authid } }
}

const endpoint =
  (procedure: Procedure, management: Management, log: Pick<Log, 'error'>): InvocationHandler =>
  async ({ args, kwargs }, { details }) => {
    try {
      const values = argumentsOfCall(procedure, args, kwargs)
      const asking = askingOf(details, procedure, management.componentRealm)
      const { value } = await perform(procedure, management, values, asking)
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
