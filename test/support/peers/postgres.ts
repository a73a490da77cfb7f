/** A PostgreSQL server of the test's own: Debian's package, a new cluster in a temporary folder, a free port. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePort } from '#test/support/free-port.ts'
import { mountSmallDisk, type SmallDisk } from '#test/support/small-disk.ts'

/** How long a start may take, crash recovery included; milliseconds. */
const startTimeoutMs = 30_000

/** A private server; everybody on this machine may log in as `postgres`. */
export interface Postgres {
  readonly port: number
  /** Makes an empty database. @returns its URL */
  database(): Promise<string>
  /** Runs statements as the operator. */
  run(...statements: readonly string[]): Promise<void>
  /** Ends it in good order: connections are cut, what they were told holds. */
  stop(): Promise<void>
  /** Takes all its processes off the processor until {@link resume}. */
  pause(): void
  resume(): void
  /**
   * Makes an empty database on a disk of so many bytes, in memory. Needs the right to mount.
   * @returns its URL, and the disk
   */
  smallDatabase(bytes: number): Promise<{ url: string; disk: SmallDisk }>
  /** As if the power failed. */
  kill(): Promise<void>
  /** Starts it again on the same port with the same data, if it was stopped or killed. */
  start(): Promise<void>
  /** Ends it and removes its data. */
  remove(): Promise<void>
}

/** PostgreSQL does not run as root. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function programs(): string {
  const [newest] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()
  if (newest !== undefined && existsSync(join(newest, 'initdb'))) return newest
  throw new Error('PostgreSQL is not installed: apt-get install postgresql')
}

/** The processes that one has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Starts a server on a free port of the loopback interface. */
export async function startPostgres(): Promise<Postgres> {
  const bin = programs()
  const user = owner()
  const folder = mkdtempSync(join(tmpdir(), 'gateway-postgres-'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const port = await freePort()
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  let server: ChildProcess | undefined
  let databases = 0

  const isRunning = () => server?.exitCode === null && server.signalCode === null

  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined || !isRunning()) return
    // closed when the last of its processes has let go of it: until then no other one can take the data over
    const close = once(server, 'close')
    server.kill(signal)
    await close
  }
  // of the test's own end nobody else would tell the server
  const quit = () => void server?.kill('SIGQUIT')
  process.on('exit', quit)

  const run = async (...statements: readonly string[]) => {
    const client = new Client({ connectionString: urlOf('postgres') })
    client.on('error', () => undefined)
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }

  const start = async () => {
    if (isRunning()) return
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: folder,
      fsync: 'on',
      max_connections: '60',
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const started = spawn(join(bin, 'postgres'), ['-D', data, ...options], {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = started
    let log = ''
    started.stderr.on('data', (chunk) => {
      log = `${log}${chunk}`.slice(-4_000)
    })
    const deadline = Date.now() + startTimeoutMs
    for (;;) {
      try {
        return await run('select 1')
      } catch (cause) {
        if (isRunning() && Date.now() < deadline) {
          await new Promise((resolve) => setTimeout(resolve, 50))
          continue
        }
        await end('SIGQUIT')
        throw new Error(`PostgreSQL did not start: ${log}`, { cause })
      }
    }
  }

  const signal = (name: NodeJS.Signals) => {
    if (server?.pid === undefined) return
    for (const pid of [server.pid, ...childrenOf(server.pid)]) {
      try {
        process.kill(pid, name)
      } catch (error) {
        // the process of a connection ends with it
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }
  const disks: SmallDisk[] = []

  await start()
  return {
    port,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async smallDatabase(bytes) {
      const [name, disk] = [`small_${++databases}`, join(folder, `disk-${databases}`)]
      const mounted = mountSmallDisk(disk, bytes)
      disks.push(mounted)
      if (user.uid !== undefined && user.gid !== undefined) chownSync(disk, user.uid, user.gid)
      await run(
        `create tablespace ${name} location '${disk}'`,
        `create database ${name} tablespace ${name}`,
      )
      return { url: urlOf(name), disk: mounted }
    },
    async database() {
      const name = `gateway_${++databases}`
      await run(`create database ${name}`)
      return urlOf(name)
    },
    run,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    start,
    async remove() {
      process.off('exit', quit)
      signal('SIGCONT')
      await end('SIGQUIT')
      for (const disk of disks) disk.remove()
      rmSync(folder, { recursive: true })
    },
  }
}
