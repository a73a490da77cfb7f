/** Actions that perform others: what they come to, what they cancel, what a load refuses. */
import { expect } from 'chai'
import type { ActionFields, Branch, Outcome } from '#component/action/action.ts'
import { RunningBranches, runBranches } from '#component/action/group.ts'
import { ServiceError } from '#component/errors.ts'
import {
  bodyOf,
  documentOf,
  issuesOf,
  type Performer,
  serve,
  stoppedClock,
} from '#test/unit/gateway/fake-exchange.ts'

const call = (name: string, more: object = {}) => ({
  type: 'wamp_call',
  procedure: `com.a.${name}`,
  ...more,
})
const forward = (more: object = {}) => ({ type: 'forward', host: 'http://up', ...more })
const parallel = (actions: object, more: object = {}) => ({ type: 'parallel', actions, ...more })
const each = (action: unknown, more: object = {}) => ({
  ...{ type: 'each', items: '{{request.body.ids}}', action },
  ...more,
})

const failure = (error_uri: string, more: object = {}): Outcome => ({
  error: { error_uri, args: [], kwargs: {}, details: {} },
  ...more,
})

/** A call comes to its arguments, one of `com.a.bad` fails. */
const calling: Performer = ({ fields }) =>
  String(fields.procedure).includes('bad')
    ? failure('com.a.failed')
    : { result: { args: fields.args ?? [], kwargs: {} } }

const whole = { on_result: { body: '{{action.result}}' }, on_error: { body: '{{action.error}}' } }

async function answer(action: unknown, body: object, response: object = whole, perform = calling) {
  const served = serve(documentOf({ '/x': { post: { action, response } } }), perform)
  const reply = await served.ask('POST /v1/x', { body: JSON.stringify(body) })
  const { performed } = served
  return { status: reply.status, body: bodyOf(reply), performed, failure: reply.failure }
}

const issuesIn = (action: unknown, response: object = whole) =>
  issuesOf(documentOf({ '/x': { post: { action, response } } })).map(
    ({ path, message }) =>
      `${path.replace('/versions/1.0/paths/~1x/post', '')}: ${message.split('\n')[0]}`,
  )

const args = (value: unknown) => ({ args: value, kwargs: {} })

