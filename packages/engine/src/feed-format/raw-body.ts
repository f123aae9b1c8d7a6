import { isWebAddress, type ProvisionedSession, resolveLink } from './links.ts'

/** A body as the feed wrote it, and what the relative addresses in it are relative to. */
export interface RawBody {
  text: string
  /** Plain text has no addresses to resolve, whatever it looks like. */
  isHtml: boolean
  bases: readonly string[]
}

/**
 * The body with the relative addresses of its links and media made absolute: against `xml:base`,
 * else against the page the item is about. The rest stays letter for letter; so do fragments, which
 * point into the body itself.
 */
export const resolveBody = (
  { text, isHtml, bases }: RawBody,
  around: ProvisionedSession,
  itemLink: string | null,
): string => {
  if (!isHtml || !HAS_RELATIVE.test(text)) return text
  const page = isOnSite(itemLink, around) ? itemLink : around.feedLink
  const absolute = (href: string) => resolveLink({ href, bases }, { ...around, feedLink: page })
  const resolveOne = (all: string, before: string, double = '', single = '', bare = '') => {
    if (single !== '') return `${before}'${absolute(single)}'`
    const href = double === '' ? bare : double
    return href === '' ? all : `${before}"${absolute(href)}"`
  }
  return text.replace(TAG, (tag) => tag.replace(REFERENCE, resolveOne))
}

/** Link blogs point elsewhere, but what they quote they host themselves. */
const isOnSite = (itemLink: string | null, { url, feedLink }: ProvisionedSession): boolean => {
  if (itemLink === null || !isWebAddress(itemLink)) return false
  const home = [feedLink, url].find((address) => address && isWebAddress(address))
  return !home || hostOf(home) === hostOf(itemLink)
}

const hostOf = (address: string): string =>
  /^https?:\/\/(?:www\.)?([^/?#]*)/i.exec(address)?.[1] ?? ''

const NAMES = 'href|src|poster|action|cite|data|longdesc|background'
const RELATIVE = String.raw`(?![a-z][a-z0-9+.-]*:|[\s#&"'>]|$)`

/** Looks at each `=` and not at each word, which is several times as fast. */
const HAS_RELATIVE = new RegExp(String.raw`=(?<=\s(?:${NAMES})\s?=)\s?(?:["']\s?)?${RELATIVE}`, 'i')
const TAG = /<[a-zA-Z][^<>]*>/g
const REFERENCE = new RegExp(
  String.raw`(\s(?:${NAMES})\s?=\s?)(?:"\s?${RELATIVE}([^"]*)"|'\s?${RELATIVE}([^']*)'|${RELATIVE}([^\s"'>]+))`,
  'gi',
)
