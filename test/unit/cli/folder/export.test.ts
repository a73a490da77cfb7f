/** The names of exported files. */
import { basename, join } from 'node:path'
import { expect } from 'chai'
import { fileNameOf } from '#component/cli/folder/export.ts'

describe('the name of an exported file', () => {
  for (const [id, name] of [
    ['com.example.orders', 'com.example.orders.json'],
    ['com.example:orders 2', 'com.example%3Aorders%202.json'],
    ['.hidden', '%2Ehidden.json'],
    ['..', '%2E..json'],
    ['../../etc/passwd', '%2E.%2F..%2Fetc%2Fpasswd.json'],
    ['a\\b\0c', 'a%5Cb%00c.json'],
    ['\uD800', '%EF%BF%BD.json'],
  ] as const) {
    it(`is ${name} for the id ${JSON.stringify(id)}`, () => {
      expect(fileNameOf(id)).to.equal(name)
      expect(basename(join('folder', name))).to.equal(name)
    })
  }

  it('is short enough for a file system, and another one for each long id', () => {
    const names = ['x', 'y'].map((end) => fileNameOf(`${'long '.repeat(50)}${end}`))
    expect(new Set(names).size).to.equal(2)
    for (const name of names) expect(name.length).to.be.below(240)
  })
})
