/** The log of a recorded run: a process that is killed while it writes a record leaves the beginning of it, wherever it was. */
import { expect } from 'chai'
import { recordOf, stepsOf } from './disk.ts'

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
})
