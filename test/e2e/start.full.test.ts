/** npm start with options, on a terminal, and where a port is taken: the lines that it prints. */
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { cloneProject } from '#test/support/clone.ts'
import { lines, run, takePort } from '#test/support/command.ts'
import { until } from '#test/support/running/until.ts'
import { Terminal } from '#test/support/terminal.ts'
import { demoPorts, isFree, portsFree, tour } from './start.setup.ts'

/** What npm prints above a script. */
const heading = /^> wamp-gateway@.*\n> node .*\n\n/m

describe('npm start in other ways', () => {
  let folder: string
  before(() => {
    folder = cloneProject()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('does the same with several workers and addresses, where Kubernetes has a Service named gateway', () =>
    tour(folder, ['--', '--set', 'workers=2', '--set', 'admin.listen=127.0.0.1:18081'], {
      GATEWAY_GATEWAY__LISTEN: '127.0.0.1:18080',
      GATEWAY_SERVICE_HOST: '10.0.0.1',
      GATEWAY_PORT: 'tcp://10.0.0.1:8080',
    }))

  it('says on a terminal where it listens and what to do next, in six lines and without a warning', async () => {
    await portsFree()
    const terminal = new Terminal('npm start', folder, {
      NO_COLOR: '1',
      npm_config_progress: 'false',
    })
    try {
      await until('it is ready', () => /^ready .*\n/m.test(terminal.text))
      const shown = terminal.text.trimEnd().split(heading)
      expect(shown).to.have.length(3)
      expect(shown.slice(0, -1).join('').trim()).to.equal('')
      const named = lines(shown.at(-1) ?? '').map((line) => line.replace(/pid \d+/, 'pid PID'))
      expect(named).to.deep.equal([
        'hello | com.example.hello.greet and com.example.hello.count_waves are registered',
        'gateway  http://127.0.0.1:18080',
        'admin    http://127.0.0.1:18081',
        'router   ws://127.0.0.1:18080/ws',
        'try      curl http://127.0.0.1:18080/hello/Ada',
        'ready    pid PID; what is loaded, in a browser: http://127.0.0.1:18081/; more to try: README.md, "A tour"; Ctrl-C ends it',
      ])
      await fetch('http://127.0.0.1:18080/hello/Ada')
      const request = /^\d\d:\d\d:\d\d info {2}GET \S+ 200 \d+(\.\d)? ms$/m
      await until('the request is shown', () => request.test(terminal.text))
    } finally {
      await terminal.interrupt()
    }
    expect(terminal.text).to.match(/info {2}stopped\n$/)
  })

  for (const port of demoPorts) {
    it(`ends with an error that names port ${port} when it is taken`, async () => {
      await until('the port is free', () => isFree(port))
      const taken = await takePort(port)
      try {
        const { code, stderr } = await run('npm', ['start', '--silent'], folder)
        expect(code).to.not.equal(0)
        expect(stderr).to.contain(String(port))
        expect(lines(stderr), stderr).to.have.length(1)
      } finally {
        taken.free()
      }
    })
  }
})
