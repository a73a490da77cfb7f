/** A client that reads a stream of numbers, resumes it by Last-Event-ID whenever it ends, and notes what it was sent. */
import { openEventStream, type ReadEvent } from '#test/support/event-stream.ts'
import type { Noted } from './judge.ts'

/** Before it asks again where nobody has told it how long; milliseconds. */
const usualRetry = 100

export class CountingClient {
  /** See judge.ts. */
  readonly noted: Noted[] = []
  /** The publication ids that the events had, by number. */
  readonly publications = new Map<number, number>()
  /** What became of the connections: `status 200` for each head, codes of `end`, `cut` for a broken body. */
  readonly endings = new Map<string, number>()
  /** What no client should be sent. */
  readonly troubles: string[] = []
  /** The greatest number so far. */
  last = 0
  /** What the publisher was about to send when the first head came: whatever follows is due. */
  due: number | undefined
  readonly #url: string
  readonly #nextNumber: () => number
  readonly #ended: Promise<void>
  #lastEventId = ''
  #tag = ''
  #isStopped = false
  #leave: () => void = () => undefined

  /** @param nextNumber what the publisher sends next */
  constructor(url: string, nextNumber: () => number) {
    this.#url = url
    this.#nextNumber = nextNumber
    this.#ended = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#leave()
    await this.#ended
  }

  #count(what: string): void {
    this.endings.set(what, (this.endings.get(what) ?? 0) + 1)
  }

  async #run(): Promise<void> {
    let retry = usualRetry
    while (!this.#isStopped) {
      retry = (await this.#connect().catch(() => this.#count('no answer'))) ?? retry
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, retry)
        this.#leave = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** One connection, to its end; the time that the client is told to wait. */
  async #connect(): Promise<number | undefined> {
    const headers = this.#lastEventId === '' ? {} : { 'last-event-id': this.#lastEventId }
    const stream = await openEventStream(this.#url, {
      headers,
      onEvent: (event) => this.#note(event),
    })
    this.#count(`status ${stream.status}`)
    if (stream.status === 200) this.due ??= this.#nextNumber()
    this.#leave = () => stream.close()
    if (this.#isStopped) stream.close()
    const isWhole = await stream.ended
    if (!(isWhole || this.#isStopped)) this.#count('cut')
    this.#lastEventId = stream.lastEventId ?? this.#lastEventId
    this.troubles.push(...stream.errors)
    return stream.retry
  }

  #note({ id, event, data }: ReadEvent): void {
    if (event === 'gap') this.noted.push(`gap ${JSON.parse(data).code}`)
    else if (event === 'end') this.#count(`end ${JSON.parse(data).code}`)
    else if (event === undefined) this.#noteNumber(id ?? '', Number(data))
    else this.troubles.push(`${event} ${data}`)
  }

  #noteNumber(id: string, number: number): void {
    const [, publication, tag = ''] = /^(\d+)-([0-9a-f]{6})$/.exec(id) ?? []
    if (publication === undefined) this.troubles.push(`id ${id}`)
    if (tag !== this.#tag && this.#tag !== '') this.noted.push('moved')
    this.#tag = tag
    this.noted.push(number)
    this.publications.set(number, Number(publication))
    this.last = Math.max(this.last, number)
  }
}
