/** WAMP messages: their codes (WAMP: Message Codes), their fields, and what of them a client library is shown. */
import type { Clock } from '#component/clock.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { WampMessage } from './link.ts'

/** Message codes (WAMP: Message Codes and Direction). */
export const code = {
  hello: 1,
  welcome: 2,
  abort: 3,
  challenge: 4,
  authenticate: 5,
  goodbye: 6,
  error: 8,
  publish: 16,
  published: 17,
  subscribe: 32,
  subscribed: 33,
  unsubscribe: 34,
  unsubscribed: 35,
  event: 36,
  call: 48,
  cancel: 49,
  result: 50,
  register: 64,
  registered: 65,
  unregister: 66,
  unregistered: 67,
  invocation: 68,
  interrupt: 69,
  yield: 70,
} as const

/** A random id of the global scope (WAMP: IDs), from 1 to 2^53 − 1: every serializer carries it exactly. */
export const randomId = (clock: Pick<Clock, 'random'>): number =>
  Math.floor(clock.random() * (Number.MAX_SAFE_INTEGER - 1)) + 1

/** A field that should be a map; an empty one where the peer left it out. */
export const asMap = (field: unknown): JsonMap => (isMap(field) ? field : {})

/** HELLO as of a callee that takes INTERRUPT and yields progressive results: no client library announces both. */
export function completeHello([type, realm, field, ...more]: WampMessage): WampMessage {
  const details = asMap(field)
  const roles = asMap(details.roles)
  const callee = asMap(roles.callee)
  const features = {
    ...asMap(callee.features),
    ...{ call_canceling: true, progressive_call_results: true, registration_revocation: true },
  }
  return [
    type,
    realm,
    { ...details, roles: { ...roles, callee: { ...callee, features } } },
    ...more,
  ]
}

/** HELLO as of a caller that sends calls in pieces (WAMP: Progressive Call Invocations), which no client library announces. */
export function announcingPieces(message: WampMessage): WampMessage {
  if (message[0] !== code.hello) return message
  const [type, realm, field, ...more] = message
  const details = asMap(field)
  const roles = asMap(details.roles)
  const caller = asMap(roles.caller)
  const features = { ...asMap(caller.features), progressive_call_invocations: true }
  return [
    type,
    realm,
    { ...details, roles: { ...roles, caller: { ...caller, features } } },
    ...more,
  ]
}

/** Whether WELCOME announces that the router takes calls in pieces. */
export const takesPieces = (details: JsonMap): boolean =>
  asMap(asMap(asMap(details.roles).dealer).features).progressive_call_invocations === true

/** A field that should be a list; an empty one where the peer left it out. */
export const asList = (field: unknown): readonly unknown[] => (Array.isArray(field) ? field : [])

/** The ERROR that removes an abandoned request from the client's own table. */
export const emptyError = (type: number, id: unknown): WampMessage => [
  code.error,
  type,
  id,
  {},
  'wamp.error.canceled',
]

/** The request that each message answers; ERROR answers all of them. */
export const answers: Readonly<Record<number, number>> = {
  [code.result]: code.call,
  [code.published]: code.publish,
  [code.registered]: code.register,
  [code.subscribed]: code.subscribe,
}

/** Whether a message answers a request; the client receives it only while the request is in flight. */
export const isAnswer = (type: unknown): boolean =>
  type === code.error || answers[Number(type)] !== undefined

/** An INVOCATION as client libraries read it: autobahn fails over `null` for details or arguments. */
export const fullInvocation = (message: WampMessage): WampMessage => {
  const [type, request, registration, details, args, kwargs] = message
  return [type, request, registration, asMap(details), asList(args), asMap(kwargs)]
}

/** Payload passthru is not ours, and makes wampy fail where no handler could catch it. */
export function withoutPassthru(message: WampMessage): WampMessage {
  const details = asMap(message[3])
  if (!('ppt_scheme' in details)) return message
  const { ppt_scheme: _, ...rest } = details
  return [...message.slice(0, 3), rest, ...message.slice(4)]
}
