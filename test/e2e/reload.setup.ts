/** A gateway of 2 workers with a folder of files that it reads again; each test has its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { staticDocument } from '#test/integration/management/faces.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'

/** How many processes serve requests. */
export const workers = 2

/** The gateway and the folder of one test; both go after it. */
export class ReloadFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-reload-'))
  #gateway: GatewayProcess | undefined

  constructor() {
    this.write('realm.json', [{ uri: 'com.example.test', authmethods: ['anonymous'] }])
    this.write('a.spec.json', staticDocument('a', 'first'))
  }

  get gateway(): GatewayProcess {
    if (this.#gateway === undefined) throw new Error('the gateway is not started')
    return this.#gateway
  }

  at(name: string): string {
    return join(this.folder, name)
  }

  write(name: string, value: unknown): void {
    writeFileSync(this.at(name), typeof value === 'string' ? value : JSON.stringify(value))
  }

  /** The options that name the files of the folder. */
  files(): object {
    return { specs: [this.at('*.spec.json')], realms: [this.at('realm.json')], workers }
  }

  async start(settings: object = {}): Promise<void> {
    const log = { level: 'info', access: false }
    this.write('gateway.json', { log, ...this.files(), ...settings })
    const config = this.at('gateway.json')
    this.#gateway = await startGatewayProcess({ 'log.level': 'info' }, [], config)
  }

  /** Waits until both workers answer `/name/body` with this body. */
  serves(name: string, body: unknown): Promise<void> {
    return until(`${name} is ${JSON.stringify(body)} everywhere`, async () => {
      const bodies = await this.#bodiesOf(name)
      return bodies.size === 1 && bodies.has(body)
    })
  }

  /** Waits for a text in the log. */
  told(text: string): Promise<void> {
    return until(`the log says ${text}`, () => this.gateway.output.includes(text))
  }

  async remove(): Promise<void> {
    await this.#gateway?.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** What clients get on several connections, so that each worker is asked. */
  async #bodiesOf(name: string): Promise<ReadonlySet<unknown>> {
    const asked = Array.from({ length: 4 }, () => send(this.gateway.url, `/${name}/body`))
    const answers = await Promise.all(asked)
    return new Set(answers.map(({ status, text }) => (status === 200 ? JSON.parse(text) : status)))
  }
}
