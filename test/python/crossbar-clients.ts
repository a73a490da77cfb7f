/** Other people's WAMP clients that log in: the plain libraries, as their documentation shows it. */
import autobahn from 'autobahn'
import { Wampy } from 'wampy'
import * as wampyCryptosign from 'wampy/cryptosign.js'
import * as wampyCra from 'wampy/wampcra.js'
import { WebSocket } from 'ws'

/** Who logs in where. */
export interface Login {
  readonly url: string
  readonly realm: string
  readonly authmethod: 'anonymous' | 'ticket' | 'wampcra' | 'cryptosign'
  readonly authid?: string
  /** The password, or the ticket. */
  readonly secret?: string
  /** Ed25519, hex; cryptosign only. */
  readonly key?: { readonly seed: string; readonly public: string }
}

/** A client that has joined. */
export interface Guest {
  /** The first argument of the result, or the URI of the error. */
  call(procedure: string): Promise<unknown>
  /** Resolves when the session has ended, whoever ended it. */
  readonly ended: Promise<void>
  leave(): unknown
}

/** The router did not let it in. */
export class LoginRefused extends Error {}

/** What our declaration of the library leaves out. */
const { auth_cra, auth_cryptosign, nacl } = autobahn as unknown as {
  readonly auth_cra: { sign(key: string, challenge: unknown): string }
  readonly auth_cryptosign: { sign_challenge(pair: object, extra: object): string }
  readonly nacl: { readonly sign: { readonly keyPair: { fromSeed(seed: Uint8Array): object } } }
}

async function joinAutobahn(login: Login): Promise<Guest> {
  const { url, realm, authmethod, authid, secret = '', key } = login
  const connection = new autobahn.Connection({
    url,
    realm,
    authmethods: [authmethod],
    authid,
    ...(key && { authextra: { pubkey: key.public } }),
    max_retries: 0,
    use_es6_promises: true,
    onchallenge(_session, method, extra) {
      if (method === 'wampcra') return auth_cra.sign(secret, extra.challenge) as never
      if (method === 'ticket') return secret as never
      const pair = nacl.sign.keyPair.fromSeed(Buffer.from(key?.seed ?? '', 'hex'))
      return auth_cryptosign.sign_challenge(pair, extra) as never
    },
  })
  const ended = Promise.withResolvers<void>()
  const session = await new Promise<Parameters<typeof connection.onopen>[0]>((resolve, reject) => {
    connection.onopen = resolve
    connection.onclose = (_, { reason }) => {
      reject(new LoginRefused(String(reason)))
      ended.resolve()
      return true
    }
    connection.open()
  })
  return {
    ended: ended.promise,
    call: (procedure) =>
      session.call(procedure).catch((failure: { readonly error: string }) => failure.error),
    leave: () => session.isOpen && connection.close(),
  }
}

function wampyOptions({ authmethod, authid = '', secret = '', key }: Login) {
  if (authmethod === 'anonymous') return {}
  const sign = {
    ticket: () => () => secret,
    wampcra: () => wampyCra.sign(secret),
    cryptosign: () => wampyCryptosign.sign(key?.seed ?? ''),
  }[authmethod]
  return {
    authid,
    authmethods: [authmethod],
    onChallenge: sign() as never,
    ...(key && { authextra: { pubkey: key.public } }),
  }
}

async function joinWampy(login: Login): Promise<Guest> {
  const { url, realm } = login
  const ended = Promise.withResolvers<void>()
  const client = new Wampy(url, {
    realm,
    onClose: () => ended.resolve(),
    ws: WebSocket as never,
    autoReconnect: false,
    ...wampyOptions(login),
  })
  try {
    await client.connect()
  } catch (cause) {
    throw new LoginRefused((cause as { readonly errorUri: string }).errorUri)
  }
  return {
    call: (procedure) =>
      client.call(procedure).then(
        ({ argsList }) => argsList?.[0],
        (failure: { readonly errorUri: string }) => failure.errorUri,
      ),
    ended: ended.promise,
    leave: () => void client.disconnect().catch(() => undefined), // it may have ended already
  }
}

/** Both libraries by name; rejects with {@link LoginRefused} whose message is the router's reason. */
export const joinAs: Readonly<Record<'autobahn' | 'wampy', (login: Login) => Promise<Guest>>> = {
  autobahn: joinAutobahn,
  wampy: joinWampy,
}
