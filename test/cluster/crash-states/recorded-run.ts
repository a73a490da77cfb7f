/**
 * A process that uses a store as a gateway does, and tells the log of the recorder what was acknowledged: loads, deletions, API keys,
 * logins, refreshes, quotas, keys of requests, events of deliveries: accepted, claimed, settled, dropped. A read holds checkpoints back at times. It may be killed after what the disk has refused. Arguments: folder, log, name of the
 * process, seed, steps, whether it may be killed.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Kind } from '#component/replica/entry.ts'
import { openStore, type Store } from '#component/store/database.ts'
import type { Family } from '#component/store/family-store.ts'
import type { DeliveryRow } from '#component/store/tables.ts'
import { tombstone, version } from '#test/contract/store/documents.ts'
import { randomFrom } from '#test/fuzz/random.ts'
import type { Promised } from './promised.ts'
import { tell as record } from './recording.ts'

const [, , folder = '', log = '', name = '', seed = '', steps = '', mayDie = ''] = process.argv
const random = randomFrom(Number(seed))
const upTo = (most: number) => Math.floor(random() * most)
const expires_at = 4_102_444_800_000

const tell = (promised: Promised) => record(log, promised)

/** As a gateway that is started again after a start that the disk has ended. */
async function open(tries = 20): Promise<Store> {
  try {
    return await openStore(`sqlite:${join(folder, 'gateway.db')}`, systemClock)
  } catch (cause) {
    if (tries === 0) throw cause
    return await open(tries - 1)
  }
}

let store = await open()
const families = new Map<string, number>()
const used = new Map<string, number>()
let ms = 0

/** Events of deliveries that were accepted and are not over, with the attempts that were claimed. */
const events = new Map<string, number>()
const delivery = `${name}-delivery`
const realm_uri = `${name}-realm`

const rowOf = (seq: number): DeliveryRow => ({
  ...{ delivery, endpoint: '', webhook_id: `${name}-event-${seq}`, publication: `${seq}` },
  ...{ topic: 't', seq, key: null, state: 'pending', due_at: 0, attempts: 0, lease_until: 0 },
  ...{ epoch: 1, status: null, error: null, reason: null, accepted_at: seq, bytes: 6 },
  sealed: 'x'.repeat(upTo(2_000)),
})

/** Takes an event that is not over for one act at a time; what it gives back is kept for the next one. */
async function withEvent(task: (id: string, attempts: number) => Promise<number | undefined>) {
  const [id, attempts] = [...events][upTo(events.size)] ?? []
  if (id === undefined || attempts === undefined) return
  events.delete(id)
  const left = await task(id, attempts)
  if (left !== undefined) events.set(id, left)
}

const load = async (kind: Kind, bytes: number) => {
  const id = `${name}-${kind}-${upTo(6)}`
  ms += 1
  const stamp = { ms, counter: 0, node: name }
  const isDeleted = random() < 0.2
  const entry = isDeleted
    ? tombstone(id, ms, { kind, stamp })
    : version(id, ms, { kind, stamp, document: { ms, text: 'x'.repeat(bytes) } })
  const { ms: at } = stamp
  await store.entries.merge([entry])
  tell({ entry: [kind, id], ms: at })
}

