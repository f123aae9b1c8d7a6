import { StewardError } from '@steward/contract'

export interface CallerFacts {
  host: string | undefined
  origin: string | undefined
  fetchSite: string | undefined
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i
const OWN_SITES = new Set(['same-origin', 'none'])

/**
 * Web pages neither read nor change anything here. A page that points its own name at this machine
 * sends that name as `Host`; programs send the name they were given, which must be one of ours.
 */
export const checkCaller = (
  { host, origin, fetchSite }: CallerFacts,
  ownNames: ReadonlySet<string>,
): void => {
  if (host !== undefined) {
    const name = HOST.exec(host)?.groups?.name?.toLowerCase()
    if (name === undefined || !(LOOPBACK.has(name) || ownNames.has(name)))
      throw new StewardError('foreign_host', { host: host.slice(0, 100) })
  }
  if (origin !== undefined || (fetchSite !== undefined && !OWN_SITES.has(fetchSite)))
    throw new StewardError('foreign_origin', { origin: 'a web page' })
}
