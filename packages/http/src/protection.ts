import type { IncomingMessage } from 'node:http'
import { StewardError } from '@steward/contract'

/**
 * `any` is for signed bodies that a browser never sends. `protobuf` stands for JSON as well: a page
 * can send neither without a preflight, which is refused.
 */
export type AcceptedContent = 'json' | 'protobuf' | 'any'

const MOST_HEADERS = 100
const SHOWN_CHARS = 100

/**
 * Why a request must be refused, checked before anything else; undefined if it may pass. `isPage`
 * distinguishes paths that a person may follow a link to from those that programs call.
 */
export const findRefusal = (
  incoming: IncomingMessage,
  isPage: (path: string) => boolean,
  /** Which bodies a path takes; all are JSON unless given. */
  contentOf: (path: string) => AcceptedContent = () => 'json',
): StewardError | undefined => {
  const { headers, rawHeaders, socket, method = '', url = '' } = incoming
  if (rawHeaders.length / 2 > MOST_HEADERS) {
    const reason = `there are more than ${MOST_HEADERS} headers`
    return new StewardError('invalid_input', { subject: 'the request', reason })
  }
  const [path = ''] = url.split('?', 1)
  const accepted = contentOf(path)
  return (
    checkHost(valuesOf(rawHeaders, 'host'), socket) ??
    checkOrigin({
      method,
      isPage: isPage(path),
      host: headers.host ?? '',
      origin: headers.origin,
      fetchSite: textOf(headers['sec-fetch-site']),
      fetchMode: textOf(headers['sec-fetch-mode']),
      fetchDest: textOf(headers['sec-fetch-dest']),
    }) ??
    checkTarget(url) ??
    (accepted === 'any'
      ? undefined
      : checkContent({
          method,
          contentType: headers['content-type'],
          contentEncoding: headers['content-encoding'],
          hasBody: hasBody(incoming),
          takesProtobuf: accepted === 'protobuf',
        }))
  )
}

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const valuesOf = (rawHeaders: readonly string[], name: string): string[] => {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [found = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    if (found.length === name.length && found.toLowerCase() === name) values.push(value)
  }
  return values
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** The address and port at which a connection arrived. */
export interface Arrival {
  localAddress?: string | undefined
  localPort?: number | undefined
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])
const DEFAULT_PORT = 80
const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(?<port>\d{1,5}))?$/i

/**
 * A page that resolves its own name to this machine (DNS rebinding) still sends that name. Only loopback
 * names and the address of the connection itself are accepted, each with our port.
 */
export const checkHost = (
  hosts: readonly string[],
  { localAddress, localPort }: Arrival,
): StewardError | undefined => {
  const [host] = hosts
  if (host === undefined || hosts.length > 1) {
    return new StewardError('foreign_host', { host: hosts.length > 1 ? '(several)' : '(none)' })
  }
  const { name, port } = HOST.exec(host)?.groups ?? {}
  const isOurPort = Number(port ?? DEFAULT_PORT) === localPort
  if (name !== undefined && isOurPort && isOurName(name.toLowerCase(), localAddress)) return
  return new StewardError('foreign_host', { host: host.slice(0, SHOWN_CHARS) })
}

const isOurName = (name: string, localAddress: string | undefined): boolean =>
  LOOPBACK_NAMES.has(name) || (localAddress !== undefined && name === asHostName(localAddress))

/** An IPv4 connection on a dual-stack socket has its address mapped into IPv6. */
const asHostName = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase()
  return plain.includes(':') ? `[${plain}]` : plain
}

export interface OriginFacts {
  method: string
  /** Whether the path is one that a person may follow a link to. */
  isPage: boolean
  host: string
  origin: string | undefined
  fetchSite: string | undefined
  fetchMode: string | undefined
  fetchDest: string | undefined
}

const OWN_SITES = new Set(['same-origin', 'none'])

/**
 * Pages of other origins can neither change nor read anything here. Programs other than browsers
 * send neither header and pass. Another port of this machine counts as another origin.
 */
export const checkOrigin = (facts: OriginFacts): StewardError | undefined => {
  const { origin, host, fetchSite } = facts
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return new StewardError('foreign_origin', { origin: origin.slice(0, SHOWN_CHARS) })
  }
  if (fetchSite === undefined || OWN_SITES.has(fetchSite) || isLinkToPage(facts)) return undefined
  return new StewardError('foreign_origin', { origin: 'a page of another site' })
}