/** What is done, as often as the others. */
const acts: readonly (() => Promise<void>)[] = [
  () => load('api_spec', upTo(3_000)),
  () => load('api_spec', random() < 0.15 ? 400_000 : 20_000),
  () => load('realm', 2_000),
  () => load('api_key', 200),
  async () => {
    const id = `${name}-family-${families.size}`
    const family: Family = {
      ...{ id, realm_uri: 'com.example', authid: id, client_id: 'app', device_id: '' },
      ...{ scope: [], authmethod: 'password', generation: 0 },
      ...{ created_at: 1, rotated_at: 1, expires_at },
    }
    families.set(id, -1)
    await store.families.create(family, 10)
    families.set(id, 0)
    tell({ family: id, generation: 0 })
  },
  async () => {
    const [id, generation] = [...families][upTo(families.size)] ?? []
    if (id === undefined || generation === undefined || generation < 0) return
    // one refresh of a login at a time
    families.set(id, -1)
    try {
      const at = { nowMs: 2, graceMs: 10_000, expiresAtMs: expires_at }
      const rotation = await store.families.rotate(id, generation, at)
      if (rotation.kind !== 'rotated' && rotation.kind !== 'repeated')
        throw new Error(rotation.kind)
      families.set(id, rotation.family.generation)
      tell({ family: id, generation: rotation.family.generation })
    } catch (cause) {
      families.set(id, generation)
      throw cause
    }
  },
  async () => {
    ms += 1
    const scope = `${name}-${ms}`
    const asked = { scope, fingerprint: 'f', leaseMs: 60_000, keptMs: 1e12, takesUnknown: false }
    const owner = await store.answers.take(asked)
    if (owner.kind !== 'taken') throw new Error(`a new key is ${owner.kind}`)
    tell({ performed: scope })
    await store.answers.keep(owner.hold, 'x'.repeat(upTo(500)))
    tell({ answered: scope })
  },
  async () => {
    const key = `${name}-${upTo(3)}`
    const units = 1 + upTo(5)
    const row = { rule: 'r', window_start: 0, key, node: name, window_end: expires_at, sharer: '' }
    await store.quotas.add([{ ...row, used: units }])
    used.set(key, (used.get(key) ?? 0) + units)
    tell({ quota: key, used: used.get(key) ?? 0 })
  },
  async () => {
    const rows = Array.from({ length: 1 + upTo(3) }, () => rowOf(++ms))
    for (const { webhook_id } of await store.deliveries.accept(rows)) {
      events.set(webhook_id, 0)
      tell({ event: webhook_id, state: 'waiting', attempts: 0 })
    }
  },
  () =>
    withEvent(async (id, attempts) => {
      const asked = { realm_uri, role: 'owner', holder: name, node: name } as const
      const epoch = await store.deliveryOwners.take(asked, 1e12)
      if (epoch === undefined) throw new Error('the role of a realm of one process is taken')
      const key = { delivery, endpoint: '', webhook_id: id }
      const owner = { realm_uri, holder: name, epoch }
      const [claimed] = await store.deliveries.claim(owner, [key], 0)
      if (claimed === undefined) throw new Error(`${id} cannot be claimed`)
      tell({ event: id, state: 'waiting', attempts: claimed.attempts })
      if (claimed.attempts <= attempts) throw new Error(`${id}: an attempt is not counted`)
      const isOver = random() < 0.7
      const due_at = isOver ? expires_at : 0
      const state = isOver ? 'done' : 'pending'
      const end = { ...key, state, due_at, status: isOver ? 200 : 503, error: null } as const
      await store.deliveries.end([{ ...end, reason: null, epoch, attempts: claimed.attempts }])
      if (isOver) tell({ event: id, state: 'over', attempts: claimed.attempts })
      return isOver ? undefined : claimed.attempts
    }),
  () =>
    withEvent(async (id, attempts) => {
      if (random() < 0.7) return attempts
      tell({ event: id, state: 'dropping', attempts })
      await store.deliveries.remove(delivery, { webhook_ids: [id] })
      tell({ event: id, state: 'dropped', attempts })
      return undefined
    }),
]

async function act(): Promise<void> {
  try {
    await acts[upTo(acts.length)]?.()
  } catch (cause) {
    // what the disk has refused is not acknowledged
    if (!(cause instanceof ServiceError)) throw cause
    if (mayDie === 'true' && random() < 0.3) process.kill(process.pid, 'SIGKILL')
  }
}

/** Holds checkpoints back. */
let reader: DatabaseSync | undefined

function hold(): void {
  reader = new DatabaseSync(join(folder, 'gateway.db'), { readOnly: true })
  reader.exec('begin')
  reader.prepare('select count(*) from meta').all()
}

function release(): void {
  reader?.close()
  reader = undefined
}

for (let step = 0; step < Number(steps); step++) {
  if (reader === undefined && random() < 0.1) hold()
  else if (random() < 0.3) release()
  await Promise.all(Array.from({ length: 1 + upTo(6) }, act))
  if (random() < 0.02) await store.shrink().catch(() => undefined)
  // the last connection writes the log into the database, and removes it
  if (random() < 0.02) {
    release()
    await store.close()
    store = await open()
  }
}
release()
await store.close()
