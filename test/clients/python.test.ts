/** A client in Python, made by openapi-python-client of what the API of orders publishes, calls every operation. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { TestGateway } from '#test/support/gateway.ts'
import { openapiProgram } from '#test/support/peers/python-environment.ts'
import { openOrders } from './orders.ts'

const run = promisify(execFile)

describe('A client that openapi-python-client makes', () => {
  let gateway: TestGateway
  let folder: string

  before(async () => {
    gateway = await openOrders()
    folder = mkdtempSync(join(tmpdir(), 'openapi-python-'))
  })
  after(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('has every operation, with JSON as the only type of bodies that it knows', async () => {
    const generator = openapiProgram('openapi-python-client')
    const { stdout, stderr } = await run(
      generator,
      [
        ...['generate', '--url', `${gateway.url}/v1/openapi.json`],
        ...['--output-path', join(folder, 'orders'), '--meta', 'none'],
      ],
      // it formats what it makes by a program beside it
      { env: { ...process.env, PATH: `${dirname(generator)}:${process.env.PATH}` } },
    )
    const complaints = (stdout + stderr)
      .split('\n')
      .filter((line) => /^(Unsupported|ERROR|Error)/.test(line))
    expect(new Set(complaints)).to.deep.equal(
      new Set(['Unsupported content type application/msgpack']),
    )
  })

  it('calls every operation', async () => {
    const script = join(import.meta.dirname, 'python_client.py')
    const { stdout } = await run(openapiProgram('python'), [script, folder, `${gateway.url}/v1`])
    const { created, ...rest } = JSON.parse(stdout)
    expect(created).to.deep.include({ state: 'open' })
    expect(created.order).to.deep.equal({
      ...{ customer: '00000000-0000-0000-0000-000000000007', note: null, gift: false },
      items: [{ sku: 'HAT-1', count: 2 }],
    })
    expect(rest).to.deep.equal({
      ...{ listed: [created.id], replaced: 3, commented: 202, deleted: 204, gone: 404 },
      ...{ refused: ['/body/items'], sorted: 'b', hats: [0, 0, 0], staff: 'ada' },
    })
  })
})
