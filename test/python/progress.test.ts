/** Progressive results of a callee in Python. */
import { describeProgress } from '#test/integration/streams/progress.suite.ts'
import { startPythonPeer } from './peer.ts'

async function startPieces(url: string, realm: string) {
  const peer = await startPythonPeer(url, realm, 'pieces.py')
  return { close: () => peer.stop() }
}

describeProgress('autobahn-python', startPieces, true)
