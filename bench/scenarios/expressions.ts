/** What ten expressions with pipes cost, beside a path that says the same without any. */
import type { Ask } from '#bench/asks.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { procedure, startCallee } from './wamp.ts'

const pattern = '/orders/:id/:name/:count'
const path = '/orders/42/Ada/7'

const call = (args: readonly unknown[], body: unknown) => ({
  [pattern]: {
    get: {
      action: { type: 'wamp_call', procedure, args },
      response: { on_result: { body }, on_error: { status_code: 502 } },
    },
  },
})

/** The callee gives its arguments back, so that a wrong one is a wrong answer. */
const answer = { id: 42, name: 'Ada', language: 'en', given: 5, label: 'NDI=' }

const calls = {
  none: call([42, 'QWRh', 7, 'en', 2], answer),
  ten: call(
    [
      '{{request.bindings.id |> integer}}',
      '{{request.bindings.name |> base64:encode}}',
      '{{request.bindings.count |> integer |> abs}}',
      "{{request.query_params |> get(language, 'en')}}",
      '{{request.bindings |> without([id]) |> size}}',
    ],
    {
      id: '{{action.result.args |> head |> head}}',
      name: '{{action.result.args |> head |> nth(2) |> base64:decode}}',
      language: '{{action.result.args |> head |> nth(4) |> string}}',
      given: '{{action.result.args |> head |> length}}',
      label: '{{request.bindings.id |> base64:encode}}',
    },
  ),
}

const sent = { id: 42, name: 'QWRh', kinds: 3 }
const target = '/v1/42/QWRh/7/en?count=7&name=Ada&all=3'

const forward = (host: string, action: Readonly<Record<string, unknown>>) => ({
  [pattern]: {
    post: {
      action: { type: 'forward', host, headers: { 'content-type': 'application/json' }, ...action },
      response: { on_result: {}, on_error: {} },
    },
  },
})

const forwards = (host: string) => ({
  none: forward(host, {
    path: '/v1/42/QWRh/7/en',
    query_string: 'count=7&name=Ada&all=3',
    body: sent,
  }),
  ten: forward(host, {
    path: "/v1/{{request.bindings.id |> integer}}/{{request.bindings.name |> base64:encode}}/{{request.bindings.count |> integer |> abs}}/{{request.query_params |> get(language, 'en')}}",
    query_string:
      'count={{request.bindings.count |> float |> integer}}&name={{request.bindings.name |> string}}&all={{request.bindings |> size}}',
    body: {
      id: '{{request.bindings |> get(id) |> integer}}',
      name: '{{request.bindings |> get(name) |> base64:encode}}',
      kinds: '{{request.bindings |> with([id, name, count]) |> size}}',
    },
  }),
})

async function build(stage: Stage): Promise<void> {
  const called: readonly Ask[] = [{ path, expected: { body: JSON.stringify(answer) } }]
  for (const [name, paths] of [
    ['call, no expression', calls.none],
    ['call, 10 expressions in args and body', calls.ten],
  ] as const) {
    const gateway = await stage.gateway('ours', paths)
    await startCallee(stage, gateway.routerUrl, '{args}')
    stage.compare(name, gateway, called)
  }
  const body = JSON.stringify({ is_accepted: true })
  const upstream = await stage.peer('upstream', 'upstream.ts', target, body, JSON.stringify(sent))
  const { none, ten } = forwards(upstream.url)
  const forwarded: readonly Ask[] = [{ method: 'POST', path, expected: { body } }]
  const against = 'forward, no expression'
  stage.compare(against, await stage.gateway('ours', none), forwarded, { against })
  const gateway = await stage.gateway('ours', ten)
  stage.compare('forward, 10 expressions in path, query and body', gateway, forwarded, { against })
}

/** A call and a forward. */
export const expressions: Scenario = {
  about: '10 expressions that wait for the request, each with a pipe, against literal values',
  build,
}
