/** The bounds of a connection of HTTP/2 as one table: what its client may have open, begin, reset, and leave unread. */
import type { ServerSessionOptions } from 'node:http2'

/** The bounds that no option changes; docs/operations.md, "Limits for clients", has all. */
export const http2Bounds = {
  /** Streams that begin in one turn of the event loop: of a connection, and of all beside the first of each; further ones wait for the next. */
  begunInTurn: { connection: 32, all: 32 },
  /** Streams that the client resets: at once, and a second. A fault that would make this side reset one ends the connection. */
  resets: { burst: 200, perSecond: 20 },
  /** The same of all connections of a network; one that resets a further stream takes no new ones, and ends after its last response. */
  resetsOfNetwork: { burst: 1_000, perSecond: 100 },
  /** Streams that are refused, and frames that are not valid, over the life of a connection. */
  refused: 1000,
  invalidFrames: 200,
  /** Connections of a network that end by a fault or a flood: at once, and a second. Beyond, further ones are closed when they begin. */
  faults: { burst: 20, perSecond: 2 },
  /** Connections of a network that have asked nothing; a further one ends the oldest. */
  silent: 256,
  /** Connections of a network that have no request, 70 kB each; a further one ends the oldest. */
  idle: 1_024,
  /**
   * Bytes that a client may send ahead: of a body, as long as nobody reads it, and of a large body that is the only request of its
   * connection; and of all bodies of a connection before node:http2 has received them. It opens the window of the connection for bodies
   * that nobody reads, too, so each body counts its own window.
   */
  streamWindow: 262_144,
  wideWindow: 1_048_576,
  window: 1_048_576,
  /** The part of what a network may hold beyond which windows stay narrow. */
  widePart: 1 / 2,
  /** Of what nghttp2 keeps for a connection; megabytes. */
  memory: 8,
  /** Bytes of a response that nghttp2 is given at once. */
  slice: 32_768,
  /** Milliseconds for which a client may take nothing of a response that waits. */
  stuckMs: 120_000,
  /** Milliseconds that a connection may take to end after the last stream. */
  farewellMs: 2_000,
  /** Fields and their bytes (RFC 9113 §6.5.2) beyond which nghttp2 resets a stream; the preflight answers 431 before. */
  fields: 1_000,
  fieldBytes: 65_536,
} as const

/** The settings and options of a session of node:http2. @param streams that are open at once */
export const sessionOptions = (streams: number): ServerSessionOptions => ({
  settings: {
    maxConcurrentStreams: streams,
    initialWindowSize: http2Bounds.streamWindow,
    maxHeaderListSize: http2Bounds.fieldBytes,
  },
  maxHeaderListPairs: http2Bounds.fields,
  maxSessionMemory: http2Bounds.memory,
  maxSessionInvalidFrames: http2Bounds.invalidFrames,
  maxSessionRejectedStreams: http2Bounds.refused,
  streamResetBurst: http2Bounds.resets.burst,
  streamResetRate: http2Bounds.resets.perSecond,
  // a document may repeat a field, as over HTTP/1.1
  strictSingleValueFields: false,
})
