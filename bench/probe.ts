/** Requests at fixed times, whether or not the last ones are answered: what other clients notice of something. */
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Worker } from 'node:worker_threads'
import { median } from './statistics.ts'

/** Between two requests, milliseconds. */
const interval = 2

/** What they noticed; times from when a request was due to the end of its answer, milliseconds. */
export interface Noticed {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Answers with another status or body, and requests without one. */
  readonly errors: number
}

/** Starts asking; the function that it gives back ends it, and waits for the answers. */
export function probe(url: string, expected: string): () => Promise<Noticed> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const took: number[] = []
  let errors = 0
  const pending = new Set<Promise<void>>()
  const ask = (due: number) =>
    new Promise<void>((resolve) => {
      const request = get(url, { agent }, (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (chunk) => {
          body += chunk
        })
        answer.on('end', () => {
          if (answer.statusCode !== 200 || body !== expected) errors += 1
          took.push(performance.now() - due)
          resolve()
        })
      })
      request.on('error', () => {
        errors += 1
        resolve()
      })
    })
  let due = performance.now()
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += interval) {
      const asked = ask(due)
      pending.add(asked)
      void asked.finally(() => pending.delete(asked))
    }
  }, interval)
  return async () => {
    clearInterval(timer)
    await Promise.all(pending)
    agent.destroy()
    const sorted = took.toSorted((a, b) => a - b)
    return {
      p50: median(sorted),
      p99: sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0,
      max: sorted.at(-1) ?? 0,
      errors,
    }
  }
}

/** The same in a thread of its own: what the bench reads meanwhile does not delay it. */
export function probeApart(url: string, expected: string): () => Promise<Noticed> {
  const file = new URL('./probe-thread.ts', import.meta.url)
  const worker = new Worker(file, { workerData: { url, expected } })
  return async () => {
    worker.postMessage('end')
    const [noticed] = (await once(worker, 'message')) as [Noticed]
    await worker.terminate()
    return noticed
  }
}
