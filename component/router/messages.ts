/** The shapes of the WAMP messages that a client may send. */

import { isMap } from '#component/syntax/values.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code } from '#component/wamp/messages.ts'

/** The options or details of a message. */
export type Options = Readonly<Record<string, unknown>>

/** A client's message without a violation ({@link describeViolation}). */
export type CallMessage = readonly [48, number, Options, string, unknown[]?, Options?]
export type CancelMessage = readonly [49, number, Options]
export type RegisterMessage = readonly [64, number, Options, string]
export type UnregisterMessage = readonly [66, number, number]
export type YieldMessage = readonly [70, number, Options, unknown[]?, Options?]
export type ErrorMessage = readonly [8, 68, number, Options, string, unknown[]?, Options?]
export type PublishMessage = readonly [16, number, Options, string, unknown[]?, Options?]
export type SubscribeMessage = readonly [32, number, Options, string]
export type UnsubscribeMessage = readonly [34, number, number]

/** A client's message in a joined session. */
export type ClientMessage =
  | CallMessage
  | CancelMessage
  | RegisterMessage
  | UnregisterMessage
  | YieldMessage
  | ErrorMessage
  | PublishMessage
  | SubscribeMessage
  | UnsubscribeMessage

/** A violation of the protocol by a peer: its session is aborted, and no other session is affected. */
export class ProtocolViolation extends Error {}

type Kind = 'id' | 'list' | 'map' | 'text' | 'invocation'

interface Shape {
  readonly name: string
  readonly kinds: readonly Kind[]
  /** The number of required fields after the code. */
  readonly required: number
}

const shape = (name: string, required: readonly Kind[], optional: readonly Kind[] = []): Shape => ({
  name,
  kinds: [...required, ...optional],
  required: required.length,
})

const payload = ['list', 'map'] as const

/** By code; a client may not send messages that are not listed here. */
const shapes: readonly (Shape | undefined)[] = Object.assign(new Array<Shape | undefined>(71), {
  [code.hello]: shape('HELLO', ['text', 'map']),
  [code.abort]: shape('ABORT', ['map', 'text'], payload),
  [code.authenticate]: shape('AUTHENTICATE', ['text', 'map']),
  [code.goodbye]: shape('GOODBYE', ['map', 'text']),
  [code.error]: shape('ERROR', ['invocation', 'id', 'map', 'text'], payload),
  [code.publish]: shape('PUBLISH', ['id', 'map', 'text'], payload),
  [code.subscribe]: shape('SUBSCRIBE', ['id', 'map', 'text']),
  [code.unsubscribe]: shape('UNSUBSCRIBE', ['id', 'id']),
  [code.call]: shape('CALL', ['id', 'map', 'text'], payload),
  [code.cancel]: shape('CANCEL', ['id', 'map']),
  [code.register]: shape('REGISTER', ['id', 'map', 'text']),
  [code.unregister]: shape('UNREGISTER', ['id', 'id']),
  [code.yield]: shape('YIELD', ['id', 'map'], payload),
})

/** WAMP: IDs. From 1 to 2^53. */
export const isId = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 2 ** 53

function isKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'id':
      return isId(value)
    case 'list':
      return value === null || Array.isArray(value)
    case 'map':
      return value === null || isMap(value)
    case 'text':
      return typeof value === 'string'
    case 'invocation':
      return value === code.invocation
  }
}

/** Describes the violation in the shape of a client's message, its payload aside; undefined when the shape is valid. */
export function describeViolation(message: unknown): string | undefined {
  if (!Array.isArray(message)) return 'expected a list as message'
  const found = typeof message[0] === 'number' ? shapes[message[0]] : undefined
  if (found === undefined) return 'expected a message that a client may send'
  const count = message.length - 1
  if (count < found.required || count > found.kinds.length) {
    return `${found.name}: found ${count} fields, expected ${found.required} to ${found.kinds.length}`
  }
  return misfit(found, message, 0, found.required)
}

/** The first field between two that is not of its kind. */
function misfit(
  { name, kinds }: Shape,
  message: readonly unknown[],
  from: number,
  to: number,
): string | undefined {
  for (let index = from; index < to; index++) {
    const kind = kinds[index]
    if (kind !== undefined && !isKind(message[index + 1], kind)) {
      return `${name}: field ${index + 1} is not a valid ${kind}`
    }
  }
  return undefined
}

/** Describes what is wrong with the payload of a message without a violation. */
export function describePayload(message: WampMessage): string | undefined {
  const found = shapes[Number(message[0])]
  return found && misfit(found, message, found.required, message.length - 1)
}

/** The code and request id of a message of a joined session whose first fields are these; undefined where they do not tell them. */
export function requestOf(fields: unknown): readonly [type: number, request: number] | undefined {
  if (!Array.isArray(fields)) return undefined
  const [type] = fields
  const kinds = (typeof type === 'number' ? shapes[type]?.kinds : undefined) ?? []
  const at = kinds.indexOf('id') + 1
  const request: unknown = fields[at]
  return at > 0 && isKind(request, 'id') ? [Number(type), Number(request)] : undefined
}

/** A client's message without a violation, with an empty list or map in place of `null`: nexus, a client in Go, has it for none. */
export function withoutNulls(message: WampMessage): WampMessage {
  if (!message.includes(null)) return message
  const kinds = shapes[Number(message[0])]?.kinds ?? []
  const emptyOf = (index: number) => (kinds[index - 1] === 'list' ? [] : {})
  return message.map((field, index) => field ?? emptyOf(index))
}

/** A message with the payload of another one: its args and kwargs, as far as it has any. */
export function withPayload(head: unknown[], source: WampMessage, at: number): WampMessage {
  for (let index = at; index < source.length; index++) head.push(source[index])
  return head
}
