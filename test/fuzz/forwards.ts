/** Random requests through forwards with checks to an upstream that records them: what was judged, and what the client sent, is what arrives. */
import { connect, type Socket } from 'node:net'
import { startGateway } from '#test/support/gateway.ts'
import { type Arrived, recordingUpstream } from '#test/support/peers/recording-upstream.ts'
import { type Judged, problemOf } from './arrivals.ts'
import { randomFrom } from './random.ts'
import { form, json, members, randomRequest, routes } from './random-requests.ts'

/** What the requests of one run came to. */
export interface ForwardFuzz {
  readonly passed: number
  readonly refused: number
  /** Each difference between what was judged or sent and what arrived. */
  readonly wrong: readonly string[]
}

const texts = {
  properties: Object.fromEntries(Object.entries(members).map(([name, [schema]]) => [name, schema])),
}
const request = {
  query_params: texts,
  headers: { properties: { 'x-h': { type: 'string', maxLength: 8 } } },
}

function documentOf(host: string): object {
  const paths: Record<string, object> = {}
  for (const { path, path_, query_, strip, isTwice } of routes) {
    const forward = {
      ...{ type: 'forward', host },
      ...(path_ !== undefined && { path: path_ }),
      ...(query_ !== undefined && { query_string: query_ }),
      ...(strip !== undefined && { strip_prefix: strip }),
    }
    const body = {
      query: '{{request.query_params}}',
      id: '{{request.bindings.id}}',
      header: "{{request.headers |> get('x-h', null)}}",
      body: '{{request.body}}',
    }
    const operation = {
      action: isTwice ? [forward, forward] : forward,
      response: { on_result: { body }, on_error: {} },
    }
    paths[path] = {
      accepts: [json, form],
      get: { request, ...operation },
      post: { request: { ...request, body: texts }, ...operation },
    }
  }
  return {
    ...{ id: 'com.example.fuzz-forwards', host: '_', realm_uri: 'com.example.test' },
    versions: { 1: { base_path: '/v1', paths } },
  }
}

/** One connection at a time, opened again when it has been closed. */
class Client {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** Sends bytes, and reads one answer; undefined where the connection is closed without one. */
  ask(bytes: Buffer): Promise<{ readonly status: number; readonly body: Buffer } | undefined> {
    return new Promise((resolve) => {
      this.#socket ??= connect(this.#port, '127.0.0.1')
      const socket = this.#socket
      let got: Buffer = Buffer.alloc(0)
      const end = (answer: { status: number; body: Buffer } | undefined, isOver: boolean): void => {
        socket.off('data', onData).off('close', onClose).off('error', ignore)
        if (isOver) {
          socket.on('error', ignore).destroy()
          this.#socket = undefined
        }
        resolve(answer)
      }
      const ignore = (): void => undefined // 'close' follows
      const onClose = (): void => end(undefined, true)
      const onData = (chunk: Buffer): void => {
        got = got.length === 0 ? chunk : Buffer.concat([got, chunk])
        const head = got.indexOf('\r\n\r\n')
        if (head < 0) return
        const text = got.toString('latin1', 0, head).toLowerCase()
        const length = Number(/\r\ncontent-length: *(\d+)/.exec(text)?.[1] ?? 0)
        if (got.length < head + 4 + length) return
        const body = got.subarray(head + 4, head + 4 + length)
        end({ status: Number(text.slice(9, 12)), body }, text.includes('\r\nconnection: close'))
      }
      socket.on('data', onData).on('close', onClose).on('error', ignore)
      socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }
}

/** Requests that are under way at once. */
const atOnce = 16

/** Sends `count` requests. The same seed sends the same. */
export async function fuzzForwards({
  count,
  seed,
}: {
  readonly count: number
  readonly seed: number
}): Promise<ForwardFuzz> {
  const random = randomFrom(seed)
  const upstream = await recordingUpstream()
  const gateway = await startGateway({}, { isEmbedded: true })
  const wrong: string[] = []
  let passed = 0
  let refused = 0
  let number = 0
  const arrived = new Map<number, Arrived[]>()
  const takeArrived = (of: number): readonly Arrived[] => {
    for (const one of upstream.take()) {
      const key = Number(one.headers['x-number'])
      arrived.set(key, [...(arrived.get(key) ?? []), one])
    }
    const found = arrived.get(of) ?? []
    arrived.delete(of)
    return found
  }
  try {
    const { status, body } = await gateway.load(documentOf(upstream.origin))
    if (status !== 201) throw new Error(JSON.stringify(body))
    const port = Number(new URL(gateway.url).port)
    const work = async (): Promise<void> => {
      const client = new Client(port)
      while (number < count) {
        const own = number++
        const sent = randomRequest(random, own)
        const fail = (what: string): void => {
          wrong.push(`${what}: ${JSON.stringify(sent.bytes.toString('latin1'))}`)
        }
        const answer = await client.ask(sent.bytes)
        const got = takeArrived(own)
        if (answer?.status !== 200) {
          refused++
          if (answer === undefined || answer.status >= 500)
            fail(`answered ${answer?.status} ${answer?.body}`)
          if (got.length > 0) fail(`refused by ${answer?.status}, and sent`)
          continue
        }
        passed++
        const judged = JSON.parse(answer.body.toString()) as Judged
        if (got.length !== (sent.route.isTwice ? 2 : 1)) fail(`arrived ${got.length} times`)
        for (const one of got) {
          const problem = problemOf(sent, judged, one)
          if (problem !== undefined) fail(problem)
        }
      }
      client.close()
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  } finally {
    await gateway.stop()
    upstream.close()
  }
  return { passed, refused, wrong }
}
