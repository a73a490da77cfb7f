/** Streams that are asked for with random headers and told random events: the frames parse and hold what was published, and no data becomes a header. */
import { connect } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { createParser } from 'eventsource-parser'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway } from '#test/support/gateway.ts'
import { randomFrom } from './random.ts'

/** What the streams of one run came to. */
export interface StreamFuzz {
  readonly opened: number
  readonly refused: number
  /** Events that were read. */
  readonly events: number
  /** Anything that went wrong: the request, and how. */
  readonly wrong: readonly string[]
}

type Random = () => number

const realm = 'com.example.test'
const topic = 'com.example.test.fuzz'
/** Events of a stream, replayed ones included. */
const most = 3

const document = {
  id: 'com.example.fuzz',
  host: '_',
  realm_uri: realm,
  versions: {
    1: {
      base_path: '/fuzz',
      paths: {
        '/events': {
          get: {
            action: { type: 'wamp_subscribe', topic, max_events: most, max_duration: 5000 },
            response: {
              on_event: {
                event: '{{action.event.kwargs |> get(name)}}',
                body: '{{action.event.kwargs |> without([name])}}',
              },
              on_result: { headers: { 'x-asked': "{{request.query_params |> get(asked, '')}}" } },
              on_error: {},
            },
          },
        },
      },
    },
  },
}

/** The headers of answers, whatever was asked and published. */
const known: ReadonlySet<string> = new Set([
  ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['access-control-allow-origin', 'content-language', 'transfer-encoding', 'vary'],
  ...['x-accel-buffering', 'x-asked', 'x-content-type-options', 'x-request-id'],
])

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T

const pieces = [
  ...['a', 'é', '\u{1f600}', ' ', ':', ';', ',', '"', '\\', '=', '/', '*', '0', '-', '%0a', '{{'],
  ...['\n', '\r', '\r\n', '\n\n', '\0', '\t', '\u2028', '\ufeff', '\ud800', '\x7f', '\x1b'],
  ...['data: ', 'event: end', 'id: 1', 'retry: 1', '\r\nset-cookie: a=b', '\r\n\r\n'],
]

/** Well-formed: a router takes no other texts. */
const randomText = (random: Random, length = 8): string =>
  Array.from({ length: Math.floor(random() * length) }, () => pick(random, pieces))
    .join('')
    .toWellFormed()

function randomJson(random: Random, depth = 3): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 7 : 5))
  const list = () =>
    Array.from({ length: Math.floor(random() * 4) }, () => randomJson(random, depth - 1))
  if (kind === 0) return null
  if (kind === 1) return random() < 0.5
  if (kind === 2) return Math.floor((random() - 0.5) * 2 ** 54)
  if (kind === 3) return random() * 10 ** Math.floor(random() * 35 - 20)
  if (kind === 4) return randomText(random)
  if (kind === 5) return list()
  return Object.fromEntries(list().map((value) => [`k${randomText(random, 4)}`, value]))
}

const names = ['', '', 'notice', 'end', 'gap', 'x'.repeat(255), 'x'.repeat(256)]

/** An event, as kwargs of a publication; its payload as JSON has it, which has no -0. */
const randomEvent = (random: Random, number: number) => ({
  number,
  name: random() < 0.6 ? pick(random, names) : randomText(random),
  payload: JSON.parse(JSON.stringify(randomJson(random))) as unknown,
})

const types = ['text/event-stream', 'application/x-ndjson', 'application/json', '*/*', 'text/*']
const parameters = ['', ';q=0', ';q=0.5', ';q=1.0', ';q=2', ';charset=utf-8', ';q', ';q=0.1234']

/** Bytes of a header line, one character each. */
const headerText = (text: string): string =>
  Buffer.from(text.replaceAll(/[\r\n]/g, '')).toString('latin1')

function randomAccept(random: Random): string | undefined {
  const kind = random()
  if (kind < 0.2) return undefined
  if (kind < 0.4) return headerText(randomText(random))
  const ranges = Array.from(
    { length: 1 + Math.floor(random() * 3) },
    () => pick(random, types) + pick(random, parameters),
  )
  return ranges.join(', ')
}

function randomPosition(random: Random, ids: readonly string[]): string | undefined {
  const kind = random()
  const id = pick(random, ids) ?? '1-000000'
  if (kind < 0.3) return undefined
  if (kind < 0.6) return id
  if (kind < 0.8) {
    const at = Math.floor(random() * id.length)
    return headerText(id.slice(0, at) + randomText(random, 3) + id.slice(at))
  }
  return kind < 0.85 ? 'x'.repeat(Math.floor(random() * 600)) : headerText(randomText(random))
}

/** Sends bytes, and reads until the connection is closed. @param onHead called once, with the status */
function exchange(port: number, bytes: Buffer, onHead: (status: number) => void) {
  return new Promise<string>((resolve) => {
    let answer = ''
    let isHeadDone = false
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text
      if (isHeadDone || !answer.includes('\r\n\r\n')) return
      isHeadDone = true
      onHead(Number(answer.slice(9, 12)))
    })
    socket.on('error', () => {}) // 'close' follows
    socket.once('close', () => resolve(answer))
  })
}

