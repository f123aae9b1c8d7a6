import { z } from 'zod'

const domains = z.array(z.string().min(1)).nullish()

/** The sites that a web tool may use, as configured in the agent's toolset. Includes subdomains. */
export const domainConfig = z.looseObject({ allowed_domains: domains, blocked_domains: domains })
export type DomainConfig = z.infer<typeof domainConfig>

/** Why a host is not allowed; `undefined` if it is. */
export const refusalOfDomain = (
  hostname: string,
  { allowed_domains: allowed, blocked_domains: blocked }: DomainConfig,
): string | undefined => {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  const lies = (domain: string) => {
    const wanted = domain.toLowerCase().replace(/\.$/, '')
    return host === wanted || host.endsWith(`.${wanted}`)
  }
  if (blocked?.some(lies)) return `${host} is among the blocked domains`
  if (allowed && !allowed.some(lies)) return `${host} is not among the allowed domains`
  return undefined
}
