/** A thread that has the connection which writes: neither a commit nor a checkpoint holds up the event loop. */
import { parentPort, workerData } from 'node:worker_threads'
import { Connection } from './connection.mjs'

/** How long a statement waits while another process writes; milliseconds. Longer waits are the store's. */
const busyTimeoutMs = 100

const connection = new Connection(workerData, busyTimeoutMs)

parentPort?.on('message', (message) => {
  if (message !== 'close') {
    parentPort?.postMessage(connection.executeAll(message))
    return
  }
  connection.close()
  parentPort?.close()
})
