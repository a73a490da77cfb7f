/** The folder that `wamp-gateway new` makes for an API of one's own, and the one of the first example. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { expectServed, openNewFolder } from './new-folder.setup.ts'

describe('a folder that wamp-gateway new makes', () => {
  it('for an API of its own is valid, and its backend answers through the gateway', async () => {
    const made = await openNewFolder([], 'my-shop')
    try {
      await made.validate(['api-spec.json', 'realm.json', 'gateway.yaml'])
      const url = await made.serve()
      // what npm install brings
      const packages = join(import.meta.dirname, '../../node_modules')
      symlinkSync(packages, join(made.folder, 'node_modules'))
      const router = `${url.replace('http', 'ws')}/ws`
      const ready = 'com.example.my_shop.hello is registered'
      await made.start(ready, process.execPath, 'backend.js', router)
      const greeted = await fetch(`${url}/v1/hello/Ada`)
      expect(await greeted.json()).to.deep.equal({ greeting: 'Hello, Ada!' })
      const refused = await fetch(`${url}/v1/hello/nobody`)
      expect([refused.status, await refused.json()]).to.deep.equal([
        404,
        { code: 'com.example.my_shop.error.not_found', reasons: ['there is nobody of that name'] },
      ])
    } finally {
      await made.leave()
    }
  })

  it('from hello is valid, and is served by start --config', () =>
    expectServed('hello', '/v1.0/about', 200))
})
