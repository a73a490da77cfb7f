/** The table of management procedures, and their WAMP face. */
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { type InvocationHandler, type Session, WampError } from '#component/wamp/session.ts'
import { argumentsOfCall } from '#procedures/definition/arguments.ts'
import {
  type Caller,
  type Management,
  type Procedure,
  pathsOf,
  perform,
} from '#procedures/definition/procedure.ts'
import { deliveryProcedures } from './deliveries.ts'
import { explainProcedures } from './explain.ts'
import { nodeProcedures } from './node.ts'
import { realmPartProcedures } from './realm-parts.ts'
import { realmProcedures } from './realms.ts'
import { requestProcedures } from './requests.ts'
import { specProcedures } from './specs.ts'
import { ticketProcedures } from './tickets.ts'
import { traceProcedures } from './traces.ts'
import { upstreamProcedures } from './upstreams.ts'
import { userProcedures } from './users.ts'

/** Every management procedure. */
export const procedures: readonly Procedure[] = [
  ...specProcedures,
  ...realmProcedures,
  ...realmPartProcedures,
  ...upstreamProcedures,
  ...deliveryProcedures,
  ...userProcedures,
  ...ticketProcedures,
  ...nodeProcedures,
  ...explainProcedures,
  ...traceProcedures,
  ...requestProcedures,
]

/** Every path pattern of management over HTTP. */
export const managementPaths: readonly string[] = procedures.flatMap(pathsOf)

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

/** The access of a caller with these roles; the router has already let the caller call. */
const accessOf = (roles: readonly unknown[], procedure: Procedure): Caller['access'] => {
  if (roles.includes('spec_loader')) return 'load'
  if (roles.includes('spec_reader')) return 'read'
  return procedure.access !== 'self' ? 'load' : undefined
}

const isText = (value: unknown) => typeof value === 'string'

/**
 * The caller as disclosed by the router, which decides whether it may call.
 * @param realm_uri where the procedure is registered; on any realm but the component's, callers manage only that realm
 */
function callerOf(
  details: Readonly<Record<string, unknown>>,
  procedure: Procedure,
  realm_uri: string,
  { componentRealm }: Pick<Management, 'componentRealm'>,
): Caller {
  const { caller, caller_authid, caller_authrole, _caller_authroles: seen } = details
  const access = accessOf(Array.isArray(seen) ? seen : [caller_authrole], procedure)
  const within = realm_uri === componentRealm ? {} : { within: realm_uri }
  if (typeof caller_authid !== 'string') {
    return { by: `session ${typeof caller === 'number' ? caller : 'unknown'}`, access, ...within }
  }
  const by = `${caller_authid}@${realm_uri}`
  const roles = Array.isArray(seen) ? { roles: seen.filter(isText) } : {}
  return { by, access, ...within, user: { realm_uri, authid: caller_authid, ...roles } }
}

/**
 * Performs a procedure for the process that embeds the gateway, with all rights.
 * @throws ServiceError as a caller over HTTP would get it; `wamp.error.no_such_procedure`
 */
export async function performForHost(
  uri: string,
  args: readonly unknown[],
  management: Management,
): Promise<unknown> {
  const procedure = procedures.find((one) => one.uri === uri)
  if (!procedure)
    throw new ServiceError('wamp.error.no_such_procedure', 'there is no such procedure')
  const caller = { by: 'the host process', access: 'load' } as const
  const values = argumentsOfCall(procedure, args, {})
  return (await perform(procedure, management, values, caller)).value
}

const endpoint =
  (
    procedure: Procedure,
    realm_uri: string,
    management: Management,
    log: Pick<Log, 'error'>,
  ): InvocationHandler =>
  async ({ args, kwargs }, { details }) => {
    try {
      const values = argumentsOfCall(procedure, args, kwargs)
      const caller = callerOf(details, procedure, realm_uri, management)
      const { value } = await perform(procedure, management, values, caller)
      return { args: [value], kwargs: {} }
    } catch (cause) {
      throw errorOf(cause, procedure.uri, log)
    }
  }

/** Registers procedures; calls go to the nodes in turn. */
async function registerEach(
  some: readonly Procedure[],
  session: Pick<Session, 'register' | 'realm_uri'>,
  management: Management,
  log: Pick<Log, 'error'>,
): Promise<void> {
  await Promise.all(
    some.map((procedure) =>
      session.register(procedure.uri, endpoint(procedure, session.realm_uri, management, log), {
        invoke: 'roundrobin',
      }),
    ),
  )
}

/** Registers every procedure on the component's realm. @throws WampError for a refusal by the router */
export const registerAll = (
  session: Pick<Session, 'register' | 'realm_uri'>,
  management: Management,
  log: Pick<Log, 'error'>,
): Promise<void> => registerEach(procedures, session, management, log)

/** Registers the procedures that users call for themselves, on their own realm. @throws WampError for a refusal by the router */
export const registerTickets = (
  session: Pick<Session, 'register' | 'realm_uri'>,
  management: Management,
  log: Pick<Log, 'error'>,
): Promise<void> => registerEach(ticketProcedures, session, management, log)
