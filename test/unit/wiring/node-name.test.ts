/** The name of a node that is kept in `data_dir`: made once and whole, and made anew where the file has none. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ConfigError, readConfig } from '#component/config/config.ts'
import { openFolder } from '#component/wiring/open-store.ts'

describe('the name of a node', () => {
  let folder: string
  let data_dir: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-node-'))
    data_dir = join(folder, 'deep', 'data')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** @returns the name, and the files that the log has named */
  function open(settings: Readonly<Record<string, string>> = {}) {
    const warned: unknown[] = []
    const log = { warn: (fields: object) => void warned.push(fields) }
    const { node } = openFolder(readConfig(undefined, {}, { data_dir, ...settings }), log as never)
    return { node, warned }
  }

  it('is made once, with nothing beside it that is not whole', () => {
    const { node, warned } = open()
    expect(node).to.match(/^[a-z0-9-]+-[0-9a-f]{6}$/)
    expect([open().node, warned]).to.deep.equal([node, []])
    expect(readdirSync(data_dir)).to.deep.equal(['node'])
    expect(readFileSync(join(data_dir, 'node'), 'utf8')).to.equal(`${node}\n`)
    expect(statSync(join(data_dir, 'node')).mode & 0o777).to.equal(0o600)
  })

  for (const [what, content] of Object.entries({
    'is empty': '',
    'has only a line end': '\n',
    'has zeros': '\0\0\0\0\0\0\0\0',
    'has capitals': 'Node-1\n',
    'has two lines': 'a\nb\n',
    'has too many characters': 'x'.repeat(65),
    'has a dot, which ends a part of a URI': 'a.b\n',
  })) {
    it(`is made anew, with a warning, where the file ${what}`, () => {
      mkdirSync(data_dir, { recursive: true })
      writeFileSync(join(data_dir, 'node'), content)
      const { node, warned } = open()
      expect(node).to.match(/^[a-z0-9-]+-[0-9a-f]{6}$/)
      expect(warned).to.deep.equal([{ file: join(data_dir, 'node') }])
      expect(open()).to.deep.equal({ node, warned: [] })
    })
  }

  it('is the configured one, whatever the file has', () => {
    mkdirSync(data_dir, { recursive: true })
    writeFileSync(join(data_dir, 'node'), '')
    expect(open({ node: 'a' })).to.deep.equal({ node: 'a', warned: [] })
  })

  it('is refused with the option where no file can be made', () => {
    writeFileSync(join(folder, 'deep'), '')
    expect(() => open()).to.throw(ConfigError, /option "data_dir": ENOTDIR/)
  })
})
