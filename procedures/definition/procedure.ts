/** The definition of a management procedure, from which its WAMP face and its HTTP mirrors are made. */
import type { Clock } from '#component/clock.ts'
import type { ListedEndpoint } from '#component/delivery/endpoints/endpoint-desk.ts'
import type { Delivery, DeliveryRef, Outbox } from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import type { Examples } from '#component/examples/examples.ts'
import type { UserName } from '#component/identity.ts'
import type { Descriptions } from '#component/openapi/descriptions.ts'
import type { Logins } from '#component/realm/logins.ts'
import type { Realms } from '#component/realm/realms.ts'
import type { Registry } from '#component/registry/registry.ts'
import type { Conditions } from '#component/replica/history.ts'
import type { ApiKeys } from '#component/token/api-key.ts'
import type { RealmKeys } from '#component/token/keys.ts'
import type { Revocations } from '#component/token/revocation.ts'
import type { Tickets } from '#component/token/ticket.ts'
import { checkRealm, checkWhole, type Rights } from './within.ts'

/** Dependencies of the procedures. */
export interface Management {
  readonly registry: Pick<
    Registry,
    | 'load'
    | 'entriesOf'
    | 'tryOut'
    | 'get'
    | 'info'
    | 'list'
    | 'remove'
    | 'history'
    | 'rollback'
    | 'versions'
  >
  readonly examples: Pick<Examples, 'test' | 'judge'>
  readonly descriptions: Pick<Descriptions, 'describe' | 'write'>
  readonly realms: Pick<
    Realms,
    | 'load'
    | 'edit'
    | 'rollback'
    | 'get'
    | 'hashOf'
    | 'list'
    | 'remove'
    | 'changePassword'
    | 'history'
    | 'realm'
  >
  readonly logins: Pick<Logins, 'user'>
  readonly keys: Pick<RealmKeys, 'rotate'>
  readonly apiKeys: Pick<ApiKeys, 'issue' | 'list' | 'revoke' | 'owner'>
  readonly tickets: Pick<Tickets, 'issue' | 'verify'>
  readonly revocations: Pick<Revocations, 'revokeToken' | 'revokeUsers'>
  readonly clock: Pick<Clock, 'now'>
  /** Deletes everything that belongs to a realm besides its document. */
  forgetRealm(uri: string): Promise<void>
  /**
   * Frees the name of a user of an identity provider, and revokes everything issued to the user.
   * @throws ServiceError `service.error.not_found` when no login has bound the name
   */
  forgetAccount(user: UserName): Promise<void>
  /**
   * Revokes the tickets of all logins of a person at an identity provider until now.
   * @throws ServiceError `service.error.not_found` where the realm has no such provider
   */
  endSubject(realm_uri: string, provider: string, sub: string): Promise<void>
  /** Revokes everything issued to the users until now: tokens, tickets and API keys; and ends their sessions. */
  endUsers(users: readonly UserName[]): void | Promise<void>
  /** The realm where the procedures are registered: `wamp.realm`. */
  readonly componentRealm: string
  /** The `iss` of tickets: the URL of this gateway. */
  issuer(): string
  /** The paths that a document adds to those that it declares, with the redirect URIs of its logins; JSON. */
  added(entries: ReturnType<Registry['entriesOf']>): readonly unknown[]
  /** The reason to refuse changes now, such as lost contact with the other nodes; undefined when changes are allowed. */
  refusal(): ServiceError | undefined
  /** Passes a change on; resolves when the other processes of this gateway have it, except those that do not answer. */
  broadcast?(): Promise<void>
  /** Absent: `explain.traces` is false. */
  readonly traces?: {
    /**
     * Makes a trace token.
     * @throws ServiceError `wamp.error.invalid_argument` for a route that the document does not have
     */
    issue(
      grant: { readonly api_spec: string; readonly route?: string; readonly authid?: string },
      seconds: number,
    ): Promise<object>
    /**
     * A trace of any node; undefined when it is gone, or its node is.
     * @returns the realm of its document, and the trace as JSON text
     */
    find(id: string): Promise<{ readonly realm_uri: string; readonly text: string } | undefined>
    /** What all nodes keep of a document, the newest first, and who has not answered; JSON. */
    list(api_spec: string): Promise<object>
  }
  /**
   * Drops kept answers on all nodes.
   * @param tags undefined: all of the document
   * @throws WampError where the others cannot be told
   */
  purgeCache(id: string, tags: readonly string[] | undefined): Promise<void>
  /**
   * What has been used of the quotas of a document; JSON.
   * @param key one who shares them; undefined: those who have used most
   * @throws ServiceError `service.error.unavailable`
   */
  quotaUsage(versions: ReturnType<Registry['versions']>, key: string | undefined): Promise<unknown>
  /** The state of this node and of its peers; JSON. */
  status(): unknown
  /**
   * Explains a request; nothing is performed.
   * @param asked `{request, as, outcome, api_spec}`
   * @throws ServiceError `wamp.error.invalid_argument` and whatever a load of `api_spec` throws
   */
  explain(asked: unknown, caller: Pick<Caller, 'by' | 'within'>): Promise<unknown>
  /**
   * Explains what deliveries would make of an event; nothing is sent.
   * @param api_spec a document that is not loaded; undefined: none
   * @throws ServiceError `wamp.error.invalid_argument` and whatever a load of `api_spec` throws
   */
  explainEvent(
    event: unknown,
    api_spec: Readonly<Record<string, unknown>> | undefined,
    caller: Pick<Caller, 'by' | 'within'>,
  ): Promise<unknown>
  /**
   * Has all nodes publish the requests of routes for some seconds.
   * @param filter texts by the keys of `filterKeys`, and `realm_uri`
   */
  watchRequests(seconds: number, filter: object): Promise<void>
  /** How often each route of a document, or of all, was asked for at all nodes, and when last; JSON. */
  routeUse(
    api_spec: string | undefined,
  ): Promise<{ readonly routes: readonly Readonly<Record<string, unknown>>[] }>
  /** The procedures of a document, with the state of their registrations at all nodes; JSON. */
  procedures(api_spec: string): Promise<unknown>
  /** The WAMP sessions of a realm; JSON. @throws ServiceError `service.error.unavailable` */
  wampSessions(realm_uri: string): Promise<unknown>
  /** When the API keys of a realm were used last, by their ids, as far as the nodes know. Seconds since the epoch, of whole minutes. */
  keyUses(realm_uri: string): Promise<ReadonlyMap<string, number>>
  /**
   * The tickets of a realm that have come to the nodes; JSON.
   * @param authid absent: of all users
   */
  seenTickets(realm_uri: string, authid: string | undefined): Promise<unknown>
  /** The upstreams of a realm, with the state of their targets at all nodes; JSON. */
  upstreams(realm_uri: string): Promise<unknown>
  /** What documents send for events. */
  readonly deliveries: {
    /** All that documents declare now. */
    readonly all: readonly Delivery[]
    /** @throws ServiceError `service.error.unavailable` where there is none now */
    readonly outbox: Omit<Outbox, 'use' | 'accept'>
  }
  /** The endpoints that users have added to deliveries. */
  readonly endpoints: {
    all(ref: DeliveryRef): Promise<readonly ListedEndpoint[]>
    /** @throws ServiceError `service.error.not_found` */
    removeAny(ref: DeliveryRef, id: string): Promise<void>
  }
  /** Sets the level of the log in all processes of this gateway; the node, the level and the former one as JSON. */
  setLogLevel(level: string, by: string): unknown
}