/** The body of an answer in chunks (RFC 9112 §7.1). @throws Error for a body without its end */
function dechunked(text: string): string {
  let body = ''
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, end), 16)
    if (!(size >= 0)) throw new Error('the body has no end')
    if (size === 0) return Buffer.from(body, 'latin1').toString()
    body += text.slice(end + 2, end + 2 + size)
    at = end + size + 4
  }
}

interface ReadFrame {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: unknown
}

/** The frames of a body. @throws Error for what is no frame */
function framesIn(type: string, body: string): ReadFrame[] {
  if (type.startsWith('application/x-ndjson'))
    return body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ReadFrame)
  const frames: ReadFrame[] = []
  const parser = createParser({
    onEvent: ({ id, event, data }) => frames.push({ id, event, data: JSON.parse(data) }),
    onError: (error) => {
      throw error
    },
  })
  parser.feed(body)
  return frames
}

/** Asks for `count` streams. The same seed asks and publishes the same. */
export async function fuzzStreams({
  count,
  seed,
}: {
  readonly count: number
  readonly seed: number
}): Promise<StreamFuzz> {
  const random = randomFrom(seed)
  const gateway = await startGateway({}, { isEmbedded: true })
  const wrong: string[] = []
  const published = new Map<number, ReturnType<typeof randomEvent>>()
  const ids: string[] = []
  let opened = 0
  let refused = 0
  let events = 0
  try {
    const { status, body } = await gateway.load(document)
    if (status !== 201) throw new Error(JSON.stringify(body))
    const publisher = await RouterPeer.join({ url: gateway.routerUrl, realm })
    /** Random events, then as many with a frame as end a stream. */
    const publish = () => {
      for (let index = 0; index < 2 * most; index++) {
        const any = randomEvent(random, published.size + 1)
        const event = index < most ? any : { ...any, name: '' }
        published.set(event.number, event)
        publisher.send(16, published.size, {}, topic, [], event)
      }
    }
    /** Why a frame is not what was published; undefined when it is. */
    const problemOf = ({ id, event = '', data }: ReadFrame): string | undefined => {
      const told = data as { readonly code?: string; readonly number: number }
      if (id === undefined) {
        const isOwn = event === 'gap' || event === 'end'
        return isOwn && told.code !== undefined ? undefined : `a frame without an id: ${event}`
      }
      events += 1
      ids.push(id)
      const { name, ...rest } = published.get(told.number) ?? {}
      if (name !== event) return `the name ${JSON.stringify(event)} of ${JSON.stringify(name)}`
      return isDeepStrictEqual(data, rest)
        ? undefined
        : `${JSON.stringify(data)} of ${JSON.stringify(rest)}`
    }
    const judge = (answer: string): string | undefined => {
      const [head = '', ...rest] = answer.split('\r\n\r\n')
      const [first = '', ...lines] = head.split('\r\n')
      if (!/^HTTP\/1\.1 (200|400|406|431|500) /.test(first)) return `the status ${first}`
      const headers = new Map(
        lines.map((line) => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
        }),
      )
      for (const name of headers.keys()) if (!known.has(name)) return `the header ${name}`
      if (headers.size !== lines.length) return 'a header twice'
      if (!first.includes(' 200 ')) {
        refused++
        return undefined
      }
      opened++
      const body = dechunked(rest.join('\r\n\r\n'))
      const frames = framesIn(headers.get('content-type') ?? '', body)
      if (frames.at(-1)?.event !== 'end') return 'a stream without its end'
      return frames.map(problemOf).find((problem) => problem !== undefined)
    }
    const port = Number(new URL(gateway.url).port)
    for (let asked = 0; asked < count; asked++) {
      const query = encodeURIComponent(random() < 0.3 ? randomText(random) : 'plain')
      const accept = randomAccept(random)
      const position = randomPosition(random, ids.slice(-100))
      const text = [
        `GET /fuzz/events?asked=${query} HTTP/1.1`,
        'Host: 127.0.0.1',
        'Connection: close',
        ...(accept === undefined ? [] : [`Accept: ${accept}`]),
        ...(position === undefined ? [] : [`Last-Event-ID: ${position}`]),
        '\r\n',
      ].join('\r\n')
      const onHead = (status: number) => {
        if (status === 200) publish()
      }
      const answer = await exchange(port, Buffer.from(text, 'latin1'), onHead)
      try {
        const problem = judge(answer)
        if (problem !== undefined) wrong.push(`${problem}: ${JSON.stringify(text)}`)
      } catch (error) {
        wrong.push(`${error}: ${JSON.stringify(text)}`)
      }
    }
    publisher.cut()
  } finally {
    await gateway.stop()
  }
  return { opened, refused, events, wrong }
}
