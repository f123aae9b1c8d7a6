import { StewardError } from '@steward/contract'

/** Where a connection arrived. */
export interface Arrival {
  localAddress?: string | undefined
  localPort?: number | undefined
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])
const DEFAULT_PORT = 80
const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(?<port>\d{1,5}))?$/i

/**
 * A page that points its own name at this machine (DNS rebinding) still sends that name. Only loopback
 * names, and the very address the connection came in on, are ours; each with our port.
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
  return new StewardError('foreign_host', { host: clip(host) })
}

const isOurName = (name: string, localAddress: string | undefined): boolean =>
  LOOPBACK_NAMES.has(name) || (localAddress !== undefined && name === asHostName(localAddress))

/** An IPv4 connection on a socket for both families has its address mapped into IPv6. */
const asHostName = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase()
  return plain.includes(':') ? `[${plain}]` : plain
}

const SHOWN_CHARS = 100
const clip = (text: string): string => text.slice(0, SHOWN_CHARS)
