/** A gateway whose documents register procedures, an HTTP service behind them, and a caller of our own. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Wampy } from 'wampy'
import { WebSocket } from 'ws'

/** The realm of the documents, which lets everybody in. */
export const realm = 'com.example.test'

/** A document that has procedures only. */
export const documentOf = (procedures: object, more: object = {}) => ({
  id: 'com.example.billing',
  realm_uri: realm,
  procedures,
  ...more,
})

type Serve = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void

/** An HTTP service. */
export interface Service {
  /** `http://127.0.0.1:…` */
  readonly origin: string
  close(): void
}

/** Starts one on a free port. */
export async function openService(serve: Serve): Promise<Service> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    serve(request, response, Buffer.concat(chunks))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A service that answers nothing, and tells of the requests that come to it. */
export interface SilentService extends Service {
  /** The URLs of all that have come. */
  readonly asked: readonly string[]
  /** The next request. */
  nextRequest(): Promise<IncomingMessage>
}

/** Starts one on a free port. */
export async function openSilentService(): Promise<SilentService> {
  const asked: string[] = []
  let arrived: (request: IncomingMessage) => void = () => undefined
  const service = await openService((request) => {
    asked.push(request.url ?? '')
    arrived(request)
  })
  return {
    ...service,
    asked,
    nextRequest() {
      const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
      arrived = resolve
      return promise
    },
  }
}

/** The connection of a request is gone. */
export async function gone({ socket }: IncomingMessage): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close')
}

/** The answer of a call: a result, or an error. */
export interface Answered {
  readonly error?: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
}

interface CallOptions {
  readonly disclose_me?: boolean
  readonly timeout?: number
  readonly progress_callback?: (piece: { argsList?: unknown[]; argsDict?: object }) => void
}

/** A session that calls. */
export interface Caller {
  call(
    procedure: string,
    args?: readonly unknown[],
    kwargs?: object,
    options?: CallOptions,
  ): Promise<Answered>
  /** A call that can be canceled. */
  begin(
    procedure: string,
    options?: CallOptions,
  ): { readonly answer: Promise<Answered>; cancel(mode: 'skip' | 'kill' | 'killnowait'): void }
  close(): Promise<void>
}

/** Joins the realm. @param login of a user, with a ticket; absent: anonymous */
export async function openCaller(
  url: string,
  realm_uri = realm,
  login?: { readonly authid: string; readonly password: string },
): Promise<Caller> {
  const wampy = new Wampy(url, {
    realm: realm_uri,
    ws: WebSocket as never,
    autoReconnect: false,
    uriValidation: 'loose',
    ...(login && {
      authid: login.authid,
      authmethods: ['ticket'],
      onChallenge: () => login.password,
    }),
  })
  await wampy.connect()
  const answered = (promise: Promise<unknown>): Promise<Answered> =>
    promise.then(
      (found) => {
        const { argsList = [], argsDict = {} } = found as {
          argsList?: unknown[]
          argsDict?: Readonly<Record<string, unknown>>
        }
        return { args: argsList, kwargs: argsDict }
      },
      (failure) => ({
        error: failure.errorUri,
        args: failure.argsList ?? [],
        kwargs: failure.argsDict ?? {},
      }),
    )
  const call = (
    procedure: string,
    args: readonly unknown[] = [],
    kwargs: object = {},
    options: CallOptions = {},
  ) =>
    answered(
      wampy.call(procedure, { argsList: [...args], argsDict: kwargs as never }, options as never),
    )
  return {
    call,
    begin(procedure, options = {}) {
      const answer = call(procedure, [], {}, options)
      const { reqId } = wampy.getOpStatus()
      return {
        answer,
        cancel: (mode) => void wampy.cancel(reqId, { mode } as never),
      }
    },
    async close() {
      await wampy.disconnect()
    },
  }
}
