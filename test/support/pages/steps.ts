/** What a page tells a reader to do, step by step: files to write and to change, and lines to type. */
import type { Block } from './blocks.ts'

/** One step. */
export type Step =
  | { readonly kind: 'write'; readonly file: string; readonly text: string }
  | { readonly kind: 'append'; readonly file: string; readonly text: string }
  | {
      readonly kind: 'insert'
      readonly file: string
      readonly text: string
      /** The line below which it goes. */
      readonly line: string
    }
  | {
      readonly kind: 'run'
      readonly text: string
      /** What is printed; undefined where the page does not say. */
      readonly answer: string | undefined
      /** Whether it runs on, in a terminal of its own. */
      readonly isLasting: boolean
    }
  /** To look at a terminal of its own. */
  | { readonly kind: 'look'; readonly text: string }

/** The texts in backquotes of a line. */
const quoted = (lead: string): string[] =>
  [...lead.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

function changeOf({ lead, text }: Block): Step {
  const names = quoted(lead)
  const below = / below the line `([^`]+)`, add:$/.exec(lead)
  const [, atEnd] = /At the end of `([^`]+)`, add:$/.exec(lead) ?? []
  if (below) return { kind: 'insert', file: names.at(-2) ?? '', line: below[1] ?? '', text }
  if (atEnd !== undefined) return { kind: 'append', file: atEnd, text }
  const file = names.find((name) => /^[\w.][\w./-]*\.\w+$/.test(name))
  if (file === undefined) throw new Error(`the page does not say which file this is: ${text}`)
  return { kind: 'write', file, text }
}

/** The steps that the blocks of a page make. @throws Error for a block that is no step */
export function stepsOf(blocks: readonly Block[]): Step[] {
  return blocks.flatMap((block, index): Step[] => {
    const { language, text, lead } = block
    // right behind a command it is the answer
    if (language === 'text') return lead === '' ? [] : [{ kind: 'look', text }]
    if (language !== 'sh') return [changeOf(block)]
    const next = blocks[index + 1]
    const answer = next?.language === 'text' ? next.text : undefined
    return [{ kind: 'run', text, answer, isLasting: lead.includes('a terminal of its own') }]
  })
}
