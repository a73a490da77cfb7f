/**
 * A process that uses a store as its parent says, one command after the other, and tells the log of the recorder what was acknowledged.
 * Arguments: folder, log, name of the process.
 */
import { statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { version } from '#test/contract/store/documents.ts'
import type { Promised } from './promised.ts'
import { tell as record } from './recording.ts'

const [, , folder = '', log = '', name = ''] = process.argv
const file = join(folder, 'gateway.db')
const tell = (promised: Promised) => record(log, promised)

/** Which syncs or writes of a file fail from now on: after so many that succeed so many, with this error of the system. */
export interface Failure {
  readonly what: 'sync' | 'write'
  readonly file: '.' | 'gateway.db' | 'gateway.db-wal'
  readonly after?: number
  readonly count?: number
  readonly error?: number
}

/** What a process does; `load`: documents of so many bytes, one after the other; `hold`: a read that goes on until `release`. */
export type Command =
  | { readonly open: true }
  | { readonly load: number; readonly bytes: number }
  | { readonly hold: true }
  | { readonly release: true }
  | { readonly fail: Failure }
  | { readonly shrink: true }
  | { readonly tell: true }
  | { readonly close: true }

/** What the process says; `kept`: how many loads were acknowledged, or 1 when the store is open. */
export interface Done {
  readonly kept: number
  readonly fault: string | null
  /** The greatest length of the log after a load. */
  readonly logBytes: number
}

let store: Store | undefined
let reader: DatabaseSync | undefined
let ms = 0
let logBytes = 0

/** @returns whether it was acknowledged */
async function load(bytes: number): Promise<boolean> {
  ms += 1
  const id = `${name}-${ms % 7}`
  const stamp = { ms, counter: 0, node: name }
  const document = { ms, text: 'x'.repeat(bytes) }
  const { ms: at } = stamp
  return await acknowledged(async () => {
    await store?.entries.merge([version(id, ms, { stamp, document })])
    tell({ entry: ['api_spec', id], ms: at })
    logBytes = Math.max(logBytes, statSync(`${file}-wal`).size)
  })
}

async function acknowledged(act: () => Promise<void>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (cause) {
    if (cause instanceof ServiceError) return false
    throw cause
  }
}

async function obey(command: Command): Promise<number> {
  if ('open' in command) {
    const isOpen = await acknowledged(async () => {
      store = await openStore(`sqlite:${file}`, systemClock)
    })
    return Number(isOpen)
  }
  if ('hold' in command) {
    reader = new DatabaseSync(file)
    reader.exec('pragma wal_autocheckpoint = 0; begin')
    reader.prepare('select count(*) from entries').all()
  } else if ('release' in command) reader?.exec('rollback')
  else if ('fail' in command) {
    const { what, file: failing, after = 0, count = 1, error = 5 } = command.fail
    unlinkSync(join(folder, `!${what} ${failing} ${after} ${count} ${error}`))
  } else if ('shrink' in command) await acknowledged(async () => store?.shrink())
  else if ('close' in command) await store?.close()
  else if ('load' in command) {
    let kept = 0
    for (let count = 0; count < command.load; count++) kept += Number(await load(command.bytes))
    return kept
  }
  return 0
}

process.on('message', async (command: Command) => {
  const kept = await obey(command)
  const fault = store?.health.fault ?? null
  process.send?.({ kept, fault, logBytes } satisfies Done)
})