describe('actions at once', () => {
  it('come to a map of their results by name', async () => {
    const actions = { a: call('a', { args: [1] }), b: call('b', { args: ['{{request.body.n}}'] }) }
    const { status, body } = await answer(parallel(actions), { n: 7 })
    expect(status).to.equal(200)
    expect(body).to.deep.equal({ a: args([1]), b: args([7]) })
  })

  it('leave out one that fails and is optional, and tell its error', async () => {
    const response = {
      on_result: {
        headers: { 'x-complete': '{{action.errors |> size |> equal(0)}}' },
        body: { result: '{{action.result}}', errors: '{{action.errors.b.error_uri}}' },
      },
    }
    const action = parallel({ a: call('a'), b: call('bad') }, { optional: ['b'] })
    const { body } = await answer(action, {}, response)
    expect(body).to.deep.equal({ result: { a: args([]) }, errors: 'com.a.failed' })
  })

  it('have no errors where none has failed', async () => {
    const response = { on_result: { body: '{{action.errors}}' } }
    expect((await answer(parallel({ a: call('a') }), {}, response)).body).to.deep.equal({})
  })

  it('fail with the first one that fails and is not optional', async () => {
    const action = parallel({ a: call('a'), b: call('bad') }, { optional: ['a'] })
    const { status, body, failure } = await answer(action, {})
    expect(status).to.equal(500)
    expect(body).to.include({ error_uri: 'com.a.failed' })
    expect(failure).to.include({
      pointer: '/versions/1.0/paths/~1x/post/action/actions/b',
      procedure: 'com.a.bad',
    })
  })

  it('may be lists, whose later actions see the results before them', async () => {
    const list = [
      call('a', { args: [1] }),
      call('b', { args: ['{{action.result.args |> head}}', 2] }),
    ]
    const { body } = await answer(parallel({ list, one: call('c') }), {})
    expect(body).to.deep.equal({ list: args([1, 2]), one: args([]) })
  })

  it('may stand in a list, whose later actions see their results and errors', async () => {
    const action = [
      parallel({ a: call('a', { args: [1] }), b: call('bad') }, { optional: ['b'] }),
      call('c', { args: ['{{action.result.a.args}}', '{{action.errors |> keys}}'] }),
    ]
    const { body } = await answer(action, {}, { on_result: { body: '{{action.result.args}}' } })
    expect(body).to.deep.equal([[1], ['b']])
  })

  it('are evaluated before anything is sent', async () => {
    const action = parallel({ a: call('a'), b: call('b', { args: ['{{request.body.none}}'] }) })
    const { status, performed } = await answer(action, {})
    expect([status, performed.length]).to.deep.equal([400, 0])
  })

  it('have the answers of upstreams read', async () => {
    const { performed } = await answer(
      parallel({ a: forward(), b: forward({ path: '/b' }) }),
      {},
      whole,
      () => ({
        result: { status_code: 200, headers: {}, body: 1 },
      }),
    )
    expect(performed.map(({ run }) => run.readsBody)).to.deep.equal([true, true])
  })

  it('get the bytes of a body that several pass on', async () => {
    const perform: Performer = () => ({ result: { status_code: 200, headers: {}, body: 1 } })
    const { performed } = await answer(parallel({ a: forward() }), { n: 1 }, whole, perform)
    const { bytes } = performed.map(({ run }) => run.rawBody)[0] as { bytes: Uint8Array }
    expect(Buffer.from(bytes).toString()).to.equal('{"n":1}')
  })
})

