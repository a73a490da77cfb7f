/** The examples of deliveries: the request that is expected for an event. */
import { expect } from 'chai'
import { testDocument } from '#component/examples/examples.ts'
import { examplePorts } from './ports.ts'

const orders = {
  ...{
    topic: 'com.example.order',
    filter: '{{action.event.kwargs |> get(final, true) |> boolean}}',
  },
  to: {
    url: 'https://shop.example.com/{{action.event.kwargs.shop}}',
    headers: { 'X-Attempt': '{{delivery.attempt |> string}}' },
  },
}

const event = { kwargs: { shop: 'a b', n: 1 } }
const body = {
  type: 'com.example.order',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: event.kwargs,
}

/** The problems of one example. */
async function problems(example: object, more: object = {}) {
  const { report, issues } = await testDocument(
    {
      id: 'a',
      realm_uri: 'com.example',
      deliveries: { orders: { ...orders, ...more, examples: { it: example } } },
    },
    examplePorts,
  )
  if (!report) throw new TypeError(JSON.stringify(issues))
  return report.results.flatMap((one) =>
    one.problems.map(({ path, message }) => `${path}: ${message}`),
  )
}

const at = '/deliveries/orders/examples/it/expect'

describe('an example of a delivery', () => {
  for (const [what, example] of [
    ['no more than it names', { event, expect: { request: { method: 'POST' } } }],
    [
      'a whole request',
      {
        event,
        expect: {
          request: {
            ...{ method: 'POST', url: 'https://shop.example.com/a%20b', body },
            headers: { 'x-attempt': '1', 'content-type': 'application/json', 'x-other': null },
          },
        },
      },
    ],
    ['no request', { event: { kwargs: { final: false } }, expect: { request: null } }],
  ] as const) {
    it(`holds where it expects ${what}`, async () => {
      expect(await problems(example)).to.deep.equal([])
    })
  }

  for (const [what, example, problem] of [
    [
      'another method',
      { event, expect: { request: { method: 'PUT' } } },
      `${at}/request/method: expected "PUT", found "POST"`,
    ],
    [
      'another body',
      { event, expect: { request: { body: { ...body, type: 'x' } } } },
      `${at}/request/body/type: expected "x", found "com.example.order"`,
    ],
    [
      'another header',
      { event, expect: { request: { headers: { 'X-Attempt': '2' } } } },
      `${at}/request/headers/X-Attempt: expected "2", found "1"`,
    ],
    [
      'no request',
      { event, expect: { request: null } },
      `${at}/request: expected no request, found {"method":"POST"`,
    ],
    [
      'a request',
      { event: { kwargs: { final: false } }, expect: { request: {} } },
      `${at}/request: expected a request, found none: the filter leaves the event out`,
    ],
    ['an event that the document cannot render', { event: {}, expect: { request: {} } }, `${at}: `],
  ] as const) {
    it(`fails for ${what}`, async () => {
      const [first = '', ...more] = await problems(example)
      expect(more).to.deep.equal([])
      expect(first.slice(0, problem.length)).to.equal(problem)
    })
  }

  it('is missing for a delivery without any', async () => {
    const { report } = await testDocument(
      { id: 'a', realm_uri: 'com.example', deliveries: { orders } },
      examplePorts,
    )
    expect(report).to.deep.include({ operations: 1, without: 1, uncovered: ['/deliveries/orders'] })
  })
})
