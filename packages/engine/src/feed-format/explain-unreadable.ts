import { isWebAddress, resolveLink } from './links.ts'
import { attributeOf } from './xml-node.ts'

export interface Unreadable {
  reason: string
  /** The feed that a web page links to. */
  alternate?: string
}

/** Why a body is not a feed, worded for the person who entered its address. */
export const explainUnreadable = (
  body: Uint8Array | string,
  source: string,
  firstTag: string | null,
  url: string | undefined,
): Unreadable => {
  if (source.trim() === '' && !isBinary(body)) return { reason: 'it is empty' }
  if (body instanceof Uint8Array && body[0] === 0x1f && body[1] === 0x8b) {
    return { reason: 'it is still compressed with gzip' }
  }
  if (firstTag === 'html' || /<!doctype\s+html|<html[\s>]/i.test(source.slice(0, 5000))) {
    return explainPage(source, url)
  }
  if (/^\s*[{[]/.test(source)) {
    return { reason: 'it is JSON, but has no "items" list as a JSON Feed has' }
  }
  if (isBinary(body)) return { reason: 'it is binary data' }
  if (firstTag !== null && /^[a-z][\w:.-]{0,60}$/.test(firstTag)) {
    return {
      reason: `its first element is <${firstTag}>, and there is no rss, feed, rdf:RDF or channel in it`,
    }
  }
  return { reason: 'it has no markup of any feed format' }
}

const explainPage = (source: string, url: string | undefined): Unreadable => {
  const alternate = findAlternate(source, url)
  if (alternate === null) return { reason: 'it is a web page' }
  return { reason: `it is a web page; the page names ${alternate} as its feed`, alternate }
}

const FEED_TYPE = /^application\/(?:rss|atom|rdf|feed)\+(?:xml|json)|^application\/json$/i

const findAlternate = (source: string, url: string | undefined): string | null => {
  for (const [, attributes = ''] of source.slice(0, 500_000).matchAll(/<link\s([^<>]*)>/gi)) {
    const link = { name: 'link', attributes, bases: [], inner: '', children: [] }
    const href = attributeOf(link, 'href')
    const isFeed = FEED_TYPE.test(attributeOf(link, 'type') ?? '')
    if (!isFeed || !href || !/\balternate\b/i.test(attributeOf(link, 'rel') ?? '')) continue
    const address = resolveLink({ href, bases: [] }, { url })
    return isWebAddress(address) || url === undefined ? address : null
  }
  return null
}

const isBinary = (body: Uint8Array | string): boolean => {
  const head =
    typeof body === 'string' ? body.slice(0, 1000) : String.fromCharCode(...body.subarray(0, 1000))
  const controls = head.match(/[^\P{Cc}\t\n\r\f]/gu)?.length ?? 0
  return controls > head.length * 0.05
}
