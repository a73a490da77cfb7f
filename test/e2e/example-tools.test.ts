/** The tools example: the lines of its page are run as they stand there, and come to what the page says. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '#test/support/command.ts'
import { freePort } from '#test/support/free-port.ts'
import { end, lineOf, shellLinesOf, type Typed, type } from '#test/support/typed.ts'

/** What the page says to type: for the example, for the client. */
const [start = '', client = ''] = shellLinesOf('examples/tools/README.md')

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly progress: number; readonly message: string }
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[]
    readonly isError?: boolean
    readonly structuredContent?: unknown
    readonly content?: readonly { readonly text: string }[]
  }
}

/** The JSON of each line, also of lines of a stream. */
const jsonIn = (output: string): unknown[] =>
  [...output.matchAll(/^(?:data: ?)?(\{.*\})$/gm)].map(([, text = '']) => JSON.parse(text))

describe('the tools example', () => {
  let folder: string
  let example: Typed | undefined
  /** What the lines under each comment have printed, by a word of it. */
  let printed: (word: string) => Answer[]

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-tools-'))
    const [port, adminPort] = [await freePort(), await freePort()]
    const settings = {
      GATEWAY_GATEWAY__LISTEN: `127.0.0.1:${port}`,
      GATEWAY_ADMIN__LISTEN: `127.0.0.1:${adminPort}`,
      GATEWAY_DATA_DIR: folder,
      GATEWAY_LOG__LEVEL: 'warn',
    }
    const environment = Object.entries(settings).map(([name, value]) => `export ${name}=${value}\n`)
    example = type(`${environment.join('')}${start}`)
    await lineOf(example, /are registered$/)
    const comments = [...client.matchAll(/^# (.*)$/gm)].map(([, text = '']) => text)
    const text = client
      .replace(/^# .*$/gm, 'echo "#####"')
      .replaceAll('127.0.0.1:18080', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:18081', `127.0.0.1:${adminPort}`)
    const { stdout, stderr, code } = await run('sh', ['-e', '-c', text], folder)
    expect(code, stderr).to.equal(0)
    const parts = stdout.split('#####').slice(1)
    expect(parts).to.have.length(comments.length)
    printed = (word) => jsonIn(parts[comments.findIndex((each) => each.includes(word))] ?? '') as []
  })
  after(async () => {
    await end(example)
    rmSync(folder, { recursive: true, force: true })
  })

  const namesOf = (answer: Answer | undefined) => answer?.result?.tools?.map(({ name }) => name)
  const open = ['list_orders', 'get_order', 'build_report']

  it('shows everybody the tools that everybody may call', () => {
    expect(namesOf(printed('anybody may call')[0])).to.deep.equal(open)
  })

  it('answers a tool as the operation by its path', () => {
    const [tool, path] = printed('the same operation')
    expect(tool?.result).to.deep.include({ structuredContent: path })
    expect(path).to.deep.equal({ id: 1, sku: 'tea', amount: 2, state: 'open' })
  })

  it('tells the model why a call has failed, and where an argument does not fit', () => {
    const [missing] = printed('does not exist')
    expect(missing?.result?.isError).to.equal(true)
    expect(missing?.result?.content?.[0]?.text).to.include('no_such_order').and.include('404')
    const [unfit] = printed('does not fit the schema')
    expect(unfit?.result?.isError).to.equal(true)
    expect(unfit?.result?.content?.[0]?.text).to.include('/month')
  })

  it('tells how far a report is, then its result', () => {
    const answers = printed('how far it is')
    const result = answers.pop()
    expect(answers.map(({ params }) => [params?.progress, params?.message])).to.deep.equal(
      [1, 2, 3, 4, 5].map((page) => [page, `page ${page} of 5`]),
    )
    const structuredContent = { report: '2026-06', pages: 5 }
    expect(result).to.deep.include({ id: 5 })
    expect(result?.result).to.deep.include({ structuredContent })
  })

  it('shows the tools of a user to who brings an API key of that user, and calls them', () => {
    const [list, order] = printed('with it: all four')
    expect(namesOf(list)).to.have.members([...open, 'create_order'])
    const structuredContent = { id: 3, sku: 'tea', amount: 3, state: 'open' }
    expect(order?.result).to.deep.include({ structuredContent })
  })
})
