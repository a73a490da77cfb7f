/** Bodies of any type: what accepts lets in, what a procedure gets of it, and what leaves as a type of provides. */
import { expect } from 'chai'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Session } from '#component/wamp/session.ts'
import { basics } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const procedure = 'com.example.bodies.echo'
const call = { type: 'wamp_call', procedure, args: ['{{request.body}}'] }
const echoed = { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} }
const sized = {
  on_result: { body: '{{action.result.args |> head |> size}}' },
  on_error: {},
}

const document = {
  ...{ id: 'bodies', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/bodies',
      paths: {
        '/any': { accepts: ['*/*'], post: { action: call, response: sized } },
        '/echo': {
          accepts: ['*/*'],
          provides: ['image/png', 'text/csv', 'application/json'],
          post: { action: call, response: echoed },
        },
        '/images': {
          accepts: ['image/*'],
          provides: ['image/*'],
          put: {
            request: { body: { type: 'string', format: 'binary', maxLength: 4 } },
            action: call,
            response: {
              on_result: {
                ...echoed.on_result,
                headers: { 'content-type': '{{request.headers.content-type}}' },
              },
              on_error: {},
            },
          },
          delete: { action: call, response: {} },
        },
        '/tables': {
          accepts: ['text/csv'],
          provides: ['text/csv'],
          post: { action: call, response: echoed },
          get: {
            action: { type: 'static', body: { a: 1 } },
            response: {},
          },
        },
        '/told': {
          accepts: ['image/png'],
          post: {
            action: { type: 'static' },
            response: {
              on_result: {
                body: {
                  size: '{{request.body |> size}}',
                  text: '{{request.body |> base64:encode}}',
                  length: '{{request.body_length}}',
                },
              },
              on_error: {},
            },
          },
        },
        '/albums': {
          post: {
            accepts: ['multipart/form-data', 'application/x-www-form-urlencoded'],
            multipart: { files: 2, file_max_bytes: 5, types: ['image/*'] },
            request: { body: { type: 'object', properties: { year: { type: 'integer' } } } },
            action: {
              type: 'wamp_call',
              procedure,
              args: [
                {
                  title: '{{request.body.title}}',
                  year: '{{request.body.year}}',
                  titles: '{{request.body_lists.title}}',
                  cover: '{{request.files |> get(cover, none)}}',
                  covers: '{{request.file_lists |> get(cover, none)}}',
                  length: '{{request.body_length}}',
                },
              ],
            },
            response: {
              on_result: { body: '{{action.result.args |> head |> without([covers])}}' },
              on_error: {},
            },
          },
        },
        ...Object.fromEntries(
          [
            ['text', 'a{{request.body}}b'],
            ['string', '{{request.body |> string}}'],
            ['sum', '{{request.body |> add(1)}}'],
            ['upper', '{{request.body |> upper}}'],
            ['key', '{{request.bindings |> get({{request.body}}, none)}}'],
          ].map(([name, body]) => [
            `/wrong/${name}`,
            { accepts: ['image/png'], post: { action: { type: 'static', body }, response: {} } },
          ]),
        ),
        '/wrong/header': {
          accepts: ['image/png'],
          post: {
            action: { type: 'static', headers: { 'x-body': '{{request.body}}' } },
            response: {},
          },
        },
      },
    },
  },
}

