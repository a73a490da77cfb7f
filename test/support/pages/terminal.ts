/** A terminal in which the lines of a page are typed, one block after another: variables and files of one block are there in the next. */
import { type Done, run } from '#test/support/command.ts'

/** The file by which a block leaves its variables to the next one. */
const variables = '.variables'

/** A terminal in a folder. */
export class Terminal {
  readonly #folder: string
  readonly #environment: NodeJS.ProcessEnv

  constructor(folder: string, environment: NodeJS.ProcessEnv = {}) {
    this.#folder = folder
    this.#environment = environment
  }

  /** Runs the lines of a block to their end. */
  type(text: string): Promise<Done> {
    const whole = `set -a\nif [ -e ${variables} ]; then . ./${variables}; fi\n${text}\nexport -p > ${variables}\n`
    return run('sh', ['-e', '-c', whole], this.#folder, this.#environment)
  }
}