/** The user that the credentials of a caller belong to. */
export interface CallingUser {
  readonly realm_uri: string
  readonly authid: string
  /** The roles of the credentials; absent: all roles of the user. */
  readonly roles?: readonly string[]
  /** When the credentials expire, and everything issued for them with them. Seconds since the epoch. */
  readonly expires_at?: number
}

/** The caller of a procedure, and the conditions of the call. */
export interface Caller extends Rights {
  /** For the log. */
  readonly by: string
  /** The user of the credentials, or the one that the router discloses. */
  readonly user?: CallingUser
  /** The conditions of a change; over HTTP only. */
  readonly conditions?: Conditions
}

/** The type of a parameter; the content of a document is checked by its own validation, that of an object by the handler; `texts` is a list of them. */
type ParameterType = 'string' | 'integer' | 'document' | 'object' | 'texts'

interface Parameter {
  readonly name: string
  readonly type: ParameterType
  /** The parameter may be left out, and is undefined then. All parameters after it are optional, too. */
  readonly isOptional?: true
  /** Over HTTP the query has it, whatever the path; a text. */
  readonly inQuery?: true
}

/** Parameters that are strings. */
export const texts = (...names: readonly string[]): readonly Parameter[] =>
  names.map((name) => ({ name, type: 'string' }))

