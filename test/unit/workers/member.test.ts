/** What the primary asks of its workers. */
import { expect } from 'chai'
import type { FilePatterns } from '#component/wiring/configured-files.ts'
import { ChannelLost } from '#component/workers/ipc-channel.ts'
import { loadFilesOnce, type Member } from '#component/workers/member.ts'

const patterns: FilePatterns = { realms: [], specs: ['*.json'], specs_examples: 'off' }
const loaded = { loaded: 1, refused: [{ file: 'a.json', issues: [], isForNow: false }] }

/** A worker that answers so, and what it was asked and told. */
function worker(answer: () => unknown) {
  const messages: unknown[] = []
  const channel = {
    async ask(name: string, value: unknown) {
      messages.push(['ask', name, value])
      return answer()
    },
    tell: (name: string, value: unknown) => void messages.push(['tell', name, value]),
  }
  return { messages, member: { channel } as unknown as Member }
}

const throwing = (error: Error) => () => {
  throw error
}

describe('the files of a gateway of several workers', () => {
  it('are loaded by the first worker, and the others are told which it has refused', async () => {
    const workers = [worker(() => loaded), worker(() => loaded), worker(() => loaded)]
    const members = workers.map(({ member }) => member)
    expect(await loadFilesOnce(members, patterns)).to.equal(loaded)
    expect(workers.map(({ messages }) => messages)).to.deep.equal([
      [['ask', 'loadFiles', patterns]],
      [['tell', 'refusedFiles', loaded.refused]],
      [['tell', 'refusedFiles', loaded.refused]],
    ])
  })

  it('are loaded by the next worker when the first one ends meanwhile', async () => {
    const [first, second] = [worker(throwing(new ChannelLost())), worker(() => loaded)]
    expect(await loadFilesOnce([first.member, second.member], patterns)).to.equal(loaded)
  })

  it('are not loaded by another worker when the first one cannot now', async () => {
    const [first, second] = [worker(throwing(new Error('the store is away'))), worker(() => loaded)]
    const failure = await loadFilesOnce([first.member, second.member], patterns).catch(String)
    expect(failure).to.equal('Error: the store is away')
    expect(second.messages).to.deep.equal([])
  })

  it('are not loaded before a worker has started', async () => {
    expect(await loadFilesOnce([], patterns).catch(String)).to.equal('Error: no worker has started')
  })
})
