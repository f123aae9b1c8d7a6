import type { Networking } from '../hands.ts'
import { PACKAGE_REGISTRIES } from './package-registries.ts'
import type { Target } from './target.ts'

interface Verdict {
  allowed: boolean
  reason: string
}

/** Whether a host may be asked at a port. What its name resolves to is judged when it is dialled. */
export type HostRules = (host: string, port: number) => Verdict

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443])
/** Mail servers' own port: a sandbox has no business there, and spam from it falls on the machine. */
const MAIL_PORT = 25

/**
 * `unrestricted` is every public host at every port but mail's. `limited` is the listed hosts at 80
 * and 443; an entry that names a port is that port and no other. `registries` are reached as those of
 * package managers are.
 */
export const createHostRules = (
  networking: Networking,
  registries: readonly Target[] = [],
): HostRules => {
  if (networking.type === 'unrestricted') {
    return (_, port) =>
      port === MAIL_PORT
        ? { allowed: false, reason: `port ${MAIL_PORT} is not open from a sandbox` }
        : { allowed: true, reason: 'unrestricted' }
  }
  const lists: Array<[reason: string, entries: readonly string[]]> = [
    ['allowed_hosts', networking.allowedHosts],
    ['mcp server', networking.mcpHosts],
    [
      'package manager',
      networking.allowPackageManagers
        ? [
            ...Object.values(PACKAGE_REGISTRIES).flat(),
            ...registries.map(({ host, port }) => `${host}:${port}`),
          ]
        : [],
    ],
  ]
  return (host, port) => {
    for (const [reason, entries] of lists) {
      if (entries.some((entry) => matchesEntry(entry, host, port))) return { allowed: true, reason }
    }
    const named = lists.some(([, entries]) => entries.some((entry) => matchesHost(entry, host)))
    return {
      allowed: false,
      reason: named
        ? `port ${port} of ${host} is not allowed, only 80 and 443`
        : `${host} is not among this environment's allowed hosts`,
    }
  }
}

/** `example.com` is itself only; `*.example.com` everything below it, at any depth, and not itself. */
export const matchesHost = (pattern: string, host: string): boolean => {
  const wanted = pattern.toLowerCase().replace(/\.$/, '')
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted
}

const matchesEntry = (entry: string, host: string, port: number): boolean => {
  const [, name = entry, own] = /^(.+?):(\d+)$/.exec(entry) ?? []
  return matchesHost(name, host) && (own === undefined ? WEB_PORTS.has(port) : Number(own) === port)
}
