/**
 * A thread that writes the write-ahead log of a SQLite database into the database, once for each message. It is JavaScript,
 * because a thread that compiles TypeScript takes 10 MB more.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const database = new DatabaseSync(workerData)
// the default brings each commit to the disk, which is for the connection that commits to do
database.exec('pragma synchronous = normal')
// passive: waits for nobody, and nobody waits for it (https://sqlite.org/pragma.html#pragma_wal_checkpoint)
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')

/** Pages in the log, whether they are in the database by now or not; 0 when the checkpoint failed. */
function pagesInLog() {
  try {
    return Number(checkpoint.get()?.log)
  } catch {
    // the connection that commits meets the same disk, and says so
    return 0
  }
}

parentPort?.on('message', (message) => {
  if (message === 'checkpoint') return parentPort?.postMessage(pagesInLog())
  database.close()
  return parentPort?.close()
})
