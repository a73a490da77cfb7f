/** Sessions with a router that follows a script, one a test. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type WebSocket, WebSocketServer } from 'ws'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { basics, type OpenSession } from './support.ts'

export type Message = readonly unknown[]
export type Send = (...message: Message) => void

/** What a router can do, as WELCOME tells it. */
export const roles = { broker: { features: {} }, dealer: { features: {} } }

/** Says WELCOME and nothing else. */
export const welcome = (message: Message, send: Send): void => {
  if (message[0] === 1) send(2, 1234, { roles })
}

/** A router that hands each message to `script`, and a session of a client library with it. */
export class ScriptedRouter {
  script: (message: Message, send: Send, raw: WebSocket) => void = welcome
  /** Connections so far. */
  connections = 0
  readonly #open: OpenSession
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  #session: SupervisedSession | undefined

  private constructor(open: OpenSession) {
    this.#open = open
    this.#server.on('connection', (socket) => {
      this.connections++
      const send: Send = (...message) => socket.send(JSON.stringify(message))
      socket.on('message', (data) => this.script(JSON.parse(String(data)), send, socket))
    })
  }

  static async listen(open: OpenSession): Promise<ScriptedRouter> {
    const router = new ScriptedRouter(open)
    await once(router.#server, 'listening')
    return router
  }

  /** A session that has joined by the script. */
  async join(auth: JoinAuth = { authmethod: 'anonymous' }): Promise<SupervisedSession> {
    const { port } = this.#server.address() as AddressInfo
    this.#session = this.#open({ ...basics, auth, url: `ws://127.0.0.1:${port}` })
    expect(await this.#session.joined(2000)).to.equal(true)
    return this.#session
  }

  async close(): Promise<void> {
    this.#server.close()
    for (const client of this.#server.clients) client.terminate()
    await this.#session?.leave()
  }
}
