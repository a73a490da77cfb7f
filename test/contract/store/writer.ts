/** A process that writes one document after the other and says which the store has acknowledged, until it is killed, refused, or done. */
import { writeSync } from 'node:fs'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { openStore } from '#component/store/database.ts'
import { version } from './documents.ts'

const [, , url = '', node = '', first = '1', last = 'Infinity'] = process.argv
const store = await openStore(url, systemClock)
for (let ms = Number(first); ms <= Number(last); ms++) {
  const document = { ms, filler: 'x'.repeat(2_000) }
  const stamp = { ms, counter: 0, node }
  try {
    await store.entries.merge([version(`${node}-${ms % 7}`, ms, { stamp, document })])
  } catch (cause) {
    writeSync(1, `${cause instanceof ServiceError ? cause.uri : cause}\n`)
    break
  }
  writeSync(1, `${ms}\n`)
}
await store.close()
