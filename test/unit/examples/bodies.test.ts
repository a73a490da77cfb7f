/** Bodies of examples that are no values: bytes, and forms with files. */
import { expect } from 'chai'
import { testDocument } from '#component/examples/examples.ts'
import { documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { examplePorts } from './ports.ts'

/** What does not hold of an example of a PUT. */
async function problemsOf(operation: object, request: object, body: unknown, status = 200) {
  const example = { request, expect: { status, body } }
  const put = { ...operation, examples: { one: example } }
  const document = documentOf({ '/x': { put } })
  const { report, issues } = await testDocument(document, examplePorts)
  const problems = report?.results.flatMap((result) => result.problems) ?? []
  return [...(issues ?? []), ...problems].map(({ message }) => message)
}

const told = (body: unknown) => ({
  action: { type: 'static' },
  response: { on_result: { body }, on_error: {} },
})

describe('the body of an example', () => {
  const png = {
    accepts: ['image/png', 'application/json'],
    ...told({ body: '{{request.body |> base64:encode}}', length: '{{request.body_length}}' }),
  }
  const headers = { 'content-type': 'image/png' }

  it('may be bytes', async () => {
    const body = { base64: 'iVBORw0KGgo=' }
    expect(
      await problemsOf(png, { headers, body }, { body: 'iVBORw0KGgo=', length: 8 }),
    ).to.deep.equal([])
  })

  it('is a value where its type holds values', async () => {
    const echo = { accepts: ['application/json'], ...told('{{request.body}}') }
    const body = { base64: 'AA==' }
    expect(await problemsOf(echo, { body }, body)).to.deep.equal([])
  })

  it('may be a form with files', async () => {
    const form = {
      accepts: ['multipart/form-data'],
      ...told({
        title: '{{request.body.title}}',
        name: '{{request.files.cover.filename}}',
        type: '{{request.files.cover.content_type}}',
        content: '{{request.files.cover.content |> base64:encode}}',
        size: '{{request.files.other.size}}',
      }),
    }
    const cover = { filename: 'a"b.png', content_type: 'image/png', base64: 'iVBORw0KGgo=' }
    const request = { body: { title: 'ä' }, files: { cover, other: {} } }
    const found = { title: 'ä', name: 'a"b.png', type: 'image/png', content: cover.base64, size: 0 }
    expect(await problemsOf(form, request, found)).to.deep.equal([])
  })

  it('is refused at load where a file is no base64', async () => {
    const request = { files: { cover: { base64: '%' } } }
    expect(await problemsOf(png, request, '')).to.deep.equal([
      'expected bytes in base64, got "%": it is none',
    ])
  })
})

/** A body that is streamed, what the call of it is told, and what is found instead. */
interface Streamed {
  readonly what: string
  readonly of: object
  readonly action?: object
  readonly request: object
  readonly expect: object
  readonly problems?: readonly string[]
}

const bytesOf = (size: number) => ({ base64: Buffer.alloc(size, 1).toString('base64') })
const film = { accepts: ['multipart/form-data'] }
const video = { accepts: ['video/*'] }
const headers = { 'content-type': 'video/mp4' }

const streamed: readonly Streamed[] = [
  {
    what: 'in pieces of the size that the action says',
    of: video,
    action: { chunk_bytes: 4096 },
    request: { headers, body: bytesOf(10_000) },
    expect: { action: { chunks: [4096, 4096, 1808] } },
  },
  {
    what: 'in more pieces than may be ahead of the callee',
    of: video,
    action: { chunk_bytes: 4096, flow: 'results', window: 1 },
    request: { headers, body: bytesOf(12_288) },
    expect: { action: { chunks: [4096, 4096, 4096] } },
  },
  {
    what: 'that is empty, in none',
    of: video,
    request: { headers, body: bytesOf(0) },
    expect: { action: { chunks: [] } },
  },
  {
    what: 'that is missing, in none',
    of: video,
    request: { headers },
    expect: { action: { chunks: [] } },
  },
  {
    what: 'of a form, whose fields are known before its file',
    of: film,
    action: {
      kwargs: { title: '{{request.body.title}}', name: '{{request.files.film.filename}}' },
    },
    request: { body: { title: 'ä' }, files: { film: { filename: 'a.mp4', ...bytesOf(70_000) } } },
    expect: { action: { kwargs: { title: 'ä', name: 'a.mp4' }, chunks: [65_536, 4464] } },
  },
  {
    what: 'of another size than is expected',
    of: video,
    request: { headers, body: bytesOf(8) },
    expect: { action: { chunks: [9] } },
    problems: ['expected 9, found 8'],
  },
  {
    what: 'that is too large',
    of: { ...video, body_max_bytes: 5 },
    request: { headers, body: bytesOf(6) },
    expect: { status: 413 },
  },
]

describe('an example of a body that is streamed', () => {
  for (const { what, of, action, request, expect: expected, problems = [] } of streamed) {
    it(`sends one ${what}`, async () => {
      const put = {
        ...{ ...of, body: 'stream', response: { on_error: {} } },
        action: { type: 'wamp_call', procedure: 'com.example.put', ...action },
        examples: { one: { request, outcome: { result: { args: [1] } }, expect: expected } },
      }
      const { report, issues } = await testDocument(documentOf({ '/x': { put } }), examplePorts)
      const found = report?.results.flatMap((result) => result.problems) ?? []
      expect([...issues, ...found].map(({ message }) => message)).to.deep.equal(problems)
    })
  }
})
