/** A reader of a page, who does what it says: writes files, changes them, types lines, and looks at what is printed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '#test/support/running/until.ts'
import { end, type Typed, type } from '#test/support/typed.ts'
import { expectAnswer, isAnswer } from './answers.ts'
import { changed } from './files.ts'
import type { Step } from './steps.ts'
import { Terminal } from './terminal.ts'

/** How the place of a reader differs from the page. */
export interface Place {
  /** Where the reader begins. */
  readonly folder: string
  /** The text of the page with the ports of this run. */
  readonly here: (text: string) => string
  /** Ports again, of programs that the page runs with their defaults. */
  readonly environment: NodeJS.ProcessEnv
}

/** A program in a terminal of its own. */
interface Program {
  readonly child: Typed
  /** What it has printed so far. */
  printed: string
}

/** A reader; `leave` ends what has been started. */
export class Reader {
  readonly #place: Place
  readonly #terminal: Terminal
  readonly #lasting: Program[] = []

  constructor(place: Place) {
    this.#place = place
    this.#terminal = new Terminal(place.folder, place.environment)
  }

  /** Where the reader is. */
  get folder(): string {
    return this.#terminal.folder
  }

  /** Does what a step says. @throws AssertionError when something else comes of it than the page says */
  async follow(step: Step): Promise<void> {
    const { here } = this.#place
    const text = here(step.text)
    if (step.kind === 'run') {
      const answer = step.answer === undefined ? '…' : here(step.answer)
      await (step.isLasting ? this.#start(text, answer) : this.#type(text, answer))
      return
    }
    if (step.kind === 'look') {
      await this.#look(text)
      return
    }
    const file = join(this.folder, step.file)
    const before = step.kind === 'write' ? '' : readFileSync(file, 'utf8')
    const line = step.kind === 'insert' ? { line: here(step.line) } : {}
    writeFileSync(file, changed(before, { ...step, ...line, text }))
  }

  async leave(): Promise<void> {
    for (const { child } of this.#lasting.toReversed()) await end(child)
  }

  async #type(text: string, answer: string): Promise<void> {
    const { code, stdout, stderr } = await this.#terminal.type(text)
    expect(code, `${text}${stdout}${stderr}`).to.equal(0)
    expectAnswer(stdout, answer, `${text}${stderr}`)
  }

  /** Starts what runs on; resolves when it has printed what the page shows. */
  async #start(text: string, answer: string): Promise<void> {
    const { environment } = this.#place
    const child = type(text, { folder: this.folder, environment, stderr: 'pipe' })
    const program: Program = { child, printed: '' }
    this.#lasting.push(program)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        program.printed += chunk
      })
    }
    const shown = within(answer)
    const isOver = () => isAnswer(program.printed, shown) || child.exitCode !== null
    // what was printed tells more than the time
    await until(text, isOver, 60_000).catch(() => undefined)
    expectAnswer(program.printed, shown, text)
  }

  /** Waits for what one of the terminals shows. */
  async #look(text: string): Promise<void> {
    const isShown = () => this.#lasting.some(({ printed }) => isAnswer(printed, within(text)))
    await until(`a terminal shows ${text}`, isShown)
  }
}

/** A part of what a program prints: npm may have something to say before. */
const within = (text: string): string => `…${text.trim()}…`
