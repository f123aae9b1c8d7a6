import { StewardError } from '@steward/contract'
import { isApiPath } from '../is-api-path.ts'

export interface OriginFacts {
  method: string
  path: string
  host: string
  origin: string | undefined
  fetchSite: string | undefined
  fetchMode: string | undefined
  fetchDest: string | undefined
}

const OWN_SITES = new Set(['same-origin', 'none'])

/**
 * Pages of other origins neither change nor read anything here. Programs that are no browser send
 * neither header and pass. Another port of this machine is another origin too.
 */
export const checkOrigin = (facts: OriginFacts): StewardError | undefined => {
  const { origin, host, fetchSite } = facts
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return new StewardError('foreign_origin', { origin: origin.slice(0, SHOWN_CHARS) })
  }
  if (fetchSite === undefined || OWN_SITES.has(fetchSite) || isLinkToPage(facts)) return undefined
  return new StewardError('foreign_origin', { origin: 'a page of another site' })
}

/** A person followed a link to the dashboard: the page that had the link sees nothing of it. */
const isLinkToPage = ({ method, path, fetchMode, fetchDest }: OriginFacts): boolean =>
  method === 'GET' && fetchMode === 'navigate' && fetchDest === 'document' && !isApiPath(path)

const SHOWN_CHARS = 100
