/** WAMP calls, so many always in flight: `node bench/peers/caller.ts ROUTER_URL REALM PROCEDURE IN_FLIGHT SECONDS`; prints what came of it as JSON. */
import { openLink } from './wamp-link.ts'

const call = 48
const result = 50

const [url = '', realm = '', procedure = '', inFlight = '', seconds = ''] = process.argv.slice(2)
const link = await openLink(url, realm)
const sentAt = new Map<number, number>()
const took: number[] = []
let errors = 0
let sent = 0

function next(): void {
  sent += 1
  sentAt.set(sent, performance.now())
  link.send([call, sent, {}, procedure, ['Ada']])
}

link.listen(([type, id]) => {
  const request = (type === result ? id : 0) as number
  const since = sentAt.get(request)
  if (since === undefined) {
    errors += 1
  } else {
    sentAt.delete(request)
    took.push(performance.now() - since)
  }
  next()
})

const began = performance.now()
for (let count = 0; count < Number(inFlight); count += 1) next()
setTimeout(() => {
  const spent = (performance.now() - began) / 1000
  const sorted = Float64Array.from(took).sort()
  const share = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0
  const found = {
    seconds: spent,
    answers: took.length,
    p50: share(0.5),
    p99: share(0.99),
    max: share(1),
    errors,
  }
  process.stdout.write(JSON.stringify(found))
  link.close()
}, Number(seconds) * 1000)
