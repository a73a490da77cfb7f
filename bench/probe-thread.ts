/** A worker thread that runs `probe` until its parent sends a message, and answers with what the requests noticed. */
import { parentPort, workerData } from 'node:worker_threads'
import { probe } from './probe.ts'

const { url, expected } = workerData as { readonly url: string; readonly expected: string }
const end = probe(url, expected)
parentPort?.once('message', async () => parentPort?.postMessage(await end()))
