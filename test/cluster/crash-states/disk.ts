/** The states in which a power failure may leave the files of a recorded run. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const pageSize = 4096
const zeros = Buffer.alloc(pageSize)

/** One record of recorder.c. */
export interface Step {
  readonly type: string
  readonly thread: number
  readonly file: number
  readonly offset: number
  readonly data: Buffer
}

/** Begins each record, and is within none. */
const mark = Buffer.from('9ef1c0d4a8ffe6b5', 'hex')
/** Bytes of a record between its mark and what follows. */
const headLength = 25

/** A record that is of no thread and no file. */
export function recordOf(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(headLength)
  head.write(type)
  head.writeUInt32LE(data.length, 21)
  return Buffer.concat([mark, head, data])
}

/** The records of a log, in order, without those that a killed process has not written whole. */
export function* stepsOf(log: Buffer): Generator<Step> {
  for (let at = log.indexOf(mark), next: number; at >= 0; at = next) {
    next = log.indexOf(mark, at + mark.length)
    const record = log.subarray(at + mark.length, next < 0 ? log.length : next)
    if (record.length < headLength) continue
    const length = record.readUInt32LE(21)
    // the next process may have left less than its mark behind this one
    const data = record.subarray(headLength, headLength + length)
    if (data.length < length) continue
    yield {
      type: String.fromCharCode(record.readUInt8(0)),
      thread: record.readUInt32LE(1),
      file: Number(record.readBigUInt64LE(5)),
      offset: Number(record.readBigUInt64LE(13)),
      data,
    }
  }
}

/**
 * A value on its way to the disk: a page, a length, a name of a folder. After a crash it is the one that was synced last, or any
 * that followed. A failed sync leaves it open which, and the next sync does not write a page: the operating system has marked it clean.
 * Lengths and names are of the journal of the file system, which gives no more syncs where it has lost something.
 */
class Cell<T> {
  readonly #isPage: boolean
  #durable: T
  #later: T[] = []
  /** How many values came to the disk, or were followed by one that did. */
  #settled = 0
  #isDirty = false

  /** @param isPage of a file, not of its journal */
  constructor(durable: T, isPage = false) {
    this.#durable = durable
    this.#isPage = isPage
  }

  get current(): T {
    return this.#later.length === 0 ? this.#durable : (this.#later.at(-1) as T)
  }

  get isSettled(): boolean {
    return this.#later.length === 0
  }

  set(value: T): void {
    this.#later.push(value)
    this.#isDirty = true
  }

  /** What a sync that begins now writes: the values so far; 0: nothing. */
  begin(): number {
    return this.#isDirty ? this.#settled + this.#later.length : 0
  }

  /** @param written by the sync, as {@link begin} has counted them */
  end(written: number, hasFailed: boolean): void {
    const covered = written - this.#settled
    if (covered <= 0) return
    if (hasFailed) {
      if (this.#isPage && this.#later.length === covered) this.#isDirty = false
      return
    }
    this.#durable = this.#later[covered - 1] as T
    this.#later = this.#later.slice(covered)
    this.#settled += covered
    this.#isDirty = this.#later.length > 0
  }

  afterCrash(choose: Choice): T {
    if (this.#later.length === 0) return this.#durable
    const at = choose(this.#later.length + 1)
    return at === 0 ? this.#durable : (this.#later[at - 1] as T)
  }
}

/** One of so many values, the oldest first. */
export type Choice = (count: number) => number

/** What is synced as one: the pages and the length of a file, or the names of a folder. */
class Cells {
  readonly #unsettled = new Set<Cell<never>>()
  readonly #syncs = new Map<number, Map<Cell<never>, number>>()

  change<T>(cell: Cell<T>, value: T): void {
    cell.set(value)
    this.#unsettled.add(cell as Cell<never>)
  }

  begin(thread: number): void {
    const covered = new Map([...this.#unsettled].map((cell) => [cell, cell.begin()]))
    this.#syncs.set(thread, covered)
  }

  end(thread: number, hasFailed: boolean): void {
    for (const [cell, covered] of this.#syncs.get(thread) ?? []) {
      cell.end(covered, hasFailed)
      if (cell.isSettled) this.#unsettled.delete(cell)
    }
    this.#syncs.delete(thread)
  }
}

class DiskFile {
  readonly cells = new Cells()
  readonly #length = new Cell(0)
  readonly #pages: Cell<Buffer>[] = []

  write(offset: number, data: Buffer): void {
    for (let at = 0; at < data.length; ) {
      const place = offset + at
      const within = place % pageSize
      const page = this.#page(Math.floor(place / pageSize))
      const length = Math.min(pageSize - within, data.length - at)
      const bytes = Buffer.from(page.current)
      data.copy(bytes, within, at, at + length)
      this.cells.change(page, bytes)
      at += length
    }
    const end = offset + data.length
    if (end > this.#length.current) this.cells.change(this.#length, end)
  }

  truncate(length: number): void {
    const last = Math.floor(length / pageSize)
    for (const [index, page] of this.#pages.entries()) {
      if (index < last) continue
      const bytes = Buffer.from(page.current)
      bytes.fill(0, index === last ? length % pageSize : 0)
      this.cells.change(page, bytes)
    }
    this.cells.change(this.#length, length)
  }

  afterCrash(choose: Choice): Buffer {
    const pages = this.#pages.map((page) => page.afterCrash(choose))
    const length = this.#length.afterCrash(choose)
    const bytes = Buffer.alloc(length)
    for (const [index, page] of pages.entries()) page.copy(bytes, index * pageSize)
    return bytes
  }

  #page(index: number): Cell<Buffer> {
    while (this.#pages.length <= index) this.#pages.push(new Cell(zeros, true))
    return this.#pages[index] as Cell<Buffer>
  }
}

/** The disk of one folder, step by step. */
export class Disk {
  readonly #files = new Map<number, DiskFile>()
  readonly #names = new Map<string, Cell<DiskFile | null>>()
  readonly #folder = new Cells()
  #folderNumber = -1

  take({ type, thread, file, offset, data }: Step): void {
    const [name = '', other = ''] = type === 'W' ? [] : data.toString().split('\0')
    const cells = file === this.#folderNumber ? this.#folder : this.#files.get(file)?.cells
    if (type === 'O') this.#open(file, name)
    else if (type === 'W') this.#files.get(file)?.write(offset, data)
    else if (type === 'T') this.#files.get(file)?.truncate(offset)
    else if (type === 'B') cells?.begin(thread)
    else if (type === 'E' || type === 'F') cells?.end(thread, type === 'F')
    else if (type === 'U') this.#set(name, null)
    else if (type === 'L' || type === 'R') {
      this.#set(other, this.#names.get(name)?.current ?? null)
      if (type === 'R') this.#set(name, null)
    }
  }

  /** Writes a state in which the disk may be if the power fails now. */
  writeAfterCrash(folder: string, choose: Choice): void {
    for (const [name, cell] of this.#names) {
      const file = cell.afterCrash(choose)
      if (file !== null) writeFileSync(join(folder, name), file.afterCrash(choose))
    }
  }

  #open(file: number, name: string): void {
    if (name === '') {
      this.#folderNumber = file
      return
    }
    if (this.#names.get(name)?.current) return
    // the number of a file that is gone is given to others
    const made = new DiskFile()
    this.#files.set(file, made)
    this.#set(name, made)
  }

  #set(name: string, file: DiskFile | null): void {
    const cell = this.#names.get(name) ?? new Cell<DiskFile | null>(null)
    this.#names.set(name, cell)
    this.#folder.change(cell, file)
  }
}
