/** The log of a recorded run: a process that is killed while it writes a record leaves the beginning of it, wherever it was; a sync that is told of an earlier failure has written its own pages. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { recordOf, stepsOf } from './disk.ts'
import { failuresIn, Recording } from './recording.ts'

/** What records have said. */
const saidBy = (log: Buffer) =>
  [...stepsOf(log)].map(({ type, data }) => `${type} ${data.toString('latin1')}`)

describe('the log of a recorded run', () => {
  const cut = recordOf('W', Buffer.alloc(200, 'cut'))
  const [first, empty, last] = [
    recordOf('A', Buffer.from('first')),
    recordOf('E', Buffer.alloc(0)),
    recordOf('W', Buffer.alloc(300)),
  ]
  const whole = ['A first', 'E ', `W ${'\0'.repeat(300)}`]

  it('has its records in order', () => {
    expect(saidBy(Buffer.concat([first, empty, last]))).to.deep.equal(whole)
  })

  it('has all whole records around one that is cut after any byte', () => {
    for (let length = 0; length < cut.length; length++) {
      const part = cut.subarray(0, length)
      for (const log of [
        [part, first, empty, last],
        [first, part, empty, last],
        [first, empty, part, last],
        [first, empty, last, part],
        [first, part, part, empty, part, last],
      ]) {
        expect(saidBy(Buffer.concat(log)), `${length} bytes`).to.deep.equal(whole)
      }
    }
  })

  it('has one failure where two descriptors are told of it, and what the second one has written', async () => {
    const program = `
      const { fdatasyncSync, openSync, unlinkSync, writeSync } = require('node:fs')
      const [folder] = process.argv.slice(1)
      const [one, two] = [1, 2].map(() => openSync(folder + '/file', 'a+'))
      const folderItself = openSync(folder, 'r')
      const outcomes = []
      const sync = (descriptor) => {
        try {
          fdatasyncSync(descriptor)
          outcomes.push('good')
        } catch ({ code }) {
          outcomes.push(code)
        }
      }
      sync(folderItself)
      unlinkSync(folder + '/!sync file 0 1 5')
      sync(one)
      writeSync(one, 'acknowledged')
      sync(two)
      sync(one)
      process.stdout.write(outcomes.join())`
    const recording = new Recording()
    try {
      let outcomes = ''
      const steps = await recording.record(0, async ({ data, env }) => {
        const options = { env: { ...process.env, ...env } }
        outcomes = execFileSync(process.execPath, ['-e', program, data], options).toString()
      })
      expect(outcomes).to.equal('good,EIO,EIO,good')
      expect(failuresIn(steps)).to.equal(1)
      const end = steps.length
      const found = await recording.crash(steps, {
        ...{ seed: 1, moments: [end, end, end], onAcknowledged: () => undefined },
        judge: async (state) => [readFileSync(join(state, 'file'), 'utf8')],
      })
      expect(found).to.deep.equal(Array(4).fill(`after step ${end}: acknowledged`))
    } finally {
      recording.remove()
    }
  })
})
