/** The first words of a WAMP client, and what a router answers. */
import { WebSocket } from 'ws'

type Message = readonly unknown[]

/** Where a client comes from, and what it says. */
export interface Client {
  readonly details?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly localAddress?: string
  /** Certificates that the client trusts; PEM. */
  readonly ca?: string
}

/** Sends HELLO; the router's answer. @throws Error when no WebSocket is opened */
export async function hello(
  url: string,
  realm: string,
  { details = {}, ...client }: Client = {},
): Promise<Message> {
  const socket = new WebSocket(url, 'wamp.2.json', client)
  try {
    return await new Promise<Message>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', (code) => reject(new Error(`closed with ${code}`)))
      socket.once('message', (data) => resolve(JSON.parse(String(data)) as Message))
      socket.once('open', () => {
        const roles = { caller: {}, callee: {}, publisher: {}, subscriber: {} }
        socket.send(JSON.stringify([1, realm, { roles, ...details }]))
      })
    })
  } finally {
    socket.removeAllListeners('close')
    socket.terminate()
  }
}
