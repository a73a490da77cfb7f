/** docs/tutorial.md, followed on ports of its own in a clone of the project. */
import { rmSync } from 'node:fs'
import { delimiter } from 'node:path'
import { cloneProject } from '#test/support/clone.ts'
import { freePort } from '#test/support/free-port.ts'
import { sectionsOf } from './blocks.ts'
import { Reader } from './reader.ts'
import { type Step, stepsOf } from './steps.ts'

/** The steps of the page by their headings. */
export const tutorial: ReadonlyMap<string, readonly Step[]> = new Map(
  [...sectionsOf('docs/tutorial.md')].map(([heading, blocks]) => [heading, stepsOf(blocks)]),
)

/** The section that is about Crossbar.io. */
export const routerSection = 'The router'

/** A reader of the page, and the end of everything that it has started. */
export interface Student {
  readonly reader: Reader
  leave(): Promise<void>
}

/** The programs of the machine, without those of the project, which a reader does not have. */
const ownPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.endsWith('node_modules/.bin'))
  .join(delimiter)

/** @param routerPort the port of the router */
export async function openTutorial(routerPort: number): Promise<Student> {
  const clone = cloneProject()
  const [gateway, admin] = [await freePort(), await freePort()]
  const reader = new Reader({
    folder: clone,
    here: (text) =>
      text
        .replaceAll('18080', String(gateway))
        .replaceAll('18081', String(admin))
        .replaceAll(/\b8080\b/g, String(routerPort)),
    environment: {
      PATH: ownPath,
      GATEWAY_GATEWAY__LISTEN: `127.0.0.1:${gateway}`,
      GATEWAY_ADMIN__LISTEN: `127.0.0.1:${admin}`,
      WAMP_GATEWAY_ADMIN: `http://127.0.0.1:${admin}`,
    },
  })
  return {
    reader,
    async leave() {
      await reader.leave()
      rmSync(clone, { recursive: true, force: true })
    },
  }
}
