/** Raw WAMP peers that log in to Crossbar.io, for messages that no client library sends. */
import { credentials, type JoinAuth } from '#component/wamp/join-auth.ts'
import { allRoles, RouterPeer } from '#test/contract/router/peer.ts'

type Options = Readonly<Record<string, unknown>>

/** What a request came to: `yes`, or the URI of the ERROR. */
export type Verdict = string

/** A peer that has joined: it notes events, and answers each invocation with its details. */
export class CrossbarPeer {
  readonly id: number
  /** EVENT messages as they came in. */
  readonly events: (readonly unknown[])[] = []
  readonly #peer: RouterPeer
  readonly #waiting = new Map<unknown, (message: readonly unknown[]) => void>()
  #request = 0

  private constructor(peer: RouterPeer, id: number) {
    this.#peer = peer
    this.id = id
    void this.#read()
  }

  /** Joins. @throws Error with the ABORT that refuses it */
  static async join(url: string, realm: string, auth: JoinAuth): Promise<CrossbarPeer> {
    const peer = await RouterPeer.open(url)
    const { authmethod, authid, authextra, answer } = credentials(auth)
    const hello = {
      roles: allRoles,
      authmethods: [authmethod],
      authextra,
      ...(authid && { authid }),
    }
    let message = await peer.ask(1, realm, hello)
    if (message[0] === 4) {
      const signature = await answer(String(message[1]), message[2] as Options)
      message = await peer.ask(5, signature, {})
    }
    if (message[0] !== 2) throw new Error(`expected WELCOME, got ${JSON.stringify(message)}`)
    return new CrossbarPeer(peer, Number(message[1]))
  }

  async #read(): Promise<void> {
    for (;;) {
      const message = await this.#peer.next()
      if (message[0] === 68) this.#peer.send(70, message[1], {}, [message[3]])
      else if (message[0] === 36) this.events.push(message)
      else this.#waiting.get(message[0] === 8 ? message[2] : message[1])?.(message)
    }
  }

  /** Sends `[code, request, ...fields]`; the answer to it. */
  ask(code: number, ...fields: unknown[]): Promise<readonly unknown[]> {
    this.#request += 1
    const request = this.#request
    return new Promise((resolve) => {
      this.#waiting.set(request, resolve)
      this.#peer.send(code, request, ...fields)
    })
  }

  /** The first argument of the result, or the URI of the error. */
  async call(uri: string, options: Options = {}, args: readonly unknown[] = []): Promise<unknown> {
    const answer = await this.ask(48, options, uri, args)
    if (answer[0] === 8) return answer[4]
    return Array.isArray(answer[3]) ? answer[3][0] : null
  }

  /** Whether the router lets it call, publish, register or subscribe with these options. */
  async may(action: string, uri: string, options: Options): Promise<Verdict> {
    const acknowledged = action === 'publish' ? { acknowledge: true, ...options } : options
    const codes: Readonly<Record<string, number>> = {
      call: 48,
      publish: 16,
      register: 64,
      subscribe: 32,
    }
    const answer = await this.ask(codes[action] ?? 0, acknowledged, uri)
    if (answer[0] === 8) return String(answer[4])
    if (action === 'register') await this.ask(66, answer[2])
    if (action === 'subscribe') await this.ask(34, answer[2])
    return 'yes'
  }

  leave(): void {
    this.#peer.cut()
  }
}
