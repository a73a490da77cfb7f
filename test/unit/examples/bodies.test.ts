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
