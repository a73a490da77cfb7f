/** Explanations of streams: what would be subscribed to, and what a client would see. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { InvalidSpecError } from '#component/errors.ts'
import { explanationSchema } from '#component/explain/explanation/explanation-schema.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { explained as explain } from './explained.ts'

const isExplanation = new Ajv2020({ strict: false }).compile(explanationSchema)

const at = '/versions/1/paths/~1orders~1:id/get'

const documentWith = (action: JsonMap, response: JsonMap = {}): JsonMap => ({
  ...{ id: 'com.example.live', host: '_', realm_uri: 'com.example' },
  versions: {
    '1': {
      base_path: '/v1',
      paths: { '/orders/:id': { get: { action, response: { on_error: {}, ...response } } } },
    },
  },
})

const subscribe = {
  type: 'wamp_subscribe',
  topic: 'com.example.order.{{request.bindings.id}}.',
  match: 'prefix',
  options: { get_retained: true, exclude: [1] },
}
const orders = documentWith(subscribe, {
  on_event: { event: 'order', body: '{{action.event.kwargs}}' },
})

async function explained(outcome: JsonMap | undefined, document = orders, headers: JsonMap = {}) {
  const request = { path: '/v1/orders/7', headers }
  const explanation = await explain({ request, ...(outcome && { outcome }) }, [document])
  isExplanation(JSON.parse(JSON.stringify(explanation)))
  expect(isExplanation.errors ?? []).to.deep.equal([])
  return explanation
}

describe('the explanation of a stream', () => {
  it('tells what would be subscribed to, and as whom', async () => {
    const { action, checks } = await explained(undefined)
    expect(action).to.deep.equal({
      ...{ type: 'wamp_subscribe', realm_uri: 'com.example', session_of: null },
      topic: 'com.example.order.7.',
      options: { get_retained: true, match: 'prefix' },
      dropped_options: ['exclude'],
      would_be_refused: null,
    })
    expect(checks.find(({ step }) => step === 'accept')).to.deep.equal({
      ...{ step: 'accept', passed: true, chosen: 'text/event-stream' },
    })
  })

  it('shows head and frames of the events that are given, and what their expressions saw', async () => {
    const events = [{ kwargs: { total: 7 } }, { topic: 'com.example.order.8.paid', kwargs: {} }]
    const { response, expressions, problem } = await explained({ events })
    expect(problem).to.equal(null)
    const { headers, frames = [], ...rest } = response ?? {}
    expect(rest).to.deep.equal({
      ...{ is_sample: false, status: 200, body: '' },
      from: { status: 'rule: success', body: `${at}/response/on_event/body` },
    })
    expect(headers).to.include({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    expect(frames.map(({ event, data }) => ({ event, data }))).to.deep.equal([
      { event: 'order', data: { total: 7 } },
    ])
    expect(expressions.map(({ expression, value }) => [expression, value])).to.deep.include([
      '{{action.event.kwargs}}',
      { total: 7 },
    ])
  })

  it('hides secrets in frames', async () => {
    const events = [{ kwargs: { password: 'open-sesame', text: 'say open-sesame' } }]
    const { response } = await explained({ events })
    expect(response?.frames?.[0]?.data).to.deep.equal({
      password: '‹redacted›',
      text: '‹redacted›',
    })
  })

  it('tells the events of several outcomes by their names', async () => {
    const { outcomes = {} } = await explained({
      none: { events: [] },
      refused: { error: { error_uri: 'wamp.error.not_authorized' } },
    })
    expect(outcomes.none?.response).to.deep.include({ status: 200, frames: [] })
    expect(outcomes.refused?.response)
      .to.include({ status: 403 })
      .and.not.to.have.property('frames')
  })

  it('refuses outcomes that the action cannot come to', async () => {
    for (const [outcome, path] of [
      [{ pieces: [] }, '/outcome/pieces'],
      [{ none: { events: [] }, one: { result: {} } }, '/outcome/one/result'],
    ] as const) {
      const error = await explained(outcome).catch((cause: unknown) => cause)
      expect(error).to.be.instanceOf(InvalidSpecError)
      expect((error as InvalidSpecError).issues.map((issue) => issue.path)).to.deep.equal([path])
    }
  })

  it('says why the gateway would not subscribe', async () => {
    const document = documentWith({ ...subscribe, options: { get_retained: 'yes' } })
    const { problem, response } = await explained(undefined, document)
    expect(response?.status).to.equal(400)
    expect(problem?.code).to.equal('wamp.error.option_not_allowed')
  })

  it('of 1,000 large events is cut to 1 MiB', async () => {
    const events = Array.from({ length: 1000 }, () => ({ kwargs: { text: 'x'.repeat(2000) } }))
    const explanation = await explained({ events })
    expect(explanation.truncated).to.equal(true)
    expect(JSON.stringify(explanation).length).to.be.below(1_048_576)
    expect(explanation.response?.frames?.length).to.be.within(1, 999)
  })
})
