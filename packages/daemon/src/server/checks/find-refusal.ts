import type { IncomingMessage } from 'node:http'
import { StewardError } from '@steward/contract'
import { checkContent } from './check-content.ts'
import { checkHost } from './check-host.ts'
import { checkOrigin } from './check-origin.ts'
import { checkTarget } from './check-target.ts'

const MOST_HEADERS = 100

/** Why a request must go no further, looked at before anything is made of it; nothing when it may. */
export const findRefusal = (incoming: IncomingMessage): StewardError | undefined => {
  const { headers, rawHeaders, socket, method = '', url = '' } = incoming
  if (rawHeaders.length / 2 > MOST_HEADERS) {
    const reason = `there are more than ${MOST_HEADERS} headers`
    return new StewardError('invalid_input', { subject: 'the request', reason })
  }
  const [path = ''] = url.split('?', 1)
  return (
    checkHost(valuesOf(rawHeaders, 'host'), socket) ??
    checkOrigin({
      method,
      path,
      host: headers.host ?? '',
      origin: headers.origin,
      fetchSite: textOf(headers['sec-fetch-site']),
      fetchMode: textOf(headers['sec-fetch-mode']),
      fetchDest: textOf(headers['sec-fetch-dest']),
    }) ??
    checkTarget(url) ??
    checkContent({
      method,
      contentType: headers['content-type'],
      contentEncoding: headers['content-encoding'],
      hasBody: hasBody(incoming),
    })
  )
}

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const valuesOf = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name ? [value] : [],
  )

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value
