/** Parameters of a session: its realm and router, its credentials, and the limits of its connection. */
import type { Clock } from '#component/clock.ts'
import { type SerializerName, serializers } from '#component/codec/serializers.ts'
import type { Log } from '#component/log.ts'
import { type Channel, linkChannel } from '#component/wamp/channel/channel.ts'
import { socketChannel } from '#component/wamp/channel/socket-channel.ts'
import { Routers } from '#component/wamp/routers/routers.ts'
import type { JoinAuth } from './join-auth.ts'
import type { OpenLink } from './link.ts'

/** Where a session joins, and as whom. One of `url`, `routers` and `openLink` is given. */
export interface SessionOptions {
  readonly realm_uri: string
  readonly url?: string | undefined
  /** Shared by all sessions of a process. */
  readonly routers?: Routers | undefined
  readonly openLink?: OpenLink | undefined
  readonly serializer: SerializerName
  readonly auth: JoinAuth
  readonly clock: Clock
  readonly log: Log
  /** Header fields of the WebSocket handshake. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it announces that it takes INTERRUPT, and yields progressive results: it serves procedures of documents. */
  readonly isCallee?: boolean
  /** Bytes that may wait in the session while pieces of a call are sent. */
  readonly unsentBytes?: number
  /** Largest message that the router and its callees take; Crossbar.io ends the connection a little above the default. */
  readonly maxMessageBytes?: number
  /** Milliseconds from opening a connection to WELCOME. */
  readonly joinTimeoutMs?: number
  /** Milliseconds between two checks of the link; it is lost after two silent ones. */
  readonly linkCheckMs?: number
  /** Milliseconds between two checks of the registrations; absent: the router never loses one. */
  readonly registrationCheckMs?: number | undefined
  /** After each join, when everything has been registered and subscribed again; a promise is waited for. */
  readonly onJoin?: () => unknown
}

/** Milliseconds from opening a connection to WELCOME, unless said otherwise. */
export const defaultJoinTimeoutMs = 8000
/** Milliseconds that a router may take to register or subscribe. */
export const registerMs = 10_000
const defaultMaxBytes = 15_000_000
const defaultLinkCheckMs = 5000

/** The routers of a session. */
export function routersOf({ routers, url, openLink }: SessionOptions): Routers {
  if (routers) return routers
  if (url === undefined && !openLink) throw new TypeError('a session needs a URL or a link')
  return new Routers([url])
}

/** Makes the way to a router by its URL: a link in this process, a WebSocket, or RawSocket. */
export function openChannels(options: SessionOptions): (url: string | undefined) => Channel {
  const { openLink, clock, headers = {} } = options
  const maxBytes = options.maxMessageBytes ?? defaultMaxBytes
  if (openLink) return linkChannel(openLink, maxBytes)
  const linkCheckMs = options.linkCheckMs ?? defaultLinkCheckMs
  const serializer = serializers[options.serializer]
  let mostBytes = maxBytes
  /** What the router does not take is refused here from now on: it would end the session each time. */
  const onTooLarge = (bytes: number) => {
    mostBytes = Math.min(mostBytes, bytes - 1)
  }
  return (url = '') => {
    const sizes = { maxBytes: mostBytes, onTooLarge }
    return socketChannel({ url, headers, serializer, ...sizes, linkCheckMs, clock })()
  }
}