describe('bodies of any type', () => {
  let gateway: TestGateway
  let backend: Session
  const seen: unknown[] = []

  const send = async (
    method: string,
    path: string,
    type: string | undefined,
    content: Uint8Array<ArrayBuffer> | undefined,
    accept = '*/*',
  ) => {
    const headers: Record<string, string> = { accept }
    if (type !== undefined) headers['content-type'] = type
    const answer = await fetch(`${gateway.url}/bodies${path}`, {
      method,
      headers,
      body: content ?? null,
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      bytes,
      text: Buffer.from(bytes).toString(),
      headers: answer.headers,
    }
  }
  const png = new Uint8Array([0x89, 0x50, 0, 0xff])

  before(async () => {
    gateway = await startGateway()
    await gateway.mustLoad(document)
    const session = componentSession({ ...basics, url: gateway.routerUrl })
    backend = session
    expect(await session.joined(10_000)).to.equal(true)
    await backend.register(procedure, ({ args }) => {
      seen.push(args[0])
      return { args, kwargs: {} }
    })
  })
  after(async () => {
    await backend?.leave()
    await gateway?.stop()
  })

  it('reach a procedure as bytes, of a type that the gateway does not read or of none', async () => {
    for (const type of ['image/png', 'application/octet-stream', 'video/mp4', 'x/y']) {
      const answer = await send('POST', '/any', type, png)
      expect([type, answer.status, answer.text]).to.deep.equal([type, 200, '4'])
      expect(seen.at(-1)).to.deep.equal(png)
    }
  })

  it('are counted by what they are read as', async () => {
    const counted = async (kind: string) => {
      const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
      return Number(
        text.match(new RegExp(`^gateway_body_bytes_total\\{kind="${kind}"\\} (\\d+)$`, 'm'))?.[1] ??
          0,
      )
    }
    for (const [type, kind] of [
      ['image/png', 'bytes'],
      ['text/plain', 'text'],
      ['application/json', 'data'],
    ] as const) {
      const before = await counted(kind)
      await send('POST', '/any', type, new TextEncoder().encode('"ab"'))
      expect([kind, (await counted(kind)) - before]).to.deep.equal([kind, 4])
    }
  })

  it('of 5 MB reach a procedure and come back', async () => {
    const large = new Uint8Array(5_000_000).map((_, index) => index % 251)
    const { status, bytes, type } = await send('POST', '/echo', 'image/png', large, 'image/png')
    expect([status, type, Buffer.compare(bytes, large)]).to.deep.equal([200, 'image/png', 0])
  })

  it('leave as the type that the client prefers: bytes and texts as they are, else as data', async () => {
    const as = (accept: string) => send('POST', '/echo', 'image/png', png, accept)
    expect(await as('image/png')).to.deep.include({ type: 'image/png', bytes: png })
    expect(await as('application/json')).to.deep.include({ text: '"\\u0000iVAA/w=="' })
    const text = await send('POST', '/echo', 'text/plain', new Uint8Array([0xc3, 0xa4]), 'text/csv')
    expect(text).to.deep.include({ type: 'text/csv; charset=utf-8', text: 'ä' })
    expect(text.headers.get('x-content-type-options')).to.equal('nosniff')
  })

  it('have a computed type, with nosniff', async () => {
    const answer = await send('PUT', '/images', 'image/webp', png)
    expect(answer).to.deep.include({ status: 200, type: 'image/webp', bytes: png })
    expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
  })

  for (const [method, path, type, length, status] of [
    ['PUT', '/images', 'text/plain', 1, 415],
    ['PUT', '/images', undefined, 1, 415],
    ['PUT', '/images', 'image/png', 5, 400],
    ['POST', '/tables', 'text/csv; charset=klingon', 1, 415],
    ['DELETE', '/images', 'video/mp4', 1, 415],
    ['DELETE', '/images', 'image/png', 1, 204],
  ] as const) {
    it(`answer ${status} to ${method} ${path} of ${length} bytes ${type ?? 'without a type'}`, async () => {
      const answer = await send(method, path, type, new Uint8Array(length))
      expect(answer.status, answer.text).to.equal(status)
    })
  }

  it('are told by size, base64 and length', async () => {
    const { text } = await send('POST', '/told', 'image/png', png)
    expect(JSON.parse(text)).to.deep.equal({ size: 4, text: 'iVAA/w==', length: 4 })
  })

  for (const name of ['text', 'string', 'sum', 'upper', 'key', 'header']) {
    it(`are refused as a part of a ${name}`, async () => {
      const { status, text } = await send('POST', `/wrong/${name}`, 'image/png', png)
      expect([status, JSON.parse(text).code]).to.deep.equal([
        400,
        'service.error.http_gateway.invalid_request',
      ])
    })
  }

  it('are 500 where the type of the answer cannot hold the value', async () => {
    const map = await send('GET', '/tables', undefined, undefined)
    expect([map.status, JSON.parse(map.text).code]).to.deep.equal([
      500,
      'service.error.response_mismatch',
    ])
    const bytes = await send('POST', '/tables', 'text/csv', new Uint8Array([0x61]))
    expect(bytes).to.deep.include({ status: 200, text: 'a' })
  })

  it('are told of in errors as data, whatever the answers are', async () => {
    const refused = await send('PUT', '/images', 'text/plain', png, 'image/png')
    expect(refused).to.deep.include({ status: 415, type: 'application/json' })
    expect(JSON.parse(refused.text).message).to.equal('expected a body of type image/*')
  })

  describe('of multipart/form-data', () => {
    const post = async (form: FormData | URLSearchParams) => {
      const answer = await fetch(`${gateway.url}/bodies/albums`, { method: 'POST', body: form })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const formOf = (...files: readonly [content: string, type: string][]) => {
      const form = new FormData()
      form.append('title', 'One')
      form.append('title', 'Two')
      form.append('year', '1999')
      for (const [content, type] of files) {
        form.append('cover', new File([content], 'a"b/c.png', { type }))
      }
      return form
    }

    it('reach a procedure as texts, which its schema reads, and files', async () => {
      const { status, body } = await post(formOf(['one', 'image/png'], ['two', 'image/gif']))
      const cover = { filename: 'c.png', content_type: 'image/gif', size: 3 }
      expect(status, JSON.stringify(body)).to.equal(200)
      expect(body).to.deep.include({ title: 'Two', year: 1999, titles: ['One', 'Two'] })
      expect(body.cover).to.deep.equal({ ...cover, content: `\0${btoa('two')}` })
      const { covers } = seen.at(-1) as { covers: readonly { content: Uint8Array }[] }
      expect(covers.map(({ content }) => Buffer.from(content).toString())).to.deep.equal([
        'one',
        'two',
      ])
    })

    it('have no file where the form has none', async () => {
      const { status, body } = await post(new URLSearchParams({ title: 'One', year: '7' }))
      expect([status, body.cover, body.titles]).to.deep.equal([200, 'none', ['One']])
      expect((await post(formOf())).body.cover).to.equal('none')
    })

    for (const [status, what, files] of [
      [413, 'too many files', Array(3).fill(['1', 'image/png'])],
      [413, 'too large a file', [['123456', 'image/png']]],
      [415, 'a file of another type', [['1', 'text/plain']]],
    ] as const) {
      it(`are ${status} with ${what}`, async () => {
        expect((await post(formOf(...files))).status).to.equal(status)
      })
    }

    it('are 400 where a field does not fit its schema', async () => {
      const form = formOf()
      form.set('year', 'never')
      const { status, body } = await post(form)
      expect([status, body.code]).to.deep.equal([400, 'service.error.validation_failed'])
    })
  })
})
