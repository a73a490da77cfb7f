/** The level of a log that changes while the gateway runs. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { LogLevel } from '#component/wiring/log-level.ts'

describe('the level of the log', () => {
  let lines: { level: string; msg: string }[]
  const openLevel = (level: string) => {
    lines = []
    const program = openLog(level, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const log = program.child({ node: 'a' })
    const access = log.child({})
    return { program, log, access, level: new LogLevel(log, access) }
  }

  it('is that of every logger of the gateway, and not that of the program around it', () => {
    const { program, log, access, level } = openLevel('warn')
    expect(level.set('debug', 'ada')).to.deep.equal({ level: 'debug', former_level: 'warn' })
    expect([log.level, access.level, program.level]).to.deep.equal(['debug', 'debug', 'warn'])
  })

  it('tells who has set it, also when less is logged from then on', () => {
    for (const next of ['trace', 'error', 'silent']) {
      const { level } = openLevel('error')
      level.set(next, 'ada')
      expect(lines).to.have.length(1)
      expect(lines[0]).to.include({
        ...{ level: 'info', log_level: next, former_level: 'error', by: 'ada' },
        msg: 'the log level is set',
      })
    }
  })

  it('is toggled between debug and what it was', () => {
    const { level } = openLevel('warn')
    const seen = Array.from({ length: 3 }, () => {
      level.toggleDebug('SIGUSR2')
      return level.current
    })
    expect(seen).to.deep.equal(['debug', 'warn', 'debug'])
  })

  it('is info after debug that was configured', () => {
    const { level } = openLevel('debug')
    level.toggleDebug('SIGUSR2')
    expect(level.current).to.equal('info')
  })

  it('tells other processes of changes that are made here, not of those that are followed', () => {
    const { level } = openLevel('info')
    const told: string[] = []
    level.onChange = (next) => told.push(next)
    level.follow('error')
    level.set('debug', 'ada')
    expect(told).to.deep.equal(['debug'])
    expect(lines).to.have.length(1)
  })
})
