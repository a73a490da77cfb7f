/** Starts peer.py, pieces.py, recorder.py or charger.py, the WAMP peers written with autobahn-python. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pythonProgram } from '#test/support/peers/python-environment.ts'

/** The Python process. */
export interface PythonPeer {
  stop(): Promise<void>
}

/**
 * Starts it in a realm; resolves when its procedures are registered and its topic is subscribed.
 * @param file of the program
 */
export async function startPythonPeer(
  url: string,
  realm: string,
  file: 'peer.py' | 'pieces.py' | 'recorder.py' | 'charger.py' = 'peer.py',
): Promise<PythonPeer> {
  const child = spawn(pythonProgram('python'), [join(import.meta.dirname, file), url, realm], {
    stdio: ['ignore', 'pipe', process.env.TEST_LOG_LEVEL ? 'inherit' : 'ignore'],
  })
  const ended = once(child, 'exit')
  const isReady = async () => {
    for await (const line of createInterface(child.stdout)) if (line === 'ready') return true
    return false
  }
  if (!(await isReady())) throw new Error('the Python peer did not start')
  child.stdout.resume()
  return {
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
