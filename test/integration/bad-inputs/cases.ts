/** The table of bad inputs, and the suites made of it: every test is titled with its index and followed by a good request. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type GatewaySetup, startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type Document, goodDocument, onError } from './documents.ts'
import { ask, get, portOf, refused } from './sockets.ts'

/** One row; which members an input has depends on the area. */
export interface BadInput {
  readonly area: string
  readonly input: {
    readonly what: string
    /** Bytes of a request as a JSON string; `…` stands for what is left out. */
    readonly raw?: string
    readonly body?: unknown
    readonly body_raw?: string
    readonly content_type?: string
    readonly expression?: string
    /** Method and body: `POST {…}`. */
    readonly request?: string
    readonly upstream?: string
  }
  readonly expected: {
    readonly status?: number | readonly number[]
    readonly code?: string | null
    /** The code of OAuth2. */
    readonly error?: string | null
    readonly note?: string
  }
}

/** Every row, by index. */
export const rows = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../cases/bad-inputs.json'), 'utf8'),
) as readonly BadInput[]

/** The row of an index. */
export function row(index: number): BadInput {
  const found = rows[index]
  if (!found) throw new TypeError(`no bad input has the index ${index}`)
  return found
}

/** What the title of every suite of bad inputs begins with. */
export const suitePrefix = 'bad inputs: '

/** Options of a gateway by dotted key. */
type Settings = Readonly<Record<string, string>>

/** What the tests of one area work with. */
export interface Area {
  /** The gateway of the suite; there is one while tests run. */
  readonly gateway: TestGateway
  /** Port of its listener for clients. */
  readonly port: number
  /** Port of its listener for operators. */
  readonly adminPort: number
  /**
   * Adds the test of a row; after it the process must answer a good request.
   * @param note what the title says beyond the row, such as a limit that is shorter here
   */
  test(index: number, check: (entry: BadInput) => Promise<void>, note?: string): void
  /** Loads a document that must be accepted. */
  load(document: Document): Promise<void>
}

/** How an area is run. */
interface AreaSetup extends GatewaySetup {
  /**
   * Present: the area is run a second time, with `errors: problem` in its documents. The indices whose errors stay as they are:
   * those of management, of HTTP before a route is known, and of clients that refuse problems.
   */
  readonly notProblems?: readonly number[]
}

/** The good document of an area whose errors are problems: the gateway answers where the author would. */
function withProblems(document: unknown): unknown {
  const text = JSON.stringify(document).replaceAll(
    `"on_error":${JSON.stringify(onError)}`,
    '"on_error":{}',
  )
  const { defaults, ...parsed } = JSON.parse(text) as Document
  return { ...parsed, defaults: { ...(defaults as Document), errors: 'problem' } }
}

/**
 * Adds the suite of an area: one gateway, with the good document loaded, for all its tests.
 * @param settings options of the gateway by dotted key; a function is asked before the gateway starts
 */
export function describeArea(
  name: string,
  settings: Settings | (() => Promise<Settings>),
  define: (area: Area) => void,
  setup: AreaSetup = {},
): void {
  addSuite({ name, settings, define, setup }, 'plain')
  if (setup.notProblems) addSuite({ name, settings, define, setup }, 'problem')
}

/** What {@link describeArea} is given. */
interface AreaPlan {
  readonly name: string
  readonly settings: Settings | (() => Promise<Settings>)
  readonly setup: AreaSetup
  define(area: Area): void
}

function addSuite({ name, settings, define, setup }: AreaPlan, errors: 'plain' | 'problem'): void {
  const { notProblems = [], ...gatewaySetup } = setup
  const isPlain = errors === 'plain'
  const prefix = isPlain ? '' : 'as a problem: '
  describe(`${suitePrefix}${name}${isPlain ? '' : ', errors: problem'}`, () => {
    let started: TestGateway | undefined
    const area: Area = {
      get gateway() {
        if (!started) throw new TypeError('the gateway is started before the tests')
        return started
      },
      get port() {
        return portOf(area.gateway.url)
      },
      get adminPort() {
        return portOf(area.gateway.adminUrl)
      },
      test(index, check, note = '') {
        const entry = row(index)
        it(`${prefix}${index} ${entry.area}: ${entry.input.what}${note && ` (${note})`}`, async () => {
          await check(entry)
          await answersNext(area.port)
        })
      },
      async load(document) {
        const { status, body } = await area.gateway.load(document)
        expect(status, JSON.stringify(body)).to.be.oneOf([200, 201])
      },
    }
    before(async () => {
      const gateway = await startGateway(
        typeof settings === 'function' ? await settings() : settings,
        gatewaySetup,
      )
      const load: TestGateway['load'] = (document) =>
        gateway.load(isPlain ? document : withProblems(document))
      started = { ...gateway, load }
      refused.asProblem.clear()
      refused.otherwise.clear()
      await area.load(goodDocument)
    })
    after(() => started?.stop())
    define(area)
    if (isPlain) return
    it('answers every error of a route with a valid problem that has the same code', () => {
      const indices = [...refused.otherwise].map((entry) => rows.indexOf(entry))
      expect(indices).to.have.members([...notProblems])
      expect(refused.asProblem.size).to.be.above(0)
    })
  })
}

/** The process answers the next request, and nothing has leaked into what every object inherits. */
async function answersNext(port: number): Promise<void> {
  const next = await ask(port, get('/good/x'))
  expect(next, 'the next request').to.include({ status: 200, body: '"ok"' })
  const inherited: string[] = []
  for (const key in {}) inherited.push(key)
  expect(inherited, 'keys that every object inherits').to.deep.equal([])
}
