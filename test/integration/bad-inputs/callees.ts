/** Callees of the tests: autobahn sessions over WebSocket, and what they have been called with. */
import autobahn, { type Connection, type Session } from 'autobahn'
import { Decoder, Encoder } from 'cbor-x'
import { realm_uri } from './documents.ts'

declare module 'autobahn' {
  interface ConnectionOptions {
    readonly serializers?: readonly {
      readonly SERIALIZER_ID: string
      readonly BINARY: boolean
      readonly serialize: (message: unknown) => Uint8Array
      readonly unserialize: (data: ArrayBuffer) => unknown
    }[]
  }
}

const cbor = { useRecords: false, mapsAsObjects: true, tagUint8Array: false }
const encoder = new Encoder(cbor)
const decoder = new Decoder(cbor)

/** Autobahn's own serializers round integers beyond 2^53; this one makes BigInt of them, and keeps bytes and undefined. */
const exactCbor = {
  SERIALIZER_ID: 'cbor',
  BINARY: true,
  serialize: (message: unknown) => encoder.encode(message),
  unserialize: (data: ArrayBuffer): unknown => decoder.decode(new Uint8Array(data)),
}

/** One invocation as a callee sees it. */
interface Invocation {
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  readonly details: Readonly<Record<string, unknown>>
}

/** A session that lends its procedures. */
export interface Callee {
  readonly session: Session
  /** Every invocation, in order. */
  readonly invocations: readonly Invocation[]
  /** Has the router, or the line, ended the session? */
  readonly isLost: boolean
  /** @param answer what the caller gets: a value, or a promise of one */
  register(procedure: string, answer: (invocation: Invocation) => unknown): Promise<void>
  close(): void
}

/**
 * Joins the realm of the tests.
 * @param serializer `exact`, or autobahn's own JSON
 */
export async function openCallee(
  url: string,
  serializer: 'exact' | 'json' = 'exact',
): Promise<Callee> {
  const connection: Connection = new autobahn.Connection({
    ...{ url, realm: realm_uri, authmethods: ['anonymous'], max_retries: 0 },
    use_es6_promises: true,
    ...(serializer === 'exact' ? { serializers: [exactCbor] } : {}),
  })
  let isLost = false
  const session = await new Promise<Session>((resolve, reject) => {
    connection.onopen = resolve
    connection.onclose = (reason) => {
      isLost = true
      reject(new Error(`the callee could not join: ${reason}`))
      return true
    }
    connection.open()
  })
  const invocations: Invocation[] = []
  return {
    session,
    invocations,
    get isLost() {
      return isLost
    },
    async register(procedure, answer) {
      await session.register(
        procedure,
        (
          args: readonly unknown[],
          kwargs: Readonly<Record<string, unknown>>,
          details: Readonly<Record<string, unknown>>,
        ) => {
          const invocation = { args, kwargs, details }
          invocations.push(invocation)
          return answer(invocation)
        },
      )
    },
    close: () => {
      if (!isLost) connection.close()
    },
  }
}
