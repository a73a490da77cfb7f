/** Asks as `probe.ts` does, in a thread of its own, until it is told to end. */
import { parentPort, workerData } from 'node:worker_threads'
import { probe } from './probe.ts'

const { url, expected } = workerData as { readonly url: string; readonly expected: string }
const end = probe(url, expected)
parentPort?.once('message', async () => parentPort?.postMessage(await end()))
