/** A terminal in which the lines of a page are typed, one block after another: folder and variables of one block are there for the next. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Done, run } from '#test/support/command.ts'

/** A terminal. */
export class Terminal {
  readonly #environment: NodeJS.ProcessEnv
  /** The files by which a block leaves its folder and its variables to the next one. */
  readonly #place: string
  readonly #variables: string

  constructor(folder: string, environment: NodeJS.ProcessEnv = {}) {
    const own = mkdtempSync(join(tmpdir(), 'gateway-terminal-'))
    this.#environment = environment
    this.#place = join(own, 'place')
    this.#variables = join(own, 'variables')
    writeFileSync(this.#place, folder)
    writeFileSync(this.#variables, '')
  }

  /** Where it is. */
  get folder(): string {
    return readFileSync(this.#place, 'utf8').trim()
  }

  /** Runs the lines of a block to their end. */
  type(text: string): Promise<Done> {
    const after = `pwd > ${this.#place}\nexport -p > ${this.#variables}`
    const whole = `set -a\n. ${this.#variables}\n${text}\n${after}\n`
    return run('sh', ['-e', '-c', whole], this.folder, this.#environment)
  }
}
