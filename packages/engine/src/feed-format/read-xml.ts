import { makeTextReader } from './read-text.ts'
import { isNameStart, scanName, scanTagEnd } from './scan-tag.ts'
import { makeMarkupSkipper } from './skip-markup.ts'
import { BOUNDARIES, ITEMS, KNOWN, TEXTS, VALUES } from './vocabulary.ts'
import { readAttributes, type XmlNode } from './xml-node.ts'
import { extendScope, openScope, resolveName, type XmlScope } from './xml-scope.ts'

export interface XmlOutline {
  /** The document without its items. */
  root: XmlNode
  /** The item in which the document is truncated. */
  cutItem: XmlNode | null
  /** Lower-case name of the first element, as written. */
  firstTag: string | null
}

interface Frame {
  node: XmlNode
  /** In lower case, as the end tag must have it. */
  tag: string
  scope: XmlScope
  innerStart: number
}

const MAX_DEPTH = 256
const MAX_CHILDREN = 20_000

/**
 * Parses feed markup the way browsers parse HTML: nothing is an error. Each item is passed on when
 * it ends and not kept, so memory depends on the largest item and not on the document. Declarations
 * are skipped: entities of a DTD are never expanded or fetched.
 */
export const readXml = (source: string, onItem: (item: XmlNode) => void): XmlOutline => {
  const skip = makeMarkupSkipper(source)
  const readText = makeTextReader(source, skip)
  const root = makeNode('', '', [])
  let top: Frame = { node: root, tag: '', scope: openScope(), innerStart: 0 }
  const stack: Frame[] = [top]
  const openTags = new Map<string, number>()
  let item: XmlNode | null = null
  let firstTag: string | null = null
  let tooDeep = 0

  const push = (frame: Frame) => {
    stack.push(frame)
    openTags.set(frame.tag, (openTags.get(frame.tag) ?? 0) + 1)
    top = frame
  }

  const pop = (innerEnd: number) => {
    const frame = stack.pop()
    if (frame === undefined) return
    frame.node.inner = source.slice(frame.innerStart, innerEnd)
    openTags.set(frame.tag, (openTags.get(frame.tag) ?? 1) - 1)
    top = stack.at(-1) ?? top
    if (frame.node !== item) return
    item = null
    onItem(frame.node)
  }

  const attach = (node: XmlNode) => {
    const { children } = top.node
    if (KNOWN.has(node.name) && children.length < MAX_CHILDREN) children.push(node)
  }

  const close = (tag: string, innerEnd: number) => {
    if (tooDeep > 0 && !BOUNDARIES.has(tag)) {
      tooDeep--
      return
    }
    if ((openTags.get(tag) ?? 0) === 0) return
    tooDeep = 0
    while (top.tag !== tag) pop(innerEnd)
    pop(innerEnd)
  }

  /** Closes elements that must have ended before an element of this name can begin. */
  const closeUnended = (name: string, at: number) => {
    if (VALUES.has(top.node.name) && KNOWN.has(name) && name !== 'a') pop(at)
    if (ITEMS.has(name) && top.node === item) pop(at)
  }

  /** Reads the element at `at`; returns where to continue, or -1 if the document is truncated. */
  const open = (at: number): number => {
    const nameEnd = scanName(source, at + 1)
    const tagEnd = scanTagEnd(source, nameEnd)
    if (tagEnd === -1) return -1
    const isSelfClosed = source.charCodeAt(tagEnd - 1) === 0x2f
    const tag = source.slice(at + 1, nameEnd)
    const attributes = source.slice(nameEnd, isSelfClosed ? tagEnd - 1 : tagEnd)
    const next = source.charCodeAt(tagEnd) === 0x3e ? tagEnd + 1 : tagEnd
    firstTag ??= tag.toLowerCase()
    const scope = extendScope(top.scope, attributes)
    const name = resolveName(scope, tag)
    closeUnended(name, at)
    const node = makeNode(name, attributes, extendBases(top.node.bases, attributes))
    const lowerTag = tag.toLowerCase()
    const isItem = ITEMS.has(name) && item === null
    if (!isItem) attach(node)
    if (isSelfClosed) {
      if (isItem) onItem(node)
      return next
    }
    if (TEXTS.has(name)) {
      const text = readText(next, lowerTag, (inside) => resolveName(scope, inside))
      node.inner = source.slice(next, text.innerEnd)
      return text.next
    }
    if (stack.length >= MAX_DEPTH) {
      tooDeep++
      return next
    }
    if (isItem) item = node
    push({ node, tag: lowerTag, scope, innerStart: next })
    return next
  }

  for (let at = source.indexOf('<'); at !== -1; at = source.indexOf('<', at)) {
    const code = source.charCodeAt(at + 1)
    if (code === 0x2f) {
      const nameEnd = scanName(source, at + 2)
      const tagEnd = scanTagEnd(source, nameEnd)
      if (tagEnd === -1) break
      close(source.slice(at + 2, nameEnd).toLowerCase(), at)
      at = source.charCodeAt(tagEnd) === 0x3e ? tagEnd + 1 : tagEnd
    } else if (code === 0x21 || code === 0x3f) {
      at = skip(at, top.tag)
    } else if (isNameStart(code)) {
      at = open(at)
      if (at === -1) break
    } else at++
  }

  const cutItem: XmlNode | null = item
  item = null
  while (stack.length > 1) pop(source.length)
  return { root, cutItem, firstTag }
}

const makeNode = (name: string, attributes: string, bases: readonly string[]): XmlNode => ({
  name,
  attributes,
  bases,
  inner: '',
  children: [],
})

const extendBases = (bases: readonly string[], attributes: string): readonly string[] => {
  if (!attributes.includes(':base')) return bases
  for (const [key, value] of readAttributes(attributes)) {
    if (key === 'xml:base') return [...bases, value.trim()]
  }
  return bases
}
