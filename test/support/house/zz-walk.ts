import { writeFileSync } from 'node:fs'
import { describeEntries } from '/work/h/l41/test/support/house/entries.ts'
import { takeWalks } from '/work/h/l41/test/support/house/walks.ts'

const root = process.argv[2]!,
  out = process.argv[3]!
const names = ['get', 'load', 'start']
const walks = await takeWalks(root)
walks.forEach((w, i) => {
  console.log(w.name, describeEntries(w.entries))
  writeFileSync(
    `${out}-${names[i]}.txt`,
    w.entries.map(({ file, line }) => `${file}:${line}`).join('\n') + '\n',
  )
})
process.exit(0)
