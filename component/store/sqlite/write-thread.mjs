/** A thread that has the connection which writes: neither a commit nor a checkpoint holds up the event loop. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { Connection, mostTogether } from './connection.mjs'

/**
 * What the thread tells.
 * @typedef {object} Told
 * @property {(import('./connection.mjs').Result | import('./connection.mjs').Refusal)[][]} outcomes of each of the next messages that it was sent
 * @property {import('./connection.mjs').Refusal} [failure] of a checkpoint
 */

/** How long a statement waits while another process writes; milliseconds. Longer waits are the store's. */
const busyTimeoutMs = 100

const connection = new Connection(workerData, busyTimeoutMs)
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)

port.on('message', (first) => {
  if (first === 'close') {
    connection.close()
    port.close()
    return
  }
  // what was sent during the last commit is one commit
  const messages = [first]
  for (let count = first.length; count < mostTogether; ) {
    const next = receiveMessageOnPort(port)
    if (next === undefined) break
    messages.push(next.message)
    count += next.message.length
  }
  const all = connection.executeAll(messages.flat())
  port.postMessage({ outcomes: messages.map(({ length }) => all.splice(0, length)) })
  const failure = connection.checkpointIfDue()
  if (failure) port.postMessage({ outcomes: [], failure })
})