describe('an action for each item', () => {
  const echo = call('echo', { args: ['{{_}}', '{{request.body.n |> default(0)}}'] })

  it('comes to a list of the results, in the order of the items', async () => {
    const { body } = await answer(each(echo), { ids: [3, 1], n: 7 })
    expect(body).to.deep.equal([args([3, 7]), args([1, 7])])
  })

  it('comes to an empty list for no items, and performs nothing', async () => {
    const { body, performed } = await answer(each(echo), { ids: [] })
    expect([body, performed.length]).to.deep.equal([[], 0])
  })

  it('has null in the place of one that fails and is optional, and its error by its position', async () => {
    const response = {
      on_result: { body: { all: '{{action.result}}', why: '{{action.errors |> keys}}' } },
    }
    const action = each(call('a', { procedure: 'com.a.{{_}}' }), { optional: true })
    const { body } = await answer(action, { ids: ['x', 'bad', 'y'] }, response)
    expect(body).to.deep.equal({ all: [args([]), null, args([])], why: ['2'] })
  })

  it('leaves out items whose expressions fail, where they may', async () => {
    const action = each(call('a', { args: ['{{_.id}}'] }), { optional: true })
    const response = { on_result: { body: { all: '{{action.result}}', why: '{{action.errors}}' } } }
    const { body } = await answer(action, { ids: [{ id: 1 }, {}] }, response)
    const { all, why } = body as {
      all: unknown
      why: Record<string, { kwargs: { message: string } }>
    }
    expect(all).to.deep.equal([args([1]), null])
    expect(why['2']?.kwargs.message).to.equal('request.body.ids[].id is missing')
  })

  it('is 400 for an item of the request whose expressions fail, and sends nothing', async () => {
    const { status, body, performed } = await answer(each(call('a', { args: ['{{_.id}}'] })), {
      ids: [{ id: 1 }, {}],
    })
    expect([status, performed.length]).to.deep.equal([400, 0])
    expect(JSON.stringify(body)).to.contain('request.body.ids[].id is missing')
  })

  for (const [title, ids, message] of [
    [
      'too many items',
      Array(101).fill(1),
      'request.body.ids: expected a list of at most 100 items (max_items)',
    ],
    ['no list', 7, 'request.body.ids: expected a list'],
  ] as const) {
    it(`is 400 for ${title} of the request, and sends nothing`, async () => {
      const { status, body, performed } = await answer(each(echo), { ids })
      expect([status, performed.length]).to.deep.equal([400, 0])
      expect(JSON.stringify(body)).to.contain(message)
    })
  }

  it('never has more at once than at_once', async () => {
    let [now, most] = [0, 0]
    const perform: Performer = async () => {
      most = Math.max(most, ++now)
      await new Promise(setImmediate)
      now--
      return { result: args([]) }
    }
    const { performed } = await answer(
      each(echo, { at_once: 3 }),
      { ids: Array(40).fill(1) },
      whole,
      perform,
    )
    expect([performed.length, most]).to.deep.equal([40, 3])
  })

  it('begins no more once one has failed', async () => {
    const action = each(call('a', { procedure: 'com.a.{{_}}' }), { at_once: 2 })
    const { status, performed } = await answer(action, { ids: ['bad', 'b', 'c', 'd', 'e'] })
    expect(status).to.equal(500)
    expect(performed.length).to.be.lessThan(4)
  })

  it('may be a list; its later actions see the item and the results before them', async () => {
    const list = [
      call('a', { args: ['{{_}}'] }),
      call('b', { args: ['{{_}}', '{{action.result.args |> head}}'] }),
    ]
    expect((await answer(each(list), { ids: [1, 2] })).body).to.deep.equal([
      args([1, 1]),
      args([2, 2]),
    ])
  })

  it('takes its items from the action before it', async () => {
    const action = [
      call('list', { args: [{ id: 1 }, { id: 2 }] }),
      each(call('a', { args: ['{{_.id}}'] }), { items: '{{action.result.args}}' }),
    ]
    expect((await answer(action, {})).body).to.deep.equal([args([1]), args([2])])
  })

  it('says that a request has named what is made of its items', async () => {
    const named = (items: unknown) => each(call('a', { procedure: '{{_}}' }), { items })
    const ofRequest = await answer(named('{{request.body.ids}}'), { ids: ['com.a.x'] })
    expect([...(ofRequest.performed[0]?.run.computed ?? [])]).to.deep.equal(['procedure'])
    const ofDocument = await answer(named(['com.a.x']), {})
    expect([...(ofDocument.performed[0]?.run.computed ?? [])]).to.deep.equal([])
  })
})

