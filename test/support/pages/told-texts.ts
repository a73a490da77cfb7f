/** Reads the texts that users see: pages, and the texts in the code of the product and of its deployment. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

const root = join(import.meta.dirname, '../../..')

/** A text and where it stands. */
export interface ToldText {
  /** The file, from the root of the checkout, and the line. */
  readonly place: string
  readonly text: string
}

const files = (patterns: readonly string[]) =>
  globSync([...patterns], { cwd: root, exclude: (name) => name === 'node_modules' }).toSorted()

const lineAt = (source: string, at: number) => source.slice(0, at).split('\n').length

/** Each line of a page without its code, whose names are not words. */
function pageTexts(file: string): readonly ToldText[] {
  const source = readFileSync(join(root, file), 'utf8')
  const prose = source
    .replaceAll(/^( *)```(?!sh)[\s\S]*?^\1``` *$/gm, (code) => code.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]+`/g, '``')
    .replaceAll(/\]\([^)\s]*\)/g, ']')
  return prose.split('\n').map((text, index) => ({ place: `${file}:${index + 1}`, text }))
}

/** The texts of a program with more than one word; of a comment none. */
function programTexts(file: string): readonly ToldText[] {
  const source = readFileSync(join(root, file), 'utf8')
  const texts: ToldText[] = []
  const take = (text: string, at: number) => {
    const prose = text.replaceAll(/`[^`\n]+`/g, '``').replaceAll(/\]\([^)\s]*\)/g, ']')
    if (/\S\s+\S/.test(text.trim()))
      texts.push({ place: `${file}:${lineAt(source, at)}`, text: prose })
  }
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') take(value, start)
    },
    TemplateLiteral: ({ quasis, start }) =>
      take(quasis.map(({ value }) => value.cooked ?? value.raw).join('…'), start),
  }).visit(parseSync(file, source).program)
  return texts
}

/** Each line of a file that has texts for users, comments included. */
const lineTexts = (file: string): readonly ToldText[] =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((text, index) => ({ place: `${file}:${index + 1}`, text }))

/** All texts that users see. */
export function toldTexts(): readonly ToldText[] {
  const pages = files(['*.md', 'docs/*.md', 'examples/*/*.md', 'bench/*.md', 'deploy/**/*.md'])
  const programs = files([
    '{component,http,procedures,bin,deploy,package,examples}/**/*.{ts,js,mjs}',
  ])
  const lines = files([
    'deploy/**/*.{yaml,conf,service}',
    'deploy/Caddyfile',
    'examples/**/*.{json,yaml,html}',
    'http/**/*.html',
  ])
  return [
    ...pages.flatMap(pageTexts),
    ...programs.flatMap(programTexts),
    ...lines.flatMap(lineTexts),
  ]
}
