/** The files of the console stay few and small, and none of them runs or loads what its policy refuses. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const folder = join(import.meta.dirname, '../../../../http/console/page')
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(?:js|css|html|svg)$/.test(entry.name))
  .map(({ parentPath, name }) => ({
    folder: parentPath,
    name,
    text: readFileSync(join(parentPath, name), 'utf8'),
  }))

describe('the files of the console', () => {
  it('have 250 lines each at most', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 251)
    expect(long.map(({ name }) => name)).to.deep.equal([])
  })

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
