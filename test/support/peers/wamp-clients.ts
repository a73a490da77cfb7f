/** Other people's WAMP clients: the plain libraries with nothing of ours around them. */
import autobahn from 'autobahn'
import { Wampy } from 'wampy'
import { WebSocket } from 'ws'

/** What a call came to. */
interface CallAnswer {
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
}

/** What a call failed with. */
export class CallFailure extends Error {
  readonly error: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>

  constructor(error: string, args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>) {
    super(error)
    this.error = error
    this.args = args
    this.kwargs = kwargs
  }
}

/** A joined client that calls. */
export interface CallingClient {
  /** @throws CallFailure */
  call(
    procedure: string,
    args?: readonly unknown[],
    kwargs?: Readonly<Record<string, unknown>>,
  ): Promise<CallAnswer>
  close(): Promise<void>
}

/** Opens a session as anonymous. */
export type OpenClient = (url: string, realm: string) => Promise<CallingClient>

const isAnswer = (value: unknown): value is CallAnswer =>
  typeof value === 'object' && value !== null && 'args' in value && 'kwargs' in value

/** autobahn gives a lone argument bare. */
const answerOf = (value: unknown): CallAnswer =>
  isAnswer(value)
    ? { args: value.args, kwargs: value.kwargs }
    : { args: value === null ? [] : [value], kwargs: {} }

interface AutobahnFailure {
  readonly error: string
  readonly args?: readonly unknown[]
  readonly kwargs?: Readonly<Record<string, unknown>>
}

async function openAutobahn(url: string, realm: string): Promise<CallingClient> {
  const connection = new autobahn.Connection({
    url,
    realm,
    max_retries: 0,
    use_es6_promises: true,
  })
  const session = await new Promise<Parameters<typeof connection.onopen>[0]>((resolve) => {
    connection.onopen = resolve
    connection.open()
  })
  return {
    async call(procedure, args = [], kwargs = {}) {
      try {
        return answerOf(await session.call(procedure, args, kwargs))
      } catch (cause) {
        const { error, args: found = [], kwargs: named = {} } = cause as AutobahnFailure
        throw new CallFailure(error, found, named)
      }
    },
    async close() {
      connection.close()
    },
  }
}

interface WampyFailure {
  readonly errorUri: string
  readonly argsList?: readonly unknown[]
  readonly argsDict?: Readonly<Record<string, unknown>>
}

async function openWampy(url: string, realm: string): Promise<CallingClient> {
  const client = new Wampy(url, { realm, ws: WebSocket as never, autoReconnect: false })
  await client.connect()
  return {
    async call(procedure, args = [], kwargs = {}) {
      try {
        const payload = { argsList: [...args], argsDict: { ...kwargs } }
        const { argsList, argsDict } = await client.call(procedure, payload)
        return { args: argsList ?? [], kwargs: argsDict ?? {} }
      } catch (cause) {
        const { errorUri, argsList = [], argsDict = {} } = cause as WampyFailure
        throw new CallFailure(errorUri, argsList, argsDict)
      }
    },
    async close() {
      await client.disconnect()
    },
  }
}

/** Both libraries by name. */
export const plainClients: Readonly<Record<'autobahn' | 'wampy', OpenClient>> = {
  autobahn: openAutobahn,
  wampy: openWampy,
}

/** The failure of a call. */
export async function callFailure(promise: Promise<unknown>): Promise<CallFailure> {
  try {
    await promise
  } catch (error) {
    if (error instanceof CallFailure) return error
    throw error
  }
  throw new Error('expected the call to fail')
}
