/** A WAMP client of somebody else's, wampy, that logs in as a user and tries things. */
import { Wampy } from 'wampy'
import * as cryptosign from 'wampy/cryptosign.js'
import * as wampcra from 'wampy/wampcra.js'
import { WebSocket } from 'ws'

/** How somebody logs in; without a secret or key, as anonymous. */
export interface UserLogin {
  readonly authid?: string
  readonly authmethod?: 'ticket' | 'wampcra' | 'cryptosign' | 'anonymous'
  /** The password, or the ticket. */
  readonly secret?: string
  /** The private key of cryptosign: 64 hex digits, behind which the public key may stand. */
  readonly key?: string
}

/** What a client tries. */
export type WampAction = 'call' | 'register' | 'subscribe' | 'publish'

/** The router did not let it in; the message is the reason URI. */
class JoinRefused extends Error {}

/** A client that has joined. */
export interface WampUser {
  /** The first argument of a call's result; `'done'` of anything else; the URI of an error. */
  attempt(action: WampAction, uri: string, args?: readonly unknown[]): Promise<unknown>
  /** Registers a procedure that answers with a value made of the details of the invocation, or a promise of one. */
  answer(
    uri: string,
    value: (details: Readonly<Record<string, unknown>>) => unknown,
  ): Promise<unknown>
  /** Resolves when the session has ended, whoever ended it. */
  readonly ended: Promise<void>
  leave(): Promise<void>
}

function credentialsOf({ authid, authmethod = 'anonymous', secret = '', key }: UserLogin) {
  if (authmethod === 'anonymous') return {}
  const sign = {
    ticket: () => () => secret,
    wampcra: () => wampcra.sign(secret),
    cryptosign: () => cryptosign.sign((key ?? '').slice(0, 64)),
  }[authmethod]
  return {
    ...(authid !== undefined && { authid }),
    authmethods: [authmethod],
    onChallenge: sign() as never,
    ...(key !== undefined && { authextra: { pubkey: key.slice(64) } }),
  }
}

/** Joins a realm of the router at a URL. @throws JoinRefused */
export async function joinUser(url: string, realm: string, login: UserLogin): Promise<WampUser> {
  const ended = Promise.withResolvers<void>()
  const client = new Wampy(url, {
    ...{ realm, autoReconnect: false, ws: WebSocket as never },
    onClose: () => ended.resolve(),
    ...credentialsOf(login),
  })
  try {
    await client.connect()
  } catch (cause) {
    throw new JoinRefused(String((cause as { readonly errorUri: unknown }).errorUri))
  }
  const attempts: Readonly<Record<WampAction, (uri: string, args: unknown[]) => Promise<unknown>>> =
    {
      call: async (uri, argsList) => (await client.call(uri, { argsList })).argsList?.[0],
      register: (uri) => client.register(uri, () => undefined),
      subscribe: (uri) => client.subscribe(uri, () => undefined),
      publish: (uri, argsList) => client.publish(uri, { argsList }, { acknowledge: true } as never),
    }
  return {
    async attempt(action, uri, args = []) {
      try {
        const found = await attempts[action](uri, [...args])
        return action === 'call' ? found : 'done'
      } catch (cause) {
        const { errorUri, name } = cause as { readonly errorUri?: string; readonly name: string }
        // wampy itself lets nobody use what is the router's
        if (name === 'UriError') return 'wamp.error.invalid_uri'
        if (errorUri === undefined) throw cause
        return errorUri
      }
    },
    answer: (uri, value) =>
      client.register(uri, (async ({ details }: { details: never }) => ({
        argsList: [await value(details)],
      })) as never),
    ended: ended.promise,
    leave: async () => void (await client.disconnect().catch(() => undefined)), // it may have ended
  }
}

/** The reason why somebody may not join; `'joined'` when it may. */
export async function joinRefusal(url: string, realm: string, login: UserLogin): Promise<string> {
  try {
    await (await joinUser(url, realm, login)).leave()
    return 'joined'
  } catch (cause) {
    if (cause instanceof JoinRefused) return cause.message
    throw cause
  }
}
