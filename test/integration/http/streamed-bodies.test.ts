/** Bodies that are streamed to a procedure, in pieces of one call. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { RawPeer } from '#test/support/peers/raw-peer.ts'
import { until } from '#test/support/running/until.ts'

const realm = 'com.example.test'
const pieces = { progressive_call_invocations: true, call_canceling: true }
const put = (name: string, more: object = {}, action: object = {}) => ({
  put: {
    ...{ accepts: ['*/*'], body: 'stream', body_max_bytes: 10_000_000, ...more },
    action: {
      ...{ type: 'wamp_call', procedure: `com.example.${name}`, ...action },
      kwargs: { type: '{{request.headers |> get(content-type, none)}}' },
    },
    response: { on_result: { body: '{{action.result.args}}' }, on_error: {} },
  },
})
const document = {
  ...{ id: 'streamed', host: '_', realm_uri: realm },
  versions: {
    one: {
      base_path: '/streamed',
      paths: {
        '/sink': put('sink', {}, { chunk_bytes: 4096 }),
        '/whole': put('sink', { body_max_bytes: 5000 }),
        '/results': put('sink', {}, { chunk_bytes: 4096, flow: 'results', window: 2 }),
        '/silent': put('sink', { body_idle_timeout: 100 }),
        '/form': {
          put: {
            ...{ accepts: ['multipart/form-data'], body: 'stream', body_max_bytes: 1_000_000 },
            multipart: { fields: 2, file_max_bytes: 200_000, types: ['image/*'] },
            action: {
              ...{ type: 'wamp_call', procedure: 'com.example.sink', chunk_bytes: 4096 },
              kwargs: {
                title: '{{request.body |> get(title, none)}}',
                file: '{{request.files |> get(image, none)}}',
              },
            },
            response: { on_result: { body: '{{action.result.args}}' }, on_error: {} },
          },
        },
        '/plain': put('plain'),
        '/absent': put('absent'),
      },
    },
  },
}

interface Seen {
  readonly request: unknown
  readonly hash: ReturnType<typeof createHash>
  sizes: number[]
  kwargs: unknown
  isOver: boolean
  isInterrupted: boolean
}

