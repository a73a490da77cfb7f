/** What each test file costs: its wall time, and the CPU time of its process and of the processes that it has started and seen end. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Context, RootHookObject, Suite } from 'mocha'

/** Where the processes of a run write, one line of JSON a file; set by {@link recordCosts}. */
const variable = 'TEST_COSTS'

/** The unit of CPU time in `/proc`: USER_HZ is 100 on every platform of Linux; milliseconds. */
const tick = 10

/** What a file took; seconds. */
interface Cost {
  readonly file: string
  readonly wall: number
  readonly cpu: number
}

/** CPU time of this process and of its children that have ended; milliseconds. */
function cpuTime(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // the name of the program, in parentheses, may hold blanks; utime, stime, cutime and cstime are fields 14 to 17 (proc_pid_stat(5))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * tick, 0)
}

const firstFile = (suite: Suite | undefined): string | undefined =>
  suite?.file ?? suite?.suites.map(firstFile).find((file) => file !== undefined)

let cpuBefore = cpuTime()
let began = 0

/** Root hooks of mocha; in a parallel run each file has its own root. */
export const mochaHooks: RootHookObject = {
  beforeAll() {
    began = performance.now()
  },
  afterAll(this: Context) {
    const target = process.env[variable]
    const file = firstFile(this.test?.parent)
    if (target === undefined || file === undefined) return
    const cpu = cpuTime()
    const cost: Cost = {
      file: relative(process.cwd(), file),
      wall: (performance.now() - began) / 1_000,
      // with what it took to import the file
      cpu: (cpu - cpuBefore) / 1_000,
    }
    cpuBefore = cpu
    appendFileSync(target, `${JSON.stringify(cost)}\n`)
  },
}

/** Runs mocha with its costs recorded, then prints the 20 files that took the most wall time. */
export async function recordCosts<T>(run: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'test-costs-'))
  const file = join(folder, 'costs')
  appendFileSync(file, '')
  process.env[variable] = file
  try {
    return await run()
  } finally {
    const costs = readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Cost)
    rmSync(folder, { recursive: true })
    const sum = (key: 'wall' | 'cpu') =>
      costs.reduce((total, cost) => total + cost[key], 0).toFixed(0)
    console.log(
      `${costs.length} files, ${sum('wall')} s side by side, ${sum('cpu')} s of CPU time; the slowest:`,
    )
    for (const { file, wall, cpu } of costs
      .toSorted((a, b) => b.wall - a.wall)
      .slice(0, Number(process.env.TEST_COSTS_SHOWN ?? 20))) {
      console.log(`${wall.toFixed(1).padStart(7)} s ${cpu.toFixed(1).padStart(7)} s CPU  ${file}`)
    }
  }
}
