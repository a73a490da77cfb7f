/** A callee and subscriber that answers with what it was sent, and a document that calls it: for tests of trace contexts over WAMP. */
import { RouterPeer } from '#test/contract/router/peer.ts'

type Message = readonly unknown[]

/** What a peer was sent. */
export interface SentMessage {
  readonly details: Readonly<Record<string, unknown>>
  readonly kwargs: Readonly<Record<string, unknown>>
}

const realm = 'com.example.test'

/** Its procedure and its topic; calls with progressive results get one piece. */
export class TracedPeer {
  readonly calls: SentMessage[] = []
  readonly events: SentMessage[] = []
  readonly #peer: RouterPeer
  readonly #ended: Promise<void>

  private constructor(peer: RouterPeer) {
    this.#peer = peer
    this.#ended = this.#serve()
  }

  static async join(url: string): Promise<TracedPeer> {
    const peer = await RouterPeer.join({ url, realm })
    await peer.register('com.example.traced')
    await peer.subscribe('com.example.traced.topic')
    return new TracedPeer(peer)
  }

  async stop(): Promise<void> {
    this.#peer.send(6, {}, 'wamp.close.close_realm')
    await this.#ended
    this.#peer.cut()
  }

  async #serve(): Promise<void> {
    for (;;) {
      const message = await this.#peer.next()
      if (message[0] === 6) return
      if (message[0] === 36) this.events.push(sentOf(message))
      if (message[0] === 68) this.#answer(message)
    }
  }

  #answer(invocation: Message): void {
    const sent = sentOf(invocation)
    this.calls.push(sent)
    if (sent.details.receive_progress === true) {
      this.#peer.send(70, invocation[1], { progress: true }, ['piece'])
    }
    this.#peer.send(70, invocation[1], {}, ['done'])
  }
}

/** INVOCATION and EVENT have the same form. */
const sentOf = ([, , , details, , kwargs]: Message): SentMessage => ({
  details: details as SentMessage['details'],
  kwargs: (kwargs ?? {}) as SentMessage['kwargs'],
})

const call = { type: 'wamp_call', procedure: 'com.example.traced' }
const publish = { type: 'wamp_publish', topic: 'com.example.traced.topic' }
const subscribe = { type: 'wamp_subscribe', topic: 'com.example.traced.topic', max_events: 2 }

/** Every action that sends kwargs, below /traced with `trace`, and one call without. */
export const tracedDocument = {
  ...{ id: 'com.example.traced', host: '_', realm_uri: realm },
  versions: {
    '1.0': {
      base_path: '/traced',
      defaults: { trace: { kwargs: '_trace' } },
      paths: {
        '/call': {
          get: { action: { ...call, kwargs: { a: 1 } }, response: {} },
          post: {
            action: { ...call, kwargs: '{{request.body}}', options: '{{request.body.options}}' },
            response: {},
          },
        },
        '/plain': { trace: null, get: { action: call, response: {} } },
        '/pieces': { get: { action: call, response: { on_progress: {} } } },
        '/publish': { post: { action: publish, response: {} } },
        '/list': { post: { action: [call, publish], response: {} } },
        '/events': {
          get: {
            action: { ...subscribe, snapshot: { procedure: 'com.example.traced' } },
            response: { on_event: { body: '{{action.event}}' } },
          },
        },
      },
    },
  },
}
