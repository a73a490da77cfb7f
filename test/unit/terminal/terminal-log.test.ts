/** The log on a terminal, beside a line of progress. */
import { expect } from 'chai'
import { inProgress, progressOn } from '#component/terminal/progress.ts'
import { TerminalLog } from '#component/terminal/terminal-log.ts'

const clear = '\r\u001B[K'

/** A terminal whose clock the test moves. */
function terminal(isTTY = true) {
  const clock = { time: 0, now: () => clock.time }
  const output = {
    isTTY,
    text: '',
    write(text: string) {
      output.text += text
    },
  }
  return { clock, output, progress: progressOn(output, clock) }
}

describe('the line of progress', () => {
  it('is not shown for work that is done in a quarter of a second', () => {
    const { clock, output, progress } = terminal()
    for (let done = 0; done <= 100; done++) {
      progress.show('loading files:', done, 100)
      clock.time += 2
    }
    expect(output.text).to.equal('')
  })

  it('is written four times a second at most, and removed in the end', () => {
    const { clock, output, progress } = terminal()
    for (let done = 0; done <= 1000; done++) {
      progress.show('loading files:', done, 1000)
      clock.time += 1
    }
    const shown = [250, 500, 750].map((done) => `${clear}loading files: ${done} of 1000`)
    expect(output.text).to.equal(`${shown.join('')}${clear}`)
  })

  it('makes way for what is written next, and comes back', () => {
    const { clock, output, progress } = terminal()
    progress.show('loading', 0, 9)
    clock.time = 300
    progress.show('loading', 1, 9)
    progress.clear()
    progress.clear()
    clock.time = 600
    progress.show('loading', 2, 9)
    expect(output.text).to.equal(`${clear}loading 1 of 9${clear}${clear}loading 2 of 9`)
  })

  it('goes with the loop that it tells of, also when that fails', () => {
    const { clock, output, progress } = terminal()
    const loop = () => {
      for (const item of inProgress(progress, 'loading', ['a', 'b', 'c'])) {
        clock.time += 300
        if (item === 'b') throw new Error('no b')
      }
    }
    expect(loop).to.throw('no b')
    expect(output.text).to.equal(`${clear}loading 1 of 3${clear}`)
  })

  it('is not written to a file or a pipe', () => {
    const { clock, output, progress } = terminal(false)
    progress.show('loading', 0, 9)
    clock.time = 1_000
    progress.show('loading', 1, 9)
    expect(output.text).to.equal('')
  })
})

describe('the log on a terminal', () => {
  const style = { hasColor: false, hasNode: false }
  const entry = (level: string, msg: string) =>
    `${JSON.stringify({ level, time: '2026-01-02T03:04:05.000Z', msg })}\n`

  it('shows warnings alone until the gateway has started, then all', () => {
    const { output, progress } = terminal()
    const log = new TerminalLog({ style, write: output.write, progress }, true)
    log.write(entry('info', 'joined'))
    log.write(entry('warn', 'odd'))
    log.hasStarted()
    log.write(entry('info', 'a request'))
    expect(output.text.match(/[a-z]+ +[a-z ]+\n/g)).to.deep.equal([
      'warn  odd\n',
      'info  a request\n',
    ])
  })

  it('removes the line of progress before it writes', () => {
    const { clock, output, progress } = terminal()
    progress.show('loading', 0, 9)
    clock.time = 300
    progress.show('loading', 1, 9)
    new TerminalLog({ style, write: output.write, progress }, false).write(entry('error', 'no'))
    expect(output.text)
      .to.include(`loading 1 of 9${clear}`)
      .and.match(/ error no\n$/)
  })
})
