import { decodeEntities } from './entities.ts'
import type { RawBody } from './raw-body.ts'
import { readElementText, type TextKind, toPlainLine, unescapeAgain } from './text.ts'
import { attributeOf, type XmlNode } from './xml-node.ts'

/**
 * The body of an RSS or Atom element as HTML or text, null if empty. XHTML is returned as inner
 * markup without the wrapping `div`; base64 is decoded if it holds text.
 */
export const readBody = (node: XmlNode): RawBody | null => {
  const type = (attributeOf(node, 'type') ?? '').toLowerCase()
  const text = readBodyText(node, type)
  if (text === null || text === '') return null
  return { text, isHtml: type !== 'text' && type !== 'text/plain', bases: node.bases }
}

const readBodyText = (node: XmlNode, type: string): string | null => {
  if (isBase64(node, type)) return decodeBase64Text(node.inner, type)
  const isXhtml = type.includes('xhtml')
  const { value, isMarkup } = readElementText(node.inner, isXhtml)
  if (!isMarkup) return isXhtml ? value : unescapeAgain(value)
  if (isXhtml) return unwrapDiv(stripPrefix(value))
  return XHTML_DIV.test(value) ? unwrapHtmlDiv(value) : value
}

/** HTML that was escaped and then wrapped is still escaped. */
const unwrapHtmlDiv = (markup: string): string => {
  const inside = unwrapDiv(stripPrefix(markup))
  return inside.includes('<') ? inside : decodeEntities(inside)
}
const XHTML_DIV = /^<(?:[\w.-]+:)?div\s[^<>]*["']http:\/\/www\.w3\.org\/1999\/xhtml\/?["']/i

/**
 * A title or label on one line, without tags. RSS does not define the format of its titles; Atom
 * does.
 */
export const readLine = (node: XmlNode, isAtom: boolean): string | null => {
  const type = (attributeOf(node, 'type') ?? '').toLowerCase()
  if (isBase64(node, type)) return toPlainLine(decodeBase64Text(node.inner, type) ?? '', 'html')
  const { value, isMarkup } = readElementText(node.inner)
  return toPlainLine(value, lineKind(type, isAtom, isMarkup))
}

const lineKind = (type: string, isAtom: boolean, isMarkup: boolean): TextKind => {
  if (type.includes('html')) return 'html'
  if (isMarkup || !isAtom) return 'formatted'
  return 'plain'
}

/** Atom 1.0 marks it with a type that is neither text nor XML, Atom 0.3 with the mode. */
const isBase64 = (node: XmlNode, type: string): boolean => {
  const mode = attributeOf(node, 'mode')
  if (mode !== null) return mode.toLowerCase() === 'base64'
  if (type === 'base64' || attributeOf(node, 'encoding')?.toLowerCase() === 'base64') return true
  return type.includes('/') && !/^text\/|html|xml/.test(type)
}

const decodeBase64Text = (inner: string, type: string): string | null => {
  if (/^(?:image|audio|video|application\/(?:pdf|zip))/.test(type)) return null
  const { value } = readElementText(inner)
  const packed = value.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return emptyToNull(value)
  const bytes = decodeBase64(packed)
  if (bytes === null) return emptyToNull(value)
  const text = new TextDecoder().decode(bytes).trim()
  return NOT_TEXT.test(text) ? null : emptyToNull(text)
}
const NOT_TEXT = /[^\P{Cc}\t\n\r]|\ufffd/u

const decodeBase64 = (packed: string): Uint8Array | null => {
  const bare = packed.replace(/=+$/, '')
  if (bare.length % 4 === 1) return null
  return Uint8Array.from(atob(bare), (character) => character.charCodeAt(0))
}

/** Turns `<xh:div><xh:p>` into `<div><p>`: the prefix is meaningless outside the feed. */
const stripPrefix = (markup: string): string => {
  const prefix = /^<([A-Za-z_][\w.-]*):[A-Za-z]/.exec(markup)?.[1]
  if (prefix === undefined) return markup
  return markup.replaceAll(`<${prefix}:`, '<').replaceAll(`</${prefix}:`, '</')
}

const DIV = /^<div(?:\s[^<>]*)?>/i

const unwrapDiv = (markup: string): string => {
  const open = DIV.exec(markup)?.[0]
  if (open === undefined || !/<\/div\s*>$/i.test(markup)) return markup
  const inside = markup.slice(open.length, markup.lastIndexOf('<'))
  return isBalanced(inside) ? inside.trim() : markup
}

/** Whether every `div` is opened before it is closed: `</div><div>` means there were two. */
const isBalanced = (markup: string): boolean => {
  let depth = 0
  for (const [tag] of markup.matchAll(/<\/?div\b[^<>]*>/gi)) {
    if (tag.startsWith('</')) depth--
    else if (!tag.endsWith('/>')) depth++
    if (depth < 0) return false
  }
  return true
}

const emptyToNull = (text: string): string | null => (text === '' ? null : text)
