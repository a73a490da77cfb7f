/** The backends of the examples outlive a restart of the gateway, and end when the router refuses them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { freePort } from '#test/support/free-port.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'
import { end, type } from '#test/support/typed.ts'

const examples = join(import.meta.dirname, '../../examples')
const registered = /are registered/g

describe('a backend of the examples', () => {
  let gateway: GatewayProcess
  let backend: ChildProcess | undefined

  const startGateway = async (port: number) => {
    gateway = await startGatewayProcess({
      'gateway.listen': `127.0.0.1:${port}`,
      realms: JSON.stringify([join(examples, 'hello/realm.json')]),
    })
  }
  const startBackend = (example: string, args: readonly string[]) => {
    const program = join(examples, example, 'backend.ts')
    const child = spawn(process.execPath, [program, gateway.routerUrl, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    backend = child
    return child
  }

  afterEach(async () => {
    backend?.kill('SIGKILL')
    await gateway.kill()
  })

  it('joins again after a restart of the gateway', async () => {
    const port = await freePort()
    await startGateway(port)
    const child = startBackend('hello', ['com.example.hello', String(await freePort())])
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    child.stderr.resume()
    const joins = () => output.match(registered)?.length
    await until('it has joined', () => joins() === 1, 10_000)
    await gateway.stop()
    await startGateway(port)
    await until('it has joined again', () => joins() === 2, 20_000)
  })

  for (const example of ['live', 'tools']) {
    it(`of ${example} ends with the gateway that it has started when that refuses it`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gateway-backend-'))
      const [port, adminPort] = [await freePort(), await freePort()]
      const shell = type(`node_modules/.bin/node examples/${example}/backend.ts`, {
        stderr: 'pipe',
        environment: {
          GATEWAY_GATEWAY__LISTEN: `127.0.0.1:${port}`,
          GATEWAY_ADMIN__LISTEN: `127.0.0.1:${adminPort}`,
          GATEWAY_DATA_DIR: folder,
          GATEWAY_LOG__LEVEL: 'silent',
          GATEWAY_REALMS: '[]',
          GATEWAY_SPECS: '[]',
        },
      })
      // the output ends with the last process that holds it
      const [told, , [code]] = await Promise.all([
        text(shell.stderr ?? Readable.from([])),
        text(shell.stdout),
        once(shell, 'exit'),
      ])
      expect(code, told).to.equal(1)
      expect(told).to.include('load the realm')
      await end(shell)
      rmSync(folder, { recursive: true, force: true })
    })
  }

  for (const [example, args, hint] of [
    ['hello', ['com.example.absent', '0'], 'load the realm, or name another one'],
    ['live', [], 'load the realm'],
    ['oauth2', [], 'give both ORDERS_SECRET the same value'],
    ['tools', [], 'load the realm'],
  ] as const) {
    it(`of ${example} ends with a hint when the router refuses it`, async () => {
      await startGateway(0)
      const child = startBackend(example, args)
      const [told, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      expect(code).to.equal(1)
      expect(told).to.include(hint)
    })
  }
})
