/** The process that attacks: `node test/attack/attacker.ts NAME TARGET`; TARGET is JSON. SIGTERM ends the attack. Prints what it has found, as JSON. */
import { attacks } from './index.ts'

const [name, target = ''] = process.argv.slice(2)
const attack = attacks.find((one) => one.name === name)
if (attack === undefined) throw new TypeError(`there is no attack ${name}`)
const ending = new AbortController()
process.once('SIGTERM', () => ending.abort())
const found = new Set<string>()
await attack.run(JSON.parse(target), ending.signal, (problem) => found.add(problem))
process.stdout.write(JSON.stringify([...found]), () => process.exit())
