/** A process that writes one document after the other and says which the store has acknowledged, until it is killed or refused. */
import { writeSync } from 'node:fs'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { openStore } from '#component/store/database.ts'

const [, , url = '', first = '0'] = process.argv
const store = await openStore(url, systemClock)
for (let ts = Number(first); ; ts++) {
  const document = { id: 'a', ts, filler: 'x'.repeat(2_000) }
  try {
    await store.specs.put({ id: `id-${ts % 7}`, ts, node: 'n1', hash: String(ts), document })
  } catch (cause) {
    writeSync(1, `${cause instanceof ServiceError ? cause.uri : cause}\n`)
    break
  }
  writeSync(1, `${ts}\n`)
}