describe('a body that is streamed', () => {
  let gateway: TestGateway
  let callee: RawPeer
  let isClosed = false
  /** Answers before the last piece. */
  let isEarly = false
  /** Yields a progressive result for each piece. */
  let isYielding = false
  let seen: Seen[] = []

  const take = (message: readonly unknown[]) => {
    const [type, id, , details, args, kwargs] = message
    if (type === 69) {
      const call = seen.find(({ request: each }) => each === id)
      if (call) call.isInterrupted = true
      callee.send([8, 68, id, {}, 'wamp.error.canceled'])
      return
    }
    if (type !== 68) return
    let call = seen.find(({ request: each }) => each === id)
    const isFirst = call === undefined
    if (call === undefined) {
      call = {
        ...{ request: id, hash: createHash('sha256'), sizes: [], kwargs },
        ...{ isOver: false, isInterrupted: false },
      }
      seen.push(call)
    }
    const [piece] = (args ?? []) as [Uint8Array?]
    if (piece && !isFirst) {
      call.sizes.push(piece.length)
      call.hash.update(piece)
      if (isYielding) callee.send([70, id, { progress: true }, []])
    }
    const isLast = (details as { progress?: boolean }).progress !== true
    if (!isLast && !(isEarly && !isFirst)) return
    call.isOver = true
    callee.send([70, id, {}, [call.hash.digest('hex'), call.sizes.length]])
  }

  before(async () => {
    gateway = await startGateway({ 'limits.streamed_bodies': '8' }, { isEmbedded: true })
    await gateway.mustLoad(document)
    callee = await RawPeer.join(gateway.routerUrl, realm, { callee: { features: pieces } })
    callee.onMessage = take
    callee.onClose = () => {
      isClosed = true
    }
    await callee.register('com.example.sink')
    const plain = await RawPeer.join(gateway.routerUrl, realm, { callee: {} })
    await plain.register('com.example.plain')
  })
  after(async () => {
    expect(isClosed).to.equal(false)
    await gateway?.stop()
  })
  beforeEach(() => {
    seen = []
    isEarly = false
    isYielding = false
  })

  const send = async (path: string, body: Uint8Array<ArrayBuffer>, headers = {}) => {
    const init = { method: 'PUT', body, headers: { 'content-type': 'image/png', ...headers } }
    const answer = await fetch(`${gateway.url}/streamed${path}`, init)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const bytesOf = (length: number) => new Uint8Array(length).map((_, index) => index % 251)
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

  /** A request whose body is sent piece by piece. */
  const open = (path: string, headers: Record<string, string> = {}) => {
    const url = new URL(`${gateway.url}/streamed${path}`)
    const asked = request(url, {
      method: 'PUT',
      headers: { 'content-type': 'image/png', ...headers },
    })
    asked.on('error', () => undefined)
    return asked
  }

  it('reaches the procedure in pieces, behind its arguments', async () => {
    const body = bytesOf(10_000)
    const answer = await send('/sink', body)
    expect(answer).to.deep.equal({ status: 200, body: [digest(body), 3] })
    const [call] = seen
    expect(call?.sizes).to.deep.equal([4096, 4096, 1808])
    expect(call?.kwargs).to.deep.equal({ type: 'image/png' })
  })

  it('of 5 MB reaches it as it was sent', async () => {
    const body = bytesOf(5_000_000)
    expect((await send('/sink', body)).body).to.deep.equal([digest(body), 1221])
  })

  it('is counted by its bytes', async () => {
    const counted = async () => {
      const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
      return Number(text.match(/^gateway_body_bytes_total\{kind="stream"\} (\d+)$/m)?.[1] ?? 0)
    }
    const before = await counted()
    await send('/sink', bytesOf(10_000))
    expect((await counted()) - before).to.equal(10_000)
  })

  it('may be empty', async () => {
    expect(await send('/sink', bytesOf(0))).to.deep.equal({
      status: 200,
      body: [digest(bytesOf(0)), 0],
    })
  })

  it('waits for progressive results where the document says so', async () => {
    const asked = open('/results')
    const answered = once(asked, 'response')
    asked.end(bytesOf(40_960))
    await until('the callee has seen it', () => seen[0]?.sizes.length === 2)
    // the callee has two pieces, and has taken none
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen[0]?.sizes).to.deep.equal([4096, 4096])
    const id = seen[0]?.request
    isYielding = true
    callee.send([70, id, { progress: true }, []])
    const [response] = await answered
    response.resume()
    expect(response.statusCode).to.equal(200)
    expect(seen[0]?.sizes).to.have.lengthOf(10)
  })

  it('ends once there is room for its end', async () => {
    const asked = open('/results')
    const answered = once(asked, 'response')
    asked.end(bytesOf(8192))
    await until('the callee has seen it', () => seen[0]?.sizes.length === 2)
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen[0]?.isOver).to.equal(false)
    callee.send([70, seen[0]?.request, { progress: true }, []])
    const [response] = await answered
    response.resume()
    expect([response.statusCode, seen[0]?.isOver]).to.deep.equal([200, true])
  })

  it('is over where the procedure answers before it has all', async () => {
    isEarly = true
    const asked = open('/sink')
    const answered = once(asked, 'response')
    asked.write(bytesOf(5000))
    const [response] = await answered
    response.resume()
    expect(response.statusCode).to.equal(200)
    expect(response.headers.connection).to.equal('close')
    asked.destroy()
    isEarly = false
    expect((await send('/sink', bytesOf(1))).status).to.equal(200)
  })

  it('is cancelled with its client', async () => {
    const asked = open('/sink')
    asked.write(bytesOf(5000))
    await until('the callee has seen it', () => seen[0]?.sizes.length === 1)
    asked.destroy()
    await until('the callee has seen it', () => seen[0]?.isInterrupted === true)
  })

  it('is 413 where it is larger than it says nothing of, and the call is cancelled', async () => {
    const asked = open('/whole')
    const answered = once(asked, 'response')
    asked.write(bytesOf(4000))
    await until('the callee has seen it', () => seen.length === 1)
    asked.end(bytesOf(2000))
    const [response] = await answered
    response.resume()
    expect(response.statusCode).to.equal(413)
    await until('the callee has seen it', () => seen[0]?.isInterrupted === true)
  })

  it('is 413 by its length before the procedure is called', async () => {
    expect((await send('/whole', bytesOf(5001))).status).to.equal(413)
    expect(seen).to.deep.equal([])
  })

  it('is 408 where its client is silent, and the call is cancelled', async () => {
    const asked = open('/silent')
    const answered = once(asked, 'response')
    asked.write(bytesOf(10))
    const [response] = await answered
    response.resume()
    expect(response.statusCode).to.equal(408)
    await until('the callee has seen it', () => seen[0]?.isInterrupted === true)
    asked.destroy()
  })

  it('is asked for by 100 Continue once the procedure is called', async () => {
    const asked = open('/sink', { expect: '100-continue', 'content-length': '3' })
    const answered = once(asked, 'response')
    asked.flushHeaders()
    await once(asked, 'continue')
    await until('the callee has seen it', () => seen.length === 1)
    asked.end(bytesOf(3))
    const [response] = await answered
    response.resume()
    expect(response.statusCode).to.equal(200)
  })

  for (const [path, code, status] of [
    ['/plain', 'wamp.error.feature_not_supported', 501],
    ['/absent', 'wamp.error.no_such_procedure', 501],
  ] as const) {
    it(`is ${status} where the procedure does not take it: ${path}`, async () => {
      const { status: found, body } = await send(path, bytesOf(10))
      expect([found, body.error_uri]).to.deep.equal([status, code])
    })
  }

  describe('of a form', () => {
    const sent = async (...parts: readonly (readonly [name: string, value: string | Blob])[]) => {
      const body = new FormData()
      for (const [name, value] of parts) {
        if (typeof value === 'string') body.append(name, value)
        else body.append(name, value, 'a.png')
      }
      const answer = await fetch(`${gateway.url}/streamed/form`, { method: 'PUT', body })
      return { status: answer.status, body: await answer.json() }
    }
    const image = (bytes: number, type = 'image/png') => new Blob([bytesOf(bytes)], { type })

    it('is its file, and the fields before it are known', async () => {
      const answer = await sent(['title', 'ä'], ['image', image(10_000)])
      expect(answer).to.deep.equal({ status: 200, body: [digest(bytesOf(10_000)), 3] })
      expect(seen[0]?.sizes).to.deep.equal([4096, 4096, 1808])
      const file = { filename: 'a.png', content_type: 'image/png' }
      expect(seen[0]?.kwargs).to.deep.equal({ title: 'ä', file })
    })

    it('has no piece without a file', async () => {
      const { status, body } = await sent(['title', 'a'])
      expect([status, body]).to.deep.equal([200, [digest(bytesOf(0)), 0]])
      expect(seen[0]?.kwargs).to.deep.equal({ title: 'a', file: 'none' })
    })

    it('ends where anything is behind its file', async () => {
      const { status } = await sent(['image', image(150_000)], ['title', 'a'])
      expect(status).to.equal(400)
      await until('the callee has seen it', () => seen[0]?.isInterrupted === true)
    })

    for (const [what, parts, status, calls] of [
      ['a file that is too large', [['image', image(200_001)]], 413, 1],
      ['a file of another type', [['image', image(1, 'text/plain')]], 415, 0],
      [
        'too many fields',
        [
          ['a', ''],
          ['b', ''],
          ['c', ''],
        ],
        413,
        0,
      ],
      ['a field that is too large', [['a', 'a'.repeat(65_537)]], 413, 0],
    ] as const) {
      it(`is ${status} with ${what}`, async () => {
        expect((await sent(...parts)).status).to.equal(status)
        expect(seen).to.have.lengthOf(calls)
      })
    }

    it('is 400 where its end is missing', async () => {
      const asked = open('/form', { 'content-type': 'multipart/form-data; boundary=a' })
      const answered = once(asked, 'response')
      asked.end(
        '--a\r\ncontent-disposition: form-data; name="image"; filename="a"\r\ncontent-type: image/png\r\n\r\nabc',
      )
      const [response] = await answered
      response.resume()
      expect(response.statusCode).to.equal(400)
      await until('the callee has seen it', () => seen[0]?.isInterrupted === true)
    })

    it('is refused at load where its content is read, or other types are taken', async () => {
      const refused = async (accepts: readonly string[], args: readonly string[]) => {
        const action = { type: 'wamp_call', procedure: 'com.example.sink', args }
        const post = { accepts, body: 'stream', action, response: {} }
        const paths = { '/a': { post } }
        const versions = { one: { base_path: '/wrong', paths } }
        const { body } = await gateway.load({ id: 'wrong', host: '_', realm_uri: realm, versions })
        return body.details?.map(({ message }) => message)
      }
      const form = 'multipart/form-data'
      expect(await refused([form], ['{{request.files.a.content}}'])).to.deep.equal([
        'the body cannot be streamed: the content of its file is not there when the action begins',
      ])
      expect(await refused([form, 'image/png'], [])).to.deep.equal([
        `the body cannot be streamed: ${form} is read as a form, and stands alone among the types that are accepted`,
      ])
    })
  })

  it('is 503 where its network has as many as it may, until one is over', async () => {
    const all = ['/sink', '/sink'].map((path) => open(path))
    for (const asked of all) asked.write(bytesOf(5000))
    await until(
      'the callee has seen both',
      () => seen.length === 2 && seen.every((call) => call.sizes.length > 0),
    )
    const { status, body } = await send('/sink', bytesOf(10))
    expect([status, body.code]).to.deep.equal([503, 'service.error.unavailable'])
    for (const asked of all) asked.destroy()
    await until('both are cancelled', () => seen.slice(0, 2).every((call) => call.isInterrupted))
    expect((await send('/sink', bytesOf(10))).status).to.equal(200)
  })

  it('is 415 with a content coding', async () => {
    const { status } = await send('/sink', bytesOf(10), { 'content-encoding': 'gzip' })
    expect(status).to.equal(415)
  })
})
