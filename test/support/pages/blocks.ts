/** The fenced blocks of a page, each with the paragraph above it: what a reader types, and what is answered. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** A fenced block. */
export interface Block {
  /** `sh`, `json`, … */
  readonly language: string
  readonly text: string
  /** The paragraph right above it, in one line; empty when there is none between it and another block. */
  readonly lead: string
  /** The nearest heading above it. */
  readonly heading: string
}

/** The blocks of a page in their order. */
function blocksOf(file: string): Block[] {
  const blocks: Block[] = []
  let [heading, lead, isNew] = ['', '', true]
  let open: { language: string; lines: string[] } | undefined
  for (const line of readFileSync(join(root, file), 'utf8').split('\n')) {
    if (open) {
      if (line === '```') {
        const { language, lines } = open
        blocks.push({ language, text: lines.map((each) => `${each}\n`).join(''), lead, heading })
        ;[open, lead] = [undefined, '']
      } else open.lines.push(line)
    } else if (line.startsWith('```')) open = { language: line.slice(3), lines: [] }
    else if (/^#+ /.test(line)) [heading, lead] = [line.replace(/^#+ /, ''), '']
    else if (line === '') isNew = true
    else [lead, isNew] = [isNew ? line : `${lead} ${line}`, false]
  }
  return blocks
}

/** The blocks of a page by the heading above them, in their order. */
export const sectionsOf = (file: string): ReadonlyMap<string, readonly Block[]> =>
  Map.groupBy(blocksOf(file), ({ heading }) => heading)
