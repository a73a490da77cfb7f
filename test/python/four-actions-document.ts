/** One API Specification with all four actions, for peers written in Python and an upstream. */
import { initialStatusCodes } from '#component/spec/defaults.ts'

/** Every error a callee is made to raise, with its status: the rows of the table, one of the document, one of neither. */
export const statuses: Readonly<Record<string, number>> = {
  ...initialStatusCodes,
  'com.example.error.teapot': 418,
  'com.example.error.unheard_of': 500,
}

const fail = {
  post: {
    action: {
      type: 'wamp_call',
      procedure: 'com.example.py.fail',
      args: ['{{request.body.uri}}', 'said', 'twice'],
      kwargs: { reason: 'asked to' },
    },
    response: {},
  },
}

const sunset = '2027-01-31'

/** @param upstream origin of the upstream */
export const fourActions = (upstream: string) => ({
  id: 'com.example.four_actions',
  host: '_',
  realm_uri: 'com.example.test',
  status_codes: { 'com.example.error.teapot': 418 },
  defaults: { timeout: 20_000 },
  versions: {
    current: {
      base_path: '/four',
      paths: {
        '/static': {
          get: { action: { type: 'static', body: { fixed: true } }, response: {} },
        },
        '/fail': fail,
        '/echo': {
          post: {
            action: {
              type: 'wamp_call',
              procedure: 'com.example.py.echo',
              args: ['{{request.body}}'],
              kwargs: { twice: '{{request.body}}' },
            },
            response: {
              on_result: {
                body: {
                  first: '{{action.result.args |> head}}',
                  twice: '{{action.result.kwargs.twice}}',
                },
              },
            },
          },
        },
        '/describe': {
          post: {
            action: {
              type: 'wamp_call',
              procedure: 'com.example.py.describe',
              args: ['{{request.body}}'],
            },
            response: { on_result: { body: '{{action.result.args |> head}}' } },
          },
        },
        '/flaky/:key/:failures': {
          get: {
            action: {
              type: 'wamp_call',
              procedure: 'com.example.py.flaky',
              args: [
                '{{request.bindings.key}}',
                '{{request.bindings.failures |> integer}}',
                '{{request.query_params.uri}}',
              ],
              retries: 3,
              retry_timeout: 15_000,
            },
            response: { on_result: { body: '{{action.result.args |> head}}' } },
          },
        },
        '/events': {
          post: {
            action: {
              type: 'wamp_publish',
              topic: 'com.example.py.topic',
              args: ['{{request.body}}'],
              kwargs: { from: '{{request.method}}' },
            },
            response: { on_result: { body: '{{action.result}}' } },
          },
        },
        '/seen': {
          get: {
            action: { type: 'wamp_call', procedure: 'com.example.py.seen' },
            response: { on_result: { body: '{{action.result.args |> head}}' } },
          },
        },
        '/upstream/[...]': {
          get: {
            action: { type: 'forward', host: upstream, retries: 3, retry_timeout: 15_000 },
            response: {},
          },
          post: { action: { type: 'forward', host: upstream, retries: 3 }, response: {} },
        },
      },
    },
    narrow: {
      base_path: '/narrow',
      pool_size: 2,
      status_codes: { 'wamp.error.canceled': 499, 'com.example.error.teapot': 503 },
      paths: {
        '/fail': fail,
        '/slow/:seconds': {
          get: {
            action: {
              type: 'wamp_call',
              procedure: 'com.example.py.slow',
              args: ['{{request.bindings.seconds |> float}}'],
            },
            response: { on_result: { body: '{{action.result.args |> head}}' } },
          },
        },
      },
    },
    old: {
      base_path: '/old',
      is_deprecated: true,
      info: { title: 'The old one', sunset },
      paths: {
        '/static': { get: { action: { type: 'static', body: 'old' }, response: {} } },
        '/closed': {
          security: { type: 'basic' },
          get: { action: { type: 'static', body: 'old' }, response: {} },
        },
      },
    },
  },
})