describe('a load', () => {
  const missing = (key: string) => `/action/${key}: ${key} is missing`
  const here = '"_" is the item of where, map, sort …: there is none here'
  for (const [title, action, expected] of [
    ['actions without actions', { type: 'parallel' }, ['/action']],
    ['no actions', parallel({}), ['/action/actions: expected 1 to 16 actions, got 0']],
    [
      '17 actions',
      parallel(Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`a${at}`, call('a')]))),
      ['/action/actions: expected 1 to 16 actions, got 17'],
    ],
    [
      'a list of actions',
      parallel([call('a')] as object),
      ['/action/actions: expected a map of names to actions'],
    ],
    [
      'a name with a dot',
      parallel({ 'a.b': call('a') }),
      [
        '/action/actions/a.b: expected a name of letters, digits, _ and -, of at most 64 characters',
      ],
    ],
    [
      'nine actions in a branch',
      parallel({ a: Array(9).fill(call('a')) }),
      ['/action/actions/a: expected at most 8 actions, got 9'],
    ],
    [
      'a subscription in a branch',
      parallel({ a: { type: 'wamp_subscribe', topic: 'com.a' } }),
      ['/action/actions/a/type: expected one of static, forward, wamp_call, wamp_publish'],
    ],
    [
      'actions at once in a branch',
      parallel({ a: parallel({ b: call('b') }) }),
      ['/action/actions/a/type: expected one of static, forward, wamp_call, wamp_publish'],
    ],
    [
      'an action for each item in a branch',
      parallel({ a: each(call('b')) }),
      ['/action/actions/a/type'],
    ],
    ['actions at once for each item', each(parallel({ a: call('a') })), ['/action/action/type']],
    [
      'an optional action that is not there',
      parallel({ a: call('a') }, { optional: ['b'] }),
      ['/action/optional/0: there is no action "b" in actions'],
    ],
    ['no items', { type: 'each', action: call('a') }, ['/action']],
    [
      '33 at once',
      each(call('a'), { at_once: 33 }),
      ['/action/at_once: expected an integer from 1 to 32'],
    ],
    [
      '1,001 items',
      each(call('a'), { max_items: 1001 }),
      ['/action/max_items: expected an integer from 1 to 1000'],
    ],
    [
      'a duration of 0',
      each(call('a'), { max_duration: 0 }),
      ['/action/max_duration: expected an integer of milliseconds from 1 to 3600000'],
    ],
    [
      '65 actions',
      [
        parallel(
          Object.fromEntries(
            Array.from({ length: 9 }, (_, at) => [`a${at}`, Array(8).fill(call('a'))]),
          ),
        ),
      ],
      ['/action: expected at most 64 actions in an operation, got 72'],
    ],
    [
      'an item outside of its action',
      each(call('a'), { max_items: 10, items: '{{_}}' }),
      [`/action/items: ${here}`],
    ],
    [
      'an item where there is none',
      parallel({ a: call('a', { args: ['{{_}}'] }) }),
      [`/action/actions/a/args/0: ${here}`],
    ],
    [
      'a broken action in a branch',
      parallel({ a: { type: 'wamp_call' } }),
      ['/action/actions/a/procedure: procedure is missing'],
    ],
    [
      'a misspelt binding in a branch',
      parallel({ a: call('a', { args: ['{{request.bindings.id}}'] }) }),
      ['/action/actions/a/args/0: there is no "request.bindings.id"'],
    ],
  ] as const) {
    it(`refuses ${title}`, () => {
      const found = issuesIn(action)
      expect(found.length, found.join('; ')).to.be.greaterThan(0)
      for (const [index, sentence] of expected.entries()) expect(found[index]).to.contain(sentence)
    })
  }

  for (const [title, response] of [
    ['no response', {}],
    ['a response without a body', { on_result: { status_code: 201 } }],
  ] as const) {
    it(`refuses ${title} for an action of several`, () => {
      for (const action of [
        parallel({ a: call('a') }),
        each(call('a')),
        [call('a'), each(call('a'))],
      ]) {
        expect(issuesIn(action, response)).to.deep.equal([
          '/response/on_result/body: body is missing: an action of several has no body of its own',
        ])
      }
    })
  }

  it('takes an action for each item from a variable', () => {
    const variables = { one: each(call('a', { args: ['{{_.id}}'] })) }
    const document = documentOf(
      { '/x': { post: { action: '{{variables.one}}', response: whole } } },
      { variables },
    )
    expect(issuesOf(document)).to.deep.equal([])
  })

  it('refuses errors of actions where none performs others', () => {
    const response = { on_result: { body: '{{action.errors}}' } }
    expect(issuesIn(call('a'), response).join()).to.contain(
      'it exists only where an action performs others',
    )
  })

  it('says what is missing', () => {
    expect(issuesIn({ type: 'each', items: [] })[0]).to.contain(missing('action'))
  })
})

