/** JSON as text: read with the place of each value, printed for people; numbers keep every digit. */

/**
 * @typedef {object} JsonNode
 * @property {number} start offset in the text
 * @property {string} raw the text of a scalar, or the opening bracket
 * @property {JsonNode[]} [items]
 * @property {{ key: string, raw: string, start: number, value: JsonNode }[]} [members]
 */

/** A mistake in a text. */
export class JsonMistake extends Error {
  /** @param {string} message @param {number} offset */
  constructor(message, offset) {
    super(message)
    this.offset = offset
  }
}

const scalar =
  /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy
const blank = /[ \t\r\n]*/y

/** As deep as the gateway reads. */
const maxDepth = 100

/**
 * @param {string} text
 * @returns {JsonNode}
 * @throws {JsonMistake}
 */
export function readJson(text) {
  let at = 0
  const skip = () => {
    blank.lastIndex = at
    blank.test(text)
    at = blank.lastIndex
  }
  /** @param {string} character */
  const isNext = (character) => {
    skip()
    if (text[at] !== character) return false
    at += 1
    return true
  }
  /** @param {string} wanted @returns {never} */
  const fail = (wanted) => {
    const found = at < text.length ? `found ${JSON.stringify(text[at])}` : 'the text ends'
    throw new JsonMistake(`${found}, expected ${wanted}`, at)
  }
  /** @param {string} wanted */
  const readScalar = (wanted) => {
    skip()
    scalar.lastIndex = at
    const [raw] = scalar.exec(text) ?? fail(wanted)
    at += raw.length
    return raw
  }
  /** @param {string} end @param {() => void} read */
  const readList = (end, read) => {
    if (isNext(end)) return
    do read()
    while (isNext(','))
    if (!isNext(end)) fail(`"," or "${end}"`)
  }
  /** @param {number} depth @returns {JsonNode} */
  const readValue = (depth) => {
    skip()
    const start = at
    if (depth > maxDepth) fail('fewer levels')
    if (isNext('{')) {
      /** @type {NonNullable<JsonNode['members']>} */
      const members = []
      readList('}', () => {
        skip()
        const from = at
        if (text[at] !== '"') fail('a member, as "name": value')
        const raw = readScalar('a name')
        if (!isNext(':')) fail('":"')
        members.push({ key: JSON.parse(raw), raw, start: from, value: readValue(depth + 1) })
      })
      return { start, raw: '{', members }
    }
    if (isNext('[')) {
      /** @type {JsonNode[]} */
      const items = []
      readList(']', () => items.push(readValue(depth + 1)))
      return { start, raw: '[', items }
    }
    return { start, raw: readScalar('a value') }
  }
  const value = readValue(0)
  skip()
  if (at < text.length) fail('the end')
  return value
}

const width = 80

/** @param {JsonNode} node @returns {string} */
function flat({ raw, members, items }) {
  if (members) {
    const all = members.map((one) => `${one.raw}: ${flat(one.value)}`)
    return all.length === 0 ? '{}' : `{ ${all.join(', ')} }`
  }
  return items ? `[${items.map(flat).join(', ')}]` : raw
}

/**
 * Prints a value: what fits stands on one line.
 * @param {JsonNode} node
 * @param {string} [indent]
 * @param {number} [before] characters before it on its line
 * @returns {string}
 */
export function printJson(node, indent = '', before = 0) {
  const { raw, members, items } = node
  if (!members && !items) return raw
  // what does not fit on its own is not tried again at each level
  const line = isShort(node, width) ? flat(node) : undefined
  if (line !== undefined && indent !== '' && indent.length + before + line.length <= width)
    return line
  const deeper = `${indent}  `
  const lines = members
    ? members.map((one) => `${one.raw}: ${printJson(one.value, deeper, one.raw.length + 2)}`)
    : (items ?? []).map((item) => printJson(item, deeper))
  if (lines.length === 0) return members ? '{}' : '[]'
  const [open, close] = members ? '{}' : '[]'
  return `${open}\n${lines.map((each) => deeper + each).join(',\n')}\n${indent}${close}`
}

/** @param {JsonNode} node @param {number} most characters @returns {boolean} */
function isShort(node, most) {
  let left = most
  /** @param {JsonNode} one */
  const visit = ({ raw, members, items }) => {
    left -= raw.length
    for (const member of members ?? []) {
      left -= member.raw.length
      if (left >= 0) visit(member.value)
    }
    for (const item of items ?? []) if (left >= 0) visit(item)
  }
  visit(node)
  return left >= 0
}

/**
 * The offset of the member or value that a JSON Pointer names, or of what is nearest above it.
 * @param {JsonNode} root
 * @param {string} pointer
 */
export function offsetOf(root, pointer) {
  let node = root
  let offset = root.start
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const member = node.members?.findLast((one) => one.key === key)
    const next = member?.value ?? node.items?.[Number(key)]
    if (!next) return offset
    offset = member?.start ?? next.start
    node = next
  }
  return offset
}

/** @param {string} text @param {number} offset @returns {number} from 1 */
export const lineAt = (text, offset) => text.slice(0, offset).split('\n').length
