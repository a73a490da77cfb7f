/** 10,000 requests by each of four clients of HTTP/2, none of which fails. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { rollingDocument } from '#test/cluster/steady-load.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { openapiProgram } from '#test/support/peers/python-environment.ts'
import { buildGoClient } from './go-client.ts'

const run = promisify(execFile)
const count = 10_000

describe('10,000 requests over HTTP/2', function () {
  this.timeout(300_000)
  let folder: string
  let gateway: TestGateway
  let base: string

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-http2-'))
    const { cert, key } = writeCertificate(folder)
    gateway = await startGateway({ 'gateway.tls.cert': cert, 'gateway.tls.key': key })
    await gateway.mustLoad(rollingDocument)
    base = `${gateway.url}/rolling`
  })
  after(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const told = async (program: string, ...args: string[]) => {
    // the lines of curl
    const { stdout } = await run(program, args, { maxBuffer: 10_000_000 })
    return stdout
  }
  const all = { answered: count, failures: [] }

  it('by curl', async () => {
    const said = await told(
      'curl',
      ...['--insecure', '--silent', '--show-error', '--http2', '--parallel'],
      ...['--write-out', '\n%{http_version} %{http_code}\n', `${base}/[1-${count}]`],
    )
    const counts: Record<string, number> = {}
    const lines = said.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    for (const line of lines) counts[line] = (counts[line] ?? 0) + 1
    expect(counts).to.deep.equal({ '2 200': count })
  })

  it('by h2load', async () => {
    const said = await told('h2load', '-n', String(count), '-c', '8', '-m', '32', `${base}/1`)
    expect(said).to.include('Application protocol: h2')
    expect(said).to.include(
      `requests: ${count} total, ${count} started, ${count} done, ${count} succeeded, 0 failed, 0 errored, 0 timeout`,
    )
  })

  it('by Go', async () => {
    const said = await told(buildGoClient(folder), base, '32', String(count), '0')
    expect(JSON.parse(said)).to.deep.equal(all)
  })

  it('by httpx', async () => {
    const script = join(import.meta.dirname, 'client.py')
    const said = await told(openapiProgram('python'), script, base, '32', String(count))
    expect(JSON.parse(said)).to.deep.equal(all)
  })
})
