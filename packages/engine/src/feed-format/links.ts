import { readElementText } from './text.ts'
import { attributeOf, type XmlNode } from './xml-node.ts'

/** An address as written in the feed, and the `xml:base`s that apply to it. */
export interface RawLink {
  href: string
  bases: readonly string[]
}

export const textLink = (node: XmlNode): RawLink | null => {
  const href = cleanAddress(readElementText(node.inner).value)
  return href === '' ? null : { href, bases: node.bases }
}

export const attributeLink = (node: XmlNode, name: string): RawLink | null => {
  const href = cleanAddress(attributeOf(node, name) ?? '')
  return href === '' ? null : { href, bases: node.bases }
}

/** RSS has the address as text, Atom as `href` with a `rel`; where feeds mix both, RSS wins. */
export const pickLink = (links: readonly XmlNode[]): RawLink | null => {
  const alternates = links.filter((link) => /^(?:alternate)?$/i.test(relOf(link)))
  const pages = alternates.filter((link) => /html|^$/i.test(attributeOf(link, 'type') ?? ''))
  const texts = alternates.length > 1 ? alternates.filter(isText) : []
  for (const link of [...texts, ...pages, ...alternates]) {
    const found = attributeLink(link, 'href') ?? textLink(link) ?? attributeLink(link, 'resource')
    if (found !== null) return found
  }
  return null
}

const isText = (link: XmlNode): boolean => link.inner !== '' && link.attributes.trim() === ''

/** The last part of `http://www.iana.org/assignments/relation/alternate` is the relation. */
export const relOf = (link: XmlNode): string =>
  (attributeOf(link, 'rel') ?? '').toLowerCase().replace(/^.*\//, '')

export const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s/]/i.test(text)

/** Line breaks inside an address come from the layout, and references from escaping twice. */
const cleanAddress = (text: string): string =>
  text
    .replace(/[\t\r\n]+\s*/g, '')
    .replaceAll('&amp;', '&')
    .trim()

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i

/** The address a feed was fetched from, and the page it belongs to. */
export interface LinkBase {
  url?: string | undefined
  feedLink?: string | null
}

/**
 * Makes an address absolute; absolute ones stay unchanged, and so does one without any base. An
 * `xml:base` is relative to the feed's address; without one, links are relative to the feed's page.
 */
export const resolveLink = (link: RawLink, { url, feedLink }: LinkBase): string => {
  if (ABSOLUTE.test(link.href)) return link.href
  const outerToInner = link.bases.length > 0 ? [feedLink, url, ...link.bases] : [url, feedLink]
  const base = outerToInner.reduce<string | undefined>(
    (outer, inner) => (inner ? (joinUrl(inner, outer) ?? outer) : outer),
    undefined,
  )
  if (link.href.startsWith('//')) return joinUrl(link.href, base ?? 'https://x') ?? link.href
  return joinUrl(link.href, base) ?? link.href
}

const joinUrl = (href: string, base: string | undefined): string | undefined =>
  URL.canParse(href, base) ? new URL(href, base).href : undefined