/** A REST path of the procedure; its bindings are the parameters of the same name, the body has the others. */
export interface Mirror {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/api_specs/:id` */
  readonly path: string
  /** The parameter that the body is; bindings that are no parameters are members of it. Absent: the body has parameters by name. */
  readonly body?: string
  /** The status instead of the answer's; 204 sends no body. */
  readonly status?: 204
}

/** A value in a media type. */
interface AnswerForm {
  readonly type: string
  write(): Promise<Uint8Array>
}

/** The result of a procedure. */
export interface Answer {
  /** args[0] of the WAMP result; the body over HTTP. */
  readonly value: unknown
  /** The HTTP status; 200 when absent. */
  readonly status?: 201
  /** HTTP header fields, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** How the value is written over HTTP, by preference; `Accept` chooses. Absent: JSON. */
  readonly forms?: readonly AnswerForm[]
}

/** One management procedure (behaviour: Management). */
export interface Procedure {
  /** `service.<name>`; over HTTP it is `POST /services/<name>`. */
  readonly uri: `service.${string}`
  readonly parameters: readonly Parameter[]
  /** The access that a caller needs; with `self` every user may call, for itself. */
  readonly access: 'load' | 'read' | 'self'
  /**
   * Which operators may call: with `realm` only those of the realm that the first parameter names, with `all` only those of
   * all realms. Absent: the handler decides.
   */
  readonly scope?: 'realm' | 'all'
  /** The procedure changes no document, so it is served while changes are refused. */
  readonly keepsDocuments?: true
  /** Over HTTP the body is the one parameter itself, not an object of named ones. */
  readonly isBodyDocument?: true
  readonly mirrors: readonly Mirror[]
  /**
   * Does the work; called by {@link perform} only.
   * @param args as many as there are parameters, of their types
   * @throws ServiceError
   */
  handler(
    management: Management,
    args: readonly unknown[],
    caller: Caller,
  ): Answer | Promise<Answer>
}

/** The path of a procedure over HTTP beside its mirrors; a dot of the URI is a slash of the path. */
export const servicePath = ({ uri }: Pick<Procedure, 'uri'>): string =>
  `/services/${uri.slice('service.'.length).replaceAll('.', '/')}`

/** Every path pattern that a procedure has over HTTP. */
export const pathsOf = (procedure: Pick<Procedure, 'uri' | 'mirrors'>): readonly string[] => [
  servicePath(procedure),
  ...procedure.mirrors.map(({ path }) => path),
]

/** The path of one member of a collection; the name is escaped as one segment. */
export const pathOf = (collection: 'api_specs' | 'realms' | 'api_keys', name: string): string =>
  `/${collection}/${encodeURIComponent(name)}`

/** The refusal of a caller with these rights; undefined when they suffice. */
export function accessRefusal(
  { access }: Pick<Procedure, 'access'>,
  rights: Rights,
): ServiceError | undefined {
  const isAllowed = access === 'self' || rights.access === 'load' || rights.access === access
  if (isAllowed) return undefined
  const roles = access === 'load' ? 'spec_loader' : 'spec_loader or spec_reader'
  return new ServiceError('wamp.error.not_authorized', `this requires the role ${roles}`)
}

/** Runs a procedure. @throws ServiceError when the caller may not run it, or changes are refused now */
export async function perform(
  procedure: Procedure,
  management: Management,
  args: readonly unknown[],
  caller: Caller,
): Promise<Answer> {
  const isChange = procedure.access !== 'read' && !procedure.keepsDocuments
  const refusal = accessRefusal(procedure, caller) ?? (isChange ? management.refusal() : undefined)
  if (refusal) throw refusal
  if (procedure.scope === 'realm') checkRealm(String(args[0]), caller)
  if (procedure.scope === 'all') checkWhole(caller)
  const answer = await procedure.handler(management, args, caller)
  if (isChange) await management.broadcast?.()
  return answer
}
