/** What a running gateway reads again on SIGHUP, in all its processes. */
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { staticDocument } from '#test/integration/management/faces.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { ReloadFixture } from './reload.setup.ts'

describe('a gateway of 2 workers that reads its files again on SIGHUP', () => {
  let fixture: ReloadFixture
  beforeEach(() => {
    fixture = new ReloadFixture()
  })
  afterEach(() => fixture.remove())

  it('loads changed and new ones, keeps what is gone, and names what is refused', async () => {
    await fixture.start()
    await fixture.serves('a', 'first')
    fixture.write('a.spec.json', staticDocument('a', 'second'))
    fixture.write('b.spec.json', staticDocument('b', 'new'))
    fixture.write('c.spec.json', '{"id":')
    const { gateway } = fixture
    process.kill(gateway.pid, 'SIGHUP')
    await fixture.serves('a', 'second')
    await fixture.serves('b', 'new')
    await fixture.told('"by":"SIGHUP","loaded":2,"refused":1')
    for (let asked = 0; asked < 4; asked += 1) {
      const ready = await send(gateway.adminUrl, '/ready')
      expect(ready.text).to.include(`the file ${fixture.at('c.spec.json')} was refused: 1 issue`)
    }
    rmSync(fixture.at('b.spec.json'))
    rmSync(fixture.at('c.spec.json'))
    process.kill(gateway.pid, 'SIGHUP')
    await fixture.told('the file is gone; what was loaded from it is served on')
    await fixture.serves('b', 'new')
    await until('no file is refused', async () => {
      const asked = Array.from({ length: 4 }, () => send(gateway.adminUrl, '/ready'))
      return (await Promise.all(asked)).every(({ text }) => !text.includes('refused'))
    })
  })
})
