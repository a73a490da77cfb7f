/** Streams as the load: many open ones of one candidate, whose events are counted, and one in a hundred compared. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { LoadResult } from './load.ts'

/** Stands once in each event, and nowhere else in a stream. */
const mark = '~'
const markByte = mark.charCodeAt(0)

/** Of so many streams, one is compared. */
const comparedOf = 100

/** Connections that are opened at once. */
const batch = 50

/** Before a stream that was refused is asked for once more, milliseconds. */
const pause = 1_000

/** The text of an event: its number, and as much as makes it 200 characters. */
export const eventText = (number: number): string => `${number}${mark}`.padEnd(200, 'x')

/** What came of an event at all streams. */
interface Delivery {
  readonly publishedAt: number
  left: number
}

/** Events, always so many on their way, to all streams of a group. */
export interface StreamLoad {
  readonly streams: StreamGroup
  readonly inFlight: number
  readonly seconds: number
}

/** Streams of one candidate. */
export class StreamGroup {
  readonly #publish: (text: string) => void
  readonly #sockets: Socket[] = []
  /** By the number of the event. */
  readonly #deliveries = new Map<number, Delivery>()
  #published = 0
  #counted = 0
  #ended = 0
  #wrong = 0
  #took: number[] = []
  #onDelivered: () => void = () => undefined

  /** @param publish publishes a text that all streams get */
  constructor(publish: (text: string) => void) {
    this.#publish = publish
  }

  get size(): number {
    return this.#sockets.length
  }

  /** Streams that ended, and events that came in another order or with another text at those that are compared. */
  get errors(): number {
    return this.#wrong + this.#ended
  }

  /** Opens more. @param path of a stream by its number @throws Error when an answer is no stream */
  async open(
    url: string,
    count: number,
    path: (number: number) => string,
    type = 'text/event-stream',
  ): Promise<void> {
    const { hostname, port } = new URL(url)
    const target = { host: hostname, port: Number(port) }
    for (let opened = 0; opened < count; opened += batch) {
      const size = Math.min(batch, count - opened)
      const open = () => this.#open(target, path, type)
      // a busy machine may refuse a connection while it accepts thousands
      const openAgain = async () => {
        await wait(pause)
        await open()
      }
      await Promise.all(Array.from({ length: size }, () => open().catch(openAgain)))
    }
  }

  /** Publishes one event, and waits until all streams have it; milliseconds. */
  async once(): Promise<number> {
    const delivered = new Promise<void>((resolve) => {
      this.#onDelivered = resolve
    })
    this.#publishNext()
    await delivered
    return this.#took.at(-1) ?? Number.NaN
  }

  /** Publishes for so long, always with so many events on their way. An answer is an event at one stream. */
  async run(seconds: number, inFlight: number): Promise<LoadResult> {
    const errorsBefore = this.errors
    const [countedBefore, began] = [this.#counted, performance.now()]
    this.#took = []
    const end = began + seconds * 1000
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onDelivered = () => {
      if (performance.now() < end) this.#publishNext()
      else if (this.#deliveries.size === 0) resolve()
    }
    for (let number = 0; number < inFlight; number++) this.#publishNext()
    await promise
    const took = this.#took.toSorted((a, b) => a - b)
    const at = (part: number) => took[Math.floor(part * (took.length - 1))] ?? 0
    return {
      seconds: (performance.now() - began) / 1000,
      answers: this.#counted - countedBefore,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      errors: this.errors - errorsBefore,
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.removeAllListeners('close').destroy()
    this.#sockets.length = 0
  }

  #publishNext(): void {
    const number = this.#published++
    this.#deliveries.set(number, { publishedAt: performance.now(), left: this.size })
    this.#publish(eventText(number))
  }

  #open(
    target: { host: string; port: number },
    path: (number: number) => string,
    type: string,
  ): Promise<void> {
    const number = this.#sockets.length
    let next = this.#published
    let head = ''
    let isOpen = false
    const compare = number % comparedOf === 0 ? this.#comparer() : undefined
    return new Promise((resolve, reject) => {
      const take = (size: number, buffer: Buffer) => {
        const bytes = buffer.subarray(0, size)
        if (!isOpen) {
          head += bytes.toString('latin1')
          if (!head.includes('\r\n\r\n')) return true
          isOpen = true
          if (head.startsWith('HTTP/1.1 200 ') && head.includes(type)) resolve()
          else {
            this.#sockets.splice(this.#sockets.indexOf(socket), 1)
            socket.removeAllListeners('close').destroy()
            reject(new Error(`${path(number)}: ${head}`))
          }
          return true
        }
        compare?.(bytes.toString('latin1'))
        for (let at = bytes.indexOf(markByte); at >= 0; at = bytes.indexOf(markByte, at + 1)) {
          this.#count(next++)
        }
        return true
      }
      const socket = connect({ ...target, onread: { buffer: readBuffer, callback: take } })
      this.#sockets.push(socket)
      socket.once('error', reject).once('close', () => {
        this.#ended++
        reject(new Error(`${path(number)}: closed ${head}`))
      })
      const accept = `Accept: ${type}`
      socket.write(`GET ${path(number)} HTTP/1.1\r\nHost: bench\r\n${accept}\r\n\r\n`)
    })
  }

  #count(number: number): void {
    this.#counted++
    const delivery = this.#deliveries.get(number)
    if (delivery === undefined) {
      this.#wrong++
      return
    }
    delivery.left--
    if (delivery.left > 0) return
    this.#deliveries.delete(number)
    this.#took.push(performance.now() - delivery.publishedAt)
    this.#onDelivered()
  }

  /** Takes the bytes of a stream and looks for each event in them, in order and whole; chunks may divide it. */
  #comparer(): (text: string) => void {
    let next = this.#published
    let rest = ''
    return (text) => {
      // the length of a chunk in a frame would be in the way
      rest = (rest + text).replaceAll(/\r\n[0-9a-f]+\r\n/g, '')
      for (;;) {
        const at = rest.indexOf(mark)
        const end = rest.indexOf('x"', at)
        if (at < 0 || end < 0) return
        const expected = eventText(next)
        const found = rest.slice(at - `${next}`.length, end + 1)
        if (found !== expected) this.#wrong++
        next++
        rest = rest.slice(end + 1)
      }
    }
  }
}

/** All sockets read into one buffer, one after the other. */
const readBuffer = Buffer.alloc(65_536)

/** Publishes and counts, for as long as it says. Times are from publishing an event until the last stream has it. */
export const runStreams = ({ streams, seconds, inFlight }: StreamLoad): Promise<LoadResult> =>
  streams.run(seconds, inFlight)
