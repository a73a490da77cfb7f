/** WAMP sessions of the test that looks for leaked secrets: logins with right and wrong secrets, and calls with wrong arguments. */
import { createHmac, pbkdf2Sync } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { passwords, realm, refusedRealms, wrong } from './documents.ts'

type Message = readonly unknown[]

/** Message codes. */
const hello = 1
const welcome = 2
const abort = 3
const challenge = 4
const authenticate = 5
const error = 8
const call = 48
const register = 64
const registered = 65
const invocation = 68
const yielded = 70

const roles = { caller: {}, callee: {} }

/** A connection that keeps what it was told. */
class Talk {
  readonly told: string[] = []
  isJoined = false
  readonly #socket: WebSocket
  readonly #waiting: ((message: Message) => void)[] = []
  readonly #early: Message[] = []
  onInvocation: (message: Message) => Message = () => []

  private constructor(url: string) {
    this.#socket = new WebSocket(url, 'wamp.2.json')
    this.#socket.on('message', (data) => this.#take(String(data)))
    this.#socket.on('close', () => this.#deliver([]))
  }

  static async open(url: string): Promise<Talk> {
    const talk = new Talk(url)
    await once(talk.#socket, 'open')
    return talk
  }

  send(message: Message): void {
    this.#socket.send(JSON.stringify(message))
  }

  /** Sends; the next message that is no invocation. Empty when the connection ended. */
  ask(message: Message): Promise<Message> {
    this.send(message)
    const early = this.#early.shift()
    return early ? Promise.resolve(early) : new Promise((resolve) => this.#waiting.push(resolve))
  }

  close(): void {
    this.#socket.terminate()
  }

  #take(text: string): void {
    const message = JSON.parse(text) as Message
    if (message[0] === invocation) {
      this.send(this.onInvocation(message))
      return
    }
    if (message[0] === welcome) this.isJoined = true
    if (message[0] === abort || message[0] === error) this.told.push(text)
    this.#deliver(message)
  }

  #deliver(message: Message): void {
    const next = this.#waiting.shift()
    if (next) next(message)
    else if (message.length > 0) this.#early.push(message)
  }
}

/** The signature of salted WAMP-CRA. */
function signed(password: string, extra: Readonly<Record<string, unknown>>): string {
  const { challenge: text, salt, iterations, keylen } = extra
  const key = pbkdf2Sync(password, String(salt), Number(iterations), Number(keylen), 'sha256')
  return createHmac('sha256', key.toString('base64')).update(String(text)).digest('base64')
}

async function joined(url: string, authid: string, method: string, secret: string): Promise<Talk> {
  const talk = await Talk.open(url)
  const [code, , extra] = await talk.ask([hello, realm, { roles, authid, authmethods: [method] }])
  if (code !== challenge) return talk
  await talk.ask([authenticate, method === 'wampcra' ? signed(secret, extra as never) : secret, {}])
  return talk
}

/** A backend that answers `com.example.answer`, and fails at `com.example.raise`; it says nothing of what it was told. */
export async function openBackend(url: string): Promise<{ close(): void }> {
  const talk = await joined(url, 'app', 'ticket', passwords.app)
  const isRegistered = async (id: number, uri: string) => {
    const [code, , registration] = await talk.ask([register, id, {}, uri])
    if (code !== registered) throw new Error(`${uri} is not registered`)
    return registration
  }
  await isRegistered(1, 'com.example.answer')
  const raising = await isRegistered(2, 'com.example.raise')
  talk.onInvocation = ([, request, registration]) =>
    registration === raising
      ? [error, invocation, request, {}, 'com.example.error.failed', [], { message: 'it failed' }]
      : [yielded, request, {}, ['answered']]
  return talk
}

/** Logs in by each method with each secret. @returns how many were let in, and what the others were told, as JSON */
export async function logInByWamp(url: string, secrets: readonly string[]) {
  const told: string[] = []
  let joins = 0
  for (const [authid, method] of [
    ['bas', 'ticket'],
    ['bas', 'wampcra'],
    ['nobody', 'wampcra'],
    [wrong, 'ticket'],
  ] as const) {
    for (const secret of secrets) {
      const talk = await joined(url, authid, method, secret)
      told.push(...talk.told)
      if (talk.isJoined) joins += 1
      talk.close()
    }
  }
  return { told, joins }
}

const procedures = [
  ...[
    'load_realm',
    'get_realm',
    'change_password',
    'issue_api_key',
    'revoke_api_key',
    'revoke_all',
  ],
  ...['ticket.issue', 'ticket.revoke', 'load_api_spec', 'validate_api_spec', 'delete_realm'],
]

/** Calls the management procedures with secrets as arguments that they refuse. @returns the errors, as JSON */
export async function callByWamp(url: string): Promise<string[]> {
  const talk = await Talk.open(url)
  await talk.ask([hello, 'service.gateway', { roles, authmethods: ['anonymous'] }])
  const calls: readonly (readonly [args: readonly unknown[], kwargs: object])[] = [
    [[wrong], {}],
    [[{ password: wrong }], {}],
    [[realm, 'ada', [wrong]], {}],
    [[realm, 'nobody', wrong, wrong], {}],
    [[], { uri: realm, [wrong]: wrong }],
    ...refusedRealms.map((one) => [[one], {}] as const),
  ]
  let id = 0
  for (const procedure of procedures) {
    for (const [args, kwargs] of calls) {
      id += 1
      await talk.ask([call, id, {}, `service.${procedure}`, args, kwargs])
    }
  }
  await talk.ask([call, ++id, { [wrong]: wrong, timeout: wrong }, wrong, [wrong]])
  talk.close()
  return talk.told
}
