/** The files of the console stay few and small, and none of them runs or loads what its policy refuses. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect } from 'chai'
import { parseSync } from 'oxc-parser'
import { shortened, smallest } from '#http/console/page-files.ts'

const folder = join(import.meta.dirname, '../../../../http/console/page')
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(?:js|css|html|svg)$/.test(entry.name))
  .map(({ parentPath, name }) => ({
    folder: parentPath,
    name,
    text: readFileSync(join(parentPath, name), 'utf8'),
  }))

/** What a file does: its syntax tree without places, and without the space between the tags of templates, which htm leaves out. */
function programOf(name: string, code: string): unknown {
  const { errors, program } = parseSync(name, code)
  expect(errors).to.deep.equal([])
  const text = JSON.stringify(program, (key, value: unknown) => {
    if (['start', 'end', 'range', 'loc'].includes(key)) return undefined
    const isQuasi = (key === 'raw' || key === 'cooked') && typeof value === 'string'
    return isQuasi ? value.replaceAll(/\s*\n\s*/g, '\n') : value
  })
  return JSON.parse(text)
}

describe('the files of the console', () => {
  it('have at most 54 kB together as they are served to browsers, Preact apart, and 250 lines each', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 251)
    expect(long.map(({ name }) => name)).to.deep.equal([])
    const sizes = files.map(({ text }) => brotliCompressSync(shortened(text), smallest).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.within(20_000, 54_000)
  })

  for (const { name, text } of files.filter((file) => file.name.endsWith('.js'))) {
    it(`do the same as they are served: ${name}`, () => {
      const [written, served] = [text, shortened(text)].map((code) => programOf(name, code))
      expect(served).to.deep.equal(written)
    })
  }

  it('stand in folders of at most 20', () => {
    const counts = Map.groupBy(files, (file) => file.folder)
    expect(Math.max(...[...counts.values()].map(({ length }) => length))).to.be.at.most(20)
  })

  it('say in their first sentence what they are for', () => {
    const without = files.filter(
      ({ name, text }) => /\.(?:js|css)$/.test(name) && !/^\/\*\*? [A-Z`].{20,}\*\//.test(text),
    )
    expect(without.map(({ name }) => name)).to.deep.equal([])
  })

  it('have no inline script or style, and put no text into a page as HTML', () => {
    const html = files.find(({ name }) => name === 'index.html')?.text ?? ''
    expect(html).to.not.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/)
    const wrong = /innerHTML|dangerouslySetInnerHTML|\beval\(|new Function|document\.write/
    expect(files.filter(({ text }) => wrong.test(text)).map(({ name }) => name)).to.deep.equal([])
  })
})
