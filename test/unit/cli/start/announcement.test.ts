/** The line `ready` of a start, for people and for programs: the process, what is loaded, what was refused, and the next step. */
import { expect } from 'chai'
import { type Announcement, announce } from '#component/cli/start/announcement.ts'
import { systemClock } from '#component/clock.ts'
import type { Contents } from '#component/running-gateway.ts'

const admin = 'http://127.0.0.1:18081'
const { pid } = process
const nothing = 'nothing is loaded yet: wamp-gateway load FILE'
const page = `what is loaded, in a browser: ${admin}/`

/** What a gateway with these contents tells. */
async function told(contents: Contents, isForPeople: boolean, command?: string) {
  const lines: string[] = []
  const entries: (object | undefined)[] = []
  const log = { isLevelEnabled: () => true, info: (entry: object) => entries.push(entry) }
  const announcement = {
    gateway: {
      ...{ log, gatewayUrls: [], adminUrls: [admin], healthUrls: [], routerUrl: 'ws://r/ws' },
      ...{ isReady: () => true, contents: () => contents },
    },
    processLog: { log, isForPeople, hasStarted: () => undefined },
    ...{ clock: systemClock, command, isStopping: () => false },
    out: (text: string) => lines.push(text),
  }
  await announce(announcement as unknown as Announcement)
  return { lines, entries }
}

describe('the line "ready" of a start', () => {
  const cases: readonly (readonly [what: string, contents: Contents, parts: readonly string[]])[] =
    [
      ['what is loaded', { apiSpecs: 2, refusedFiles: 0 }, [page]],
      ['that nothing is loaded', { apiSpecs: 0, refusedFiles: 0 }, [nothing]],
      ['one refused file', { apiSpecs: 1, refusedFiles: 1 }, ['1 file refused', page]],
      ['several refused files', { apiSpecs: 0, refusedFiles: 2 }, ['2 files refused', nothing]],
    ]
  for (const [what, contents, parts] of cases) {
    it(`tells people the pid and ${what}`, async () => {
      const { lines } = await told(contents, true)
      const text = [`pid ${pid}`, ...parts, 'Ctrl-C ends it'].join('; ')
      expect(lines.at(-1)).to.equal(`ready    ${text}\n`)
    })
  }

  it('has pid and counts in the log, and the next step when nothing is loaded', async () => {
    const [empty] = (await told({ apiSpecs: 0, refusedFiles: 1 }, false)).entries
    expect(empty).to.include({ pid, api_specs: 0, refused_files: 1, hint: nothing })
    const [full] = (await told({ apiSpecs: 3, refusedFiles: 0 }, false, 'curl x')).entries
    expect(full).to.include({ pid, api_specs: 3, refused_files: 0, command: 'curl x' })
    expect(full).to.include({ hint: undefined })
  })
})
