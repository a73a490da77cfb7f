/** The links of the pages of this repository lead somewhere. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/*.md', 'examples/*/*.md', 'bench/*.md', 'deploy/**/*.md'], {
  cwd: root,
})

/** The anchor that a heading has on GitHub. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string): readonly string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  )

/** The links of a page that lead to no file, or to no heading of one. */
function brokenLinks(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? join(root, page) : normalize(join(root, dirname(page), path))
      if (!existsSync(target)) return true
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
    })
    .map((link) => `${page}: ${link}`)
}

describe('the links of pages', () => {
  it('are looked at in all of them', () => {
    expect(pages).to.include.members(['README.md', join('docs', 'operations.md')])
  })

  it('lead to files and headings that exist', () => {
    expect(pages.flatMap(brokenLinks)).to.deep.equal([])
  })
})
