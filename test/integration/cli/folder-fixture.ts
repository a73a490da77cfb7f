/** A folder of API Specifications beside a gateway of its own, for the commands diff, sync and export. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringifyJson } from '#component/codec/json.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { type Ran, runCli } from '#test/unit/cli/terminal.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A document with a static answer for each path. */
export const documentOf = (id: string, paths: Fields, more: Fields = {}): Fields => ({
  ...{ id, host: '_', realm_uri: 'com.example.test', ...more },
  versions: {
    '1': {
      base_path: '/',
      paths: Object.fromEntries(
        Object.entries(paths).map(([path, body]) => [
          path,
          {
            get: {
              action: { type: 'static', body },
              response: { on_result: { body: '{{action.result.body}}' }, on_error: {} },
            },
          },
        ]),
      ),
    },
  },
})

/** One gateway for all tests; each has an empty folder and begins without documents. */
export class FolderFixture {
  #gateway: TestGateway | undefined
  folder = ''

  get gateway(): TestGateway {
    if (!this.#gateway) throw new Error('the gateway is not started')
    return this.#gateway
  }

  async start(): Promise<void> {
    this.#gateway = await startGateway()
  }

  stop(): Promise<void> {
    return this.gateway.stop()
  }

  begin(): void {
    this.folder = mkdtempSync(join(tmpdir(), 'gateway-folder-'))
  }

  async end(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true })
    const list = await send(this.gateway.adminUrl, '/api_specs')
    for (const { id } of list.json() as { id: string }[]) {
      const path = `/api_specs/${encodeURIComponent(id)}`
      await send(this.gateway.adminUrl, path, { method: 'DELETE' })
    }
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  write(name: string, content: unknown): void {
    const text = typeof content === 'string' ? content : stringifyJson(content, undefined, 2)
    writeFileSync(this.path(name), text)
  }

  /** Runs a command on the folder. */
  run(command: string, ...args: readonly string[]): Promise<Ran> {
    return runCli([command, '--admin', this.gateway.adminUrl, ...args, this.folder])
  }

  /** {@link run} with `--format json`: the exit code and the value. */
  async ask(command: string, ...args: readonly string[]) {
    const { code, out, err } = await this.run(command, '--format', 'json', ...args)
    expect(err).to.equal('')
    return { code, value: JSON.parse(out) }
  }

  /** The body of an answer, or its status. */
  async bodyOf(path: string): Promise<unknown> {
    const answer = await send(this.gateway.url, path)
    return answer.status === 200 ? answer.json() : answer.status
  }

  /** The documents of the gateway: its body, with the hash that the ETag names. */
  async read(
    id: string,
    collection = 'api_specs',
  ): Promise<{ readonly document: Fields; readonly hash: string }> {
    const answer = await send(this.gateway.adminUrl, `/${collection}/${encodeURIComponent(id)}`)
    return { document: answer.json() as Fields, hash: String(answer.headers.etag).slice(1, -1) }
  }
}