describe('branches', () => {
  const branch = (key: string, perform: Branch['perform'], isOptional = false) => {
    const canceled: unknown[] = []
    return {
      key,
      isOptional,
      perform,
      cancel: (reason?: ServiceError) => void canceled.push(reason?.uri),
      canceled,
    }
  }
  const ok: Outcome = { result: {} }
  const bounds = (fields: ActionFields = {}) => ({
    atOnce: 8,
    fields,
    run: { onCancel: () => undefined },
  })
  const ports = () => ({ clock: stoppedClock, running: new RunningBranches(4) })
  /** A branch that ends when it is cancelled. */
  const waiting = (effect: 'none' | 'unknown') => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const made = branch('w', () => promise)
    const cancel = (reason?: ServiceError) => {
      made.cancel(reason)
      resolve(failure('wamp.error.canceled', { effect }))
    }
    return { ...made, cancel }
  }

  it('that still run are cancelled when one fails, and all end', async () => {
    const other = waiting('unknown')
    const { failed } = await runBranches(
      ports(),
      [other, branch('a', async () => failure('com.a.no'))],
      bounds(),
    )
    expect(failed).to.deep.include({ branch: 'a', effect: 'unknown' })
    expect(other.canceled).to.deep.equal(['wamp.error.canceled'])
  })

  for (const [title, outcomes, effect] of [
    ['were not performed', [failure('a', { effect: 'none' })], 'none'],
    ['may have been performed', [failure('a', { effect: 'unknown' })], 'unknown'],
    ['have been performed once one was', [ok, failure('a', { effect: 'none' })], undefined],
    ['have been performed once a peer has refused', [failure('a')], undefined],
    [
      'may have been performed beside one that was',
      [ok, failure('a', { effect: 'unknown' })],
      'unknown',
    ],
  ] as const) {
    it(`${title}: the effect is ${effect}`, async () => {
      const branches = outcomes.map((outcome, at) => branch(String(at), async () => outcome))
      const { failed } = await runBranches(ports(), branches, bounds())
      expect(failed?.effect).to.equal(effect)
    })
  }

  it('that take longer than max_duration are cancelled, and time out', async () => {
    const late: (() => void)[] = []
    const clock = {
      ...stoppedClock,
      after(ms: number, callback: () => void) {
        expect(ms).to.equal(5)
        late.push(callback)
        return () => {}
      },
    }
    const running = runBranches(
      { ...ports(), clock },
      [waiting('none')],
      bounds({ max_duration: 5 }),
    )
    late[0]?.()
    const { failed } = await running
    expect((failed as { error?: { error_uri: string } }).error?.error_uri).to.equal(
      'service.error.timeout',
    )
  })

  it('end with the client', async () => {
    const leaving: (() => void)[] = []
    const run = { onCancel: (callback: () => void) => void leaving.push(callback) }
    const running = runBranches(ports(), [waiting('unknown')], { ...bounds(), run })
    leaving[0]?.()
    expect((await running).failed).to.have.property('error')
  })

  it('are refused beyond the limit of the process, and give their places back', async () => {
    const shared = ports()
    const five = Array.from({ length: 5 }, (_, at) => branch(String(at), async () => ok))
    const thrown = await runBranches(shared, five, bounds()).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(ServiceError).with.property('uri', 'service.error.unavailable')
    await runBranches(shared, five.slice(1), bounds())
    expect(shared.running.count).to.equal(0)
  })

  it('of which one is refused for a while fail with that, unless it is optional', async () => {
    const busy = () => Promise.reject(new ServiceError('service.error.unavailable', 'no slot'))
    const thrown = await runBranches(ports(), [branch('a', busy)], bounds()).catch(
      (error: unknown) => error,
    )
    expect(thrown).to.have.property('message', 'no slot')
    const { errors } = await runBranches(ports(), [branch('a', busy, true)], bounds())
    expect(errors.a?.error_uri).to.equal('service.error.unavailable')
  })

  it('run one after the other where nothing is performed', async () => {
    const order: string[] = []
    const slow = branch('a', async () => {
      await new Promise(setImmediate)
      order.push('a')
      return ok
    })
    const quick = branch('b', async () => {
      order.push('b')
      return ok
    })
    await runBranches({ clock: stoppedClock }, [slow, quick], bounds())
    expect(order).to.deep.equal(['a', 'b'])
  })
})
