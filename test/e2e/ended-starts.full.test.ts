/** A gateway that is told to end while it starts: it ends at once, as it would later, and the next start finds what it needs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'

/** What a start is doing when the signal comes, and the options that bring it there. */
const moments: Readonly<Record<string, readonly [shown: string, options: readonly string[]]>> = {
  'has read its configuration': ['"msg":"starting"', []],
  'starts its workers': ['"msg":"starting"', ['workers=2']],
  'waits for a database': [
    'waiting for the store',
    ['store.url=postgres://nobody@127.0.0.1:1/none'],
  ],
}

describe('a gateway that starts', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-ended-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 }))

  /** @returns how a start ends that gets a signal once it has shown a text */
  async function endOf(shown: string, options: readonly string[], signal: NodeJS.Signals) {
    const all = ['gateway.listen=127.0.0.1:0', 'admin.listen=127.0.0.1:0', `data_dir=${folder}`]
    const flags = [...all, 'log.format=json', ...options].flatMap((each) => ['--set', each])
    const main = ['--disable-proto=delete', 'component/cli/main.ts', 'start', ...flags]
    const child = spawn(process.execPath, main, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    let output = ''
    for await (const chunk of child.stdout) {
      const before = output
      output += chunk
      if (!before.includes(shown) && output.includes(shown)) child.kill(signal)
    }
    return await ended
  }

  for (const [moment, [shown, options]] of Object.entries(moments)) {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`ends with 0 when ${signal} comes while it ${moment}`, async () => {
        expect(await endOf(shown, options, signal)).to.deep.equal([0, null])
        for (const file of readdirSync(folder)) {
          expect(file).to.match(/^(?:node|store\.key|gateway\.db(?:-wal|-shm)?)$/)
        }
        // nothing of the start that was ended is in the way
        expect(await endOf('"msg":"ready"', ['workers=1'], 'SIGTERM')).to.deep.equal([0, null])
      })
    }
  }
})
