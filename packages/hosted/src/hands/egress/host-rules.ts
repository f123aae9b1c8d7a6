import type { Networking } from '../hands.ts'
import { PACKAGE_REGISTRIES } from './package-registries.ts'
import type { Target } from './target.ts'

interface Verdict {
  allowed: boolean
  reason: string
}

/**
 * Whether a host may be reached at a port; without a port, whether at any. Its addresses are checked
 * when it is dialled.
 */
export type HostRules = (host: string, port?: number) => Verdict

const WEB_PORTS: readonly number[] = [80, 443]
/**
 * The port of mail servers is blocked, because spam from a sandbox would be blamed on this machine.
 */
const MAIL_PORT = 25

/**
 * `unrestricted` allows every public host at every port except mail. `limited` allows the listed
 * hosts at 80 and 443; an entry with a port allows only that port. `registries` are treated like
 * those of package managers.
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
    const ports = lists
      .flatMap(([, entries]) => entries)
      .flatMap((entry) => (matchesEntry(entry, host) ? portsOf(entry) : []))
    const open = [...new Set(ports)].toSorted((a, b) => a - b)
    return {
      allowed: false,
      reason:
        open.length === 0
          ? `${host} is not among this environment's allowed hosts`
          : `port ${port} of ${host} is not allowed, only ${open.join(' and ')}`,
    }
  }
}

/** `example.com` matches only itself; `*.example.com` matches every subdomain, but not itself. */
export const matchesHost = (pattern: string, host: string): boolean => {
  const wanted = pattern.toLowerCase().replace(/\.$/, '')
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted
}

const matchesEntry = (entry: string, host: string, port?: number): boolean =>
  matchesHost(splitEntry(entry).name, host) && (port === undefined || portsOf(entry).includes(port))

const portsOf = (entry: string): readonly number[] => {
  const { port } = splitEntry(entry)
  return port === undefined ? WEB_PORTS : [port]
}

const splitEntry = (entry: string): { name: string; port?: number } => {
  const [, name = entry, own] = /^(.+?):(\d+)$/.exec(entry) ?? []
  return { name, ...(own === undefined ? {} : { port: Number(own) }) }
}