/** A person followed a link to the dashboard; the page with the link learns nothing from it. */
const isLinkToPage = ({ method, isPage, fetchMode, fetchDest }: OriginFacts): boolean =>
  method === 'GET' && fetchMode === 'navigate' && fetchDest === 'document' && isPage

const LONGEST_CHARS = 4096
/** Any character that does not belong in a path: spaces, controls, quotes, backslashes, `#`. */
const STRANGE = /[^\w\-.~!$&'()*+,;=:@/[\]]/
/** Encoded `/`, `\` and NUL: no name contains them, and joining such a path could leave its folder. */
const DISGUISED = /%(2f|5c|00)/i
const DOTS = /^(\.|%2e){1,2}$/i

/**
 * Checks the path before it is routed. Dot segments are refused instead of resolved: callers must use
 * the plain path.
 */
export const checkTarget = (target: string): StewardError | undefined => {
  if (target.length > LONGEST_CHARS) return refuse(`it is longer than ${LONGEST_CHARS} characters`)
  if (!target.startsWith('/')) return refuse('it must start with /')
  const [path = ''] = target.split('?', 1)
  // Percent signs are judged on their own below.
  if (STRANGE.test(path.replaceAll('%', '')))
    return refuse('it has a character that must be encoded')
  if (DISGUISED.test(path))
    return refuse('a name must not contain an encoded slash, backslash or NUL')
  if (path.split('/').some((segment) => DOTS.test(segment))) return refuse('. and .. lead nowhere')
  if (path.startsWith('//')) return refuse('it starts with two slashes')
  return isDecodable(path) ? undefined : refuse('its percent-encoding is broken')
}

const refuse = (reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'the path', reason })

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch (thrown) {
    if (thrown instanceof URIError) return false
    throw thrown
  }
}

export interface ContentFacts {
  method: string
  contentType: string | undefined
  contentEncoding: string | undefined
  hasBody: boolean
  takesProtobuf?: boolean
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
const JSON_TYPE = /^application\/json\s*(;|$)/i
const PROTOBUF_TYPE = /^application\/x-protobuf\s*(;|$)/i

export const isProtobuf = (contentType: string | undefined): boolean =>
  contentType !== undefined && PROTOBUF_TYPE.test(contentType)

/**
 * Forms, and scripts of other pages without a preflight, can send text, forms and bytes but not JSON.
 * Methods that they cannot send need no content type when there is no body.
 */
export const checkContent = (facts: ContentFacts): StewardError | undefined => {
  const { method, contentType, contentEncoding, hasBody, takesProtobuf = false } = facts
  // A streaming answer would leave this body unread.
  if (READS.has(method) && hasBody) {
    return new StewardError('invalid_input', {
      subject: method,
      reason: 'it does not accept a body',
    })
  }
  if (READS.has(method)) return undefined
  if (!hasBody && method !== 'POST' && contentType === undefined) return undefined
  const isJson = contentType !== undefined && JSON_TYPE.test(contentType)
  if (!isJson && !(takesProtobuf && isProtobuf(contentType))) {
    return new StewardError('unsupported_media_type', {
      found: contentType?.slice(0, SHOWN_CHARS) ?? 'of no stated type',
    })
  }
  if (contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity')
    return undefined
  return new StewardError('unsupported_media_type', {
    found: `compressed (${contentEncoding.slice(0, SHOWN_CHARS)})`,
  })
}

export interface CallerFacts {
  host: string | undefined
  origin: string | undefined
  fetchSite: string | undefined
}

/**
 * The check for a server that clients reach under configured names, through a proxy or another port:
 * the host must be loopback or one of these names, and web pages are refused altogether.
 */
export const checkCaller = (
  { host, origin, fetchSite }: CallerFacts,
  ownNames: ReadonlySet<string>,
): void => {
  if (host !== undefined) {
    const name = HOST.exec(host)?.groups?.name?.toLowerCase()
    if (name === undefined || !(LOOPBACK_NAMES.has(name) || ownNames.has(name)))
      throw new StewardError('foreign_host', { host: host.slice(0, SHOWN_CHARS) })
  }
  if (origin !== undefined || (fetchSite !== undefined && !OWN_SITES.has(fetchSite)))
    throw new StewardError('foreign_origin', { origin: 'a web page' })
}
