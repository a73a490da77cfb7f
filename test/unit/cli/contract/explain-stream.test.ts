/** `explain` of streams: what it prints, as files of test/cases/cli hold it (`UPDATE=1` writes them anew). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

const golden = join(import.meta.dirname, '../../../cases/cli')

const live = {
  ...{ id: 'com.example.live', host: '_', realm_uri: 'com.example' },
  versions: {
    '1': {
      base_path: '/v1',
      paths: {
        '/orders/:id': {
          get: {
            action: {
              ...{ type: 'wamp_subscribe', match: 'prefix' },
              topic: 'com.example.order.{{request.bindings.id}}.',
              snapshot: { procedure: 'com.example.order.get', args: ['{{request.bindings.id}}'] },
            },
            response: {
              on_event: { event: 'change', body: '{{action.event.kwargs}}' },
              on_snapshot: { body: '{{action.result.kwargs}}' },
              on_error: {},
            },
          },
        },
        '/export': {
          get: {
            action: { type: 'wamp_call', procedure: 'com.example.export' },
            response: {
              on_progress: { body: '{{action.progress.args |> head}}' },
              on_result: { headers: { 'content-type': 'text/csv' }, body: '' },
              on_error: {},
            },
          },
        },
      },
    },
  },
}

const questions = {
  'explain-stream': [
    '/v1/orders/7',
    '{"snapshot": {"result": {"kwargs": {"n": 1}}}, "events": [{"topic": "com.example.order.7.paid", "kwargs": {"n": 2}}, {"topic": "com.example.order.8.paid"}]}',
  ],
  'explain-cut': [
    '/v1/export',
    '{"pieces": [{"args": ["a,b"]}, {"args": ["1,2"]}], "error": {"error_uri": "com.example.tired"}}',
  ],
} as const

describe('wamp-gateway explain of a stream', () => {
  const folder = mkdtempSync(join(tmpdir(), 'explain-'))
  const file = join(folder, 'live.json')
  before(() => writeFileSync(file, JSON.stringify(live)))
  after(() => rmSync(folder, { recursive: true }))

  for (const [name, [path, outcome]] of Object.entries(questions)) {
    it(`prints what test/cases/cli/${name}.human has`, async () => {
      const asked = ['explain', '--spec', file, path, '--outcome', outcome]
      const { code, out, err } = await runCli(asked)
      expect([code, err]).to.deep.equal([0, ''])
      const kept = join(golden, `${name}.human`)
      if (process.env.UPDATE) writeFileSync(kept, out)
      expect(out).to.equal(readFileSync(kept, 'utf8'))
    })
  }
})
