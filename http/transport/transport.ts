/** The port of the HTTP face to a request and its response on the connection of a client, whatever version of HTTP carries them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Sink } from '#component/stream/sink.ts'
import type { Refusal, Target } from '#http/preflight.ts'

/** The request that a stream of events belongs to, as far as its bytes and its end go. */
export interface StreamOwner {
  /** Counts so many bytes from now on, instead of all before; false, with nothing changed, when too many are held. */
  holdOnly(bytes: number): boolean
  /** Called once when the response is over, or its connection is closed. */
  onClosed: (() => void) | undefined
}

/** The request and the response as Koa has them. */
export interface Messages {
  readonly request: IncomingMessage | Http2ServerRequest
  readonly response: ServerResponse | Http2ServerResponse
}

/** One request and its response. */
export interface Transport {
  /** Of HTTP, as `network.protocol.version` names it. */
  readonly version: string
  /** The connection of the client: its address and its certificate are found by it. */
  readonly connection: Socket
  /** The body of the request as it arrives. */
  readonly incoming: Readable
  /** Whether the request has arrived as a whole. */
  readonly isReceived: boolean
  /** Whether the request is the only one of its connection, and has arrived as a whole: no other one waits for its end. */
  readonly isAlone: boolean
  /** Whether nothing has been sent to this client before. */
  readonly isFirst: boolean
  /** Bytes that have been sent; only the difference of two readings tells something. */
  readonly bytesWritten: number
  /** Whether a response may still begin: the connection has had no last one, and is not closed. */
  readonly isOpen: boolean
  /** The status of the head that has been sent; undefined: none has. */
  readonly status: number | undefined
  /** Whether all of the response has been given, sent or not. */
  readonly isEnded: boolean
  /** Whether all of the response has been sent. */
  readonly isDelivered: boolean
  /** Whether nothing can be sent any more. */
  readonly isDestroyed: boolean
  /** The `Origin` of a request that has failed the preflight. */
  readonly origin: string | undefined
  /** Whether a request that has failed the preflight asks for the head of the response alone. */
  readonly isHead: boolean
  /** Checks the request. @param mayKeepSlashes whether its route may take `%2F` as text of a segment */
  read(mayKeepSlashes: boolean): Target | Refusal
  /** Whether the request has a body of at least one byte, or may have one. @param headers lower-case names */
  hasBody(headers: Readonly<Record<string, string>>): boolean
  /** Calls back once, when the response is over or the connection is closed. */
  onClose(callback: () => void): void
  /** Sends 100 (Continue). */
  proceed(): void
  /** Sends 103 (Early Hints), unless the response has begun or the client takes none. Returns whether it was sent. */
  hint(links: readonly string[]): boolean
  /**
   * Serves no further request where this one would have to be read to its end for it; called before {@link begin}.
   * @param isRead whether the rest of the request is read and dropped; if not, its client is blocked
   */
  last(isRead: boolean): void
  /** Makes the head. @param head names and values in turn */
  begin(status: number, head: string[]): void
  /** Ends the response with its content. @param length of the content; bytes */
  end(content: string | Uint8Array | undefined, length: number | undefined): void
  /** Sends a stream as the content. @param length of the stream; undefined: unknown. One of another length breaks the response. */
  pipe(stream: Readable, length: number | undefined): void
  /** Begins a stream of events. @param begin is given the client */
  pipeEvents(owner: StreamOwner, begin: (sink: Sink) => void): void
  /** Gives the connection up to those who read it from now on; null: it is closed, or carries other requests. */
  takeConnection(): Socket | null
  /** Breaks the response off: the client sees that it is incomplete. */
  reset(): void
  /** The request and the response for Koa; the same ones at each call. */
  messages(): Messages
}
