/** Expressions that fail on the data of a request, or must not load at all: 400 or 500, and the data stays untold. */
import { expect } from 'chai'
import { type BadInput, describeArea, row } from './cases.ts'
import { type Document, documentOf, operation } from './documents.ts'
import { costOf } from './memory.ts'
import { ask, expectRefusal, get, post } from './sockets.ts'

const json = 'application/json'

/** Where an expression stands that is the body of a static action. */
const inBody = (expression: string): Document =>
  operation(
    { type: 'static', body: expression },
    { status_code: 200, body: '{{action.result.body}}' },
  )

/** Rows whose expression, written out, is the body. */
const plain = [31, 33, 34, 35, 36, 37, 38, 40, 41, 43]

/** The paths of the document: each row's expression behind a POST of its own. */
const paths: Document = {
  ...Object.fromEntries(
    plain.map((index) => [`/e${index}`, { post: inBody(row(index).input.expression ?? '') }]),
  ),
  '/e32': { post: operation({ type: 'static', body: 'ok', headers: '{{request.body.h}}' }) },
  '/e32-result': {
    post: operation({ type: 'static', body: 'ok' }, { headers: '{{request.body.h}}' }),
  },
  '/e42': { post: inBody('{{request.body.s}}{{request.body.s}}') },
}

/** The body in the row's `POST {…}`. */
const bodyOf = ({ input: { request = '' } }: BadInput): string => request.slice('POST '.length)

/** A word that is in no document, so that an answer which holds it tells the request's data. */
const secret = 'kestrel'

describeArea(
  'expression',
  {},
  (area) => {
    before(() => area.load(documentOf('com.t.expressions', paths)))

    const send = (index: number, body: string) =>
      ask(area.port, post(`/v1/e${index}`, json, body, ['Connection: close']))

    for (const index of plain) {
      area.test(index, async (entry) => {
        const answer = await send(index, bodyOf(entry))
        const { message } = expectRefusal(answer, entry)
        const expression = (entry.input.expression ?? '').slice(2, -2)
        const place = `/versions/1.0/paths/~1e${index}/post`
        if (answer.status === 400) {
          expect(message, 'names the member of the request').to.match(/^request\.body\.\w/)
          expect(message, 'shows nothing of the document').to.not.match(/\{\{|\|>|versions/)
        } else {
          expect(message, 'names the expression').to.include(expression)
          expect(message, 'names its place').to.include(place)
        }
        expect(answer.body).to.not.match(/Infinity|native code|null/)
      })
    }

    area.test(
      32,
      async (entry) => {
        expectRefusal(await send(32, bodyOf(entry)), entry)
        const inResponse = await ask(area.port, post('/v1/e32-result', json, bodyOf(entry)))
        expectRefusal(inResponse, entry)
      },
      'in the action and in the response',
    )

    area.test(39, async (entry) => {
      const chain = `{{request.body${' |> string'.repeat(10_000)}}}`
      const document = documentOf('com.t.chain', { '/y': { post: inBody(chain) } }, '/chain')
      const { message, details = [] } = expectRefusal(
        await ask(area.adminPort, post('/api_specs', json, JSON.stringify(document))),
        entry,
      )
      expect(details).to.have.length(1)
      expect(details[0]?.path).to.equal('/versions/1.0/paths/~1y/post/action/body')
      expect(`${message} ${details[0]?.message}`).to.include('64')
      const unknown = await ask(area.adminPort, get('/api_specs/com.t.chain'))
      expect(unknown.status, 'nothing stored').to.equal(404)
      expect((await ask(area.port, post('/chain/y', json, '{}'))).status).to.equal(404)
    })

    area.test(42, async (entry) => {
      const bytes = post('/v1/e42', json, `{"s":"${'x'.repeat(20_000_000)}"}`)
      let message = ''
      const { peak } = await costOf(async () => {
        message = expectRefusal(await ask(area.port, bytes), entry).message
      })
      expect(message.length, 'the data stays untold').to.be.below(1000)
      expect(peak.heap, 'growth of the heap').to.be.below(100_000_000)
    })

    it('tell no data of the request', async () => {
      const bodies: readonly (readonly [number, unknown])[] = [
        [33, { s: secret }],
        [37, { [secret]: 1, a: secret }],
        [40, { n: secret }],
        [41, { a: { [secret]: 1 }, b: secret }],
        [43, { l: [secret] }],
      ]
      for (const [index, body] of bodies) {
        const answer = await send(index, JSON.stringify(body))
        expectRefusal(answer, row(index))
        expect(answer.body).to.not.include(secret)
      }
    })
  },
  { notProblems: [39] },
)
