/** The folder that `wamp-gateway new` makes for Crossbar.io and a backend in Python, run as its README says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type NewFolder, openNewFolder } from '#test/e2e/new-folder.setup.ts'
import { type Crossbar, startCrossbar } from '#test/support/peers/crossbar.ts'
import { crossbar, pythonProgram } from '#test/support/peers/python-environment.ts'

describe('a folder that wamp-gateway new makes with --router crossbar --lang python', () => {
  let made: NewFolder
  let router: Crossbar | undefined

  before(async () => {
    made = await openNewFolder(['--router', 'crossbar', '--lang', 'python'])
  })
  after(async () => {
    await made?.leave()
    await router?.stop()
  })

  const text = (file: string) => readFileSync(join(made.folder, file), 'utf8')

  it('installs the Crossbar.io that it is tested with', () => {
    expect(text('README.md')).to.include(`pip install crossbar==${crossbar} autobahn\n`)
  })

  it('has a Crossbar.io, a gateway and a backend that answer together', async () => {
    router = await startCrossbar((port) => {
      const config = text('crossbar/config.json')
      expect(config.match(/"port": 8080/g)).to.have.length(1)
      return JSON.parse(config.replace('"port": 8080', `"port": ${port}`))
    })
    const url = await made.serve('--set', `wamp.url=${router.url}`)
    const ready = 'com.example.shop.hello is registered'
    await made.start(ready, pythonProgram('python'), 'backend.py', router.url)
    const greeted = await fetch(`${url}/v1/hello/Ada`)
    expect(await greeted.json()).to.deep.equal({ greeting: 'Hello, Ada!' })
    const refused = await fetch(`${url}/v1/hello/nobody`)
    expect([refused.status, await refused.json()]).to.deep.equal([
      404,
      { code: 'com.example.shop.error.not_found', reasons: ['there is nobody of that name'] },
    ])
  })
})
